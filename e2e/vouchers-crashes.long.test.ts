import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { routes } from '@batua/contract'
import { closeTabs, createClient, payingFetch, paymentOf } from '@batua/sdk'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startFakeRedis } from './src/fake-redis.ts'
import { freePort } from './src/free-port.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'
import { hasRedis, startRedis } from './src/redis-server.ts'

const TABLE = `create table if not exists voucher_tabs (
  payee text not null,
  buyer text not null,
  state text not null,
  version text not null,
  primary key (payee, buyer)
)`
const SHOP = fileURLToPath(new URL('src/voucher-shop.ts', import.meta.url))
const SPENDER = fileURLToPath(new URL('src/voucher-spender.ts', import.meta.url))
/** Without it each process spends most of its time compiling the same modules. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/e2e-compiled', import.meta.url))
const CRASHES = 6
const AT_ONCE = 4
/** Longer than a response takes to arrive, and to kill its process. */
const SLOW_WRITE_MS = 50
/** A call that a killed process has served counts after three minutes. */
const RESPONSES_COUNT_AFTER_MS = 4 * 60_000
const LIMITS = { timeout: 240_000 }

let stage: PayingStage
let pool: Pool
let redis: { readonly port: number; close(): unknown }
let folder = ''
let buyer: Agent
let seller: Agent
let port = 0
const children: ChildProcess[] = []

beforeAll(async () => {
  stage = await openPayingStage()
  pool = new Pool({ connectionString: stage.database.url, max: 2 })
  await pool.query(TABLE)
  if (!hasRedis) console.warn('redis-server is not installed: a stand-in takes its place')
  redis = hasRedis ? await startRedis() : await startFakeRedis()
})
afterAll(async () => {
  await redis.close()
  await pool.end()
  await stage.close()
})
beforeEach(async () => {
  const { network, owner } = stage
  ;[buyer, seller] = [await network.fundedAgent(owner), await network.agent(owner)]
  folder = mkdtempSync(join(tmpdir(), 'voucher-crashes-'))
  port = await freePort()
  for (const name of ['responded', 'served']) writeFileSync(join(folder, name), '')
})
afterEach(async () => {
  for (const child of children.splice(0)) await killed(child)
  rmSync(folder, { recursive: true })
})

async function started(script: string, argv: readonly string[]): Promise<ChildProcess> {
  const child = fork(script, argv, {
    execArgv: ['--conditions=@batua/source'],
    env: { NODE_COMPILE_CACHE: COMPILED },
  })
  children.push(child)
  await once(child, 'message')
  return child
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

function openShop(kind: string, place: string, ...more: readonly number[]): Promise<ChildProcess> {
  const { api } = stage
  const argv = [
    ...[api.address, seller.key, seller.handle, kind, place, String(port), join(folder, 'responded')],
    ...more.map(String),
  ]
  return started(SHOP, argv)
}

const counted = (name: string) => readFileSync(join(folder, name), 'utf8').length

async function authorizations() {
  const call = { params: { agent_id: buyer.id }, headers: buyer.headers, query: { limit: 100 } }
  return (await stage.api.ok(routes.listAuthorizations, call)).authorizations
}

const captured = async () => (await authorizations()).reduce((sum, each) => sum + each.captured, 0)

test.each<[string, () => string]>([
  ['file', () => join(folder, 'vouchers.jsonl')],
  ['sql', () => stage.database.url],
  ['redis', () => String(redis.port)],
])(
  'a seller that is killed, with vouchers in a store of the kind %s, captures what it served, once',
  LIMITS,
  async (kind, placeOf) => {
    const client = createClient({ baseUrl: stage.api.address, agentKey: buyer.key })
    const buy = payingFetch(fetch, { client, maxAmount: 1, allowHttp: true, tab: { amount: 900 } })
    const place = placeOf()
    let received = 0
    let isOver = false
    async function callOn(): Promise<void> {
      while (!isOver) {
        try {
          const response = await buy(`http://127.0.0.1:${port}/weather`)
          if ((await response.text()) === 'sunny') received += 1
          expect(paymentOf(response)?.paymentId).toMatch(/^ath_/)
        } catch (error) {
          // The seller was killed meanwhile.
          if (!(error instanceof TypeError)) throw error
          await delay(20)
        }
      }
    }
    let shop = await openShop(kind, place)
    const calling = Promise.all(Array.from({ length: AT_ONCE }, callOn))
    const crashing = async () => {
      for (let crash = 0; crash < CRASHES; crash++) {
        const before = received
        await vi.waitFor(() => expect(received).toBeGreaterThan(before + 5), 20_000)
        await delay(Math.random() * 30)
        await killed(shop)
        shop = await openShop(kind, place)
      }
    }
    await Promise.race([calling, crashing()]).finally(() => {
      isOver = true
    })
    await calling
    await killed(shop)
    await openShop(kind, place, 0, RESPONSES_COUNT_AFTER_MS)
    const responded = counted('responded')
    await vi.waitFor(async () => expect(await captured()).toBeGreaterThanOrEqual(received), 20_000)
    await closeTabs(buy)
    // What the buyer closed is not served any more, so nothing is added.
    expect(await captured()).toBeLessThanOrEqual(responded)
    expect((await authorizations()).length).toBe(1)
  },
)

test.each<[string, () => string]>([
  ['sql', () => stage.database.url],
  ['redis', () => String(redis.port)],
])(
  'a seller that is killed as soon as it responds, with a slow store of the kind %s, captures each response, once',
  LIMITS,
  async (kind, placeOf) => {
    const client = createClient({ baseUrl: stage.api.address, agentKey: buyer.key })
    const buy = payingFetch(fetch, { client, maxAmount: 1, allowHttp: true, tab: { amount: 900 } })
    for (let crash = 0; crash < CRASHES; crash++) {
      const shop = await openShop(kind, placeOf(), SLOW_WRITE_MS)
      const { status } = await buy(`http://127.0.0.1:${port}/weather`)
      await killed(shop)
      expect(status).toBe(200)
    }
    await openShop(kind, placeOf(), 0, RESPONSES_COUNT_AFTER_MS)
    await vi.waitFor(async () => expect(await captured()).toBe(CRASHES), 20_000)
    await closeTabs(buy)
    expect([await captured(), counted('responded')]).toEqual([CRASHES, CRASHES])
  },
)

test(
  'a buyer that is killed pays for the served calls, and its open authorization is closed',
  LIMITS,
  async () => {
    await openShop('file', join(folder, 'vouchers.jsonl'))
    const argv = [
      ...[stage.api.address, buyer.key, join(folder, 'purchases.jsonl')],
      ...[`http://127.0.0.1:${port}/weather`, join(folder, 'served')],
    ]
    for (let crash = 0; crash < CRASHES; crash++) {
      const spender = await started(SPENDER, argv)
      for (let call = 0; call < 3; call++) await once(spender, 'message')
      await delay(Math.random() * 10)
      await killed(spender)
    }
    const served = counted('served')
    await vi.waitFor(async () => expect(await captured()).toBeGreaterThanOrEqual(served), 20_000)
    const taken = await captured()
    // Counted now: the seller still responds to a call whose buyer was killed.
    expect(taken).toBeLessThanOrEqual(counted('responded'))
    const open = (await authorizations()).filter(({ status }) => status === 'open')
    expect([open.length, (await authorizations()).length]).toEqual([1, CRASHES])
  },
)
