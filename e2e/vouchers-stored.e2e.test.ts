import { createServer, type Server } from 'node:http'
import { routes, TOTAL_HEADER } from '@batua/contract'
import { closeTabs, createClient, payingFetch } from '@batua/sdk'
import { requirePayment as requireOnHono } from '@batua/sdk/hono'
import { requirePayment } from '@batua/sdk/node'
import { sqlTabStore, type TabStore } from '@batua/sdk/seller'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Agent } from './src/network.ts'
import { openShop } from './src/pay-per-call-shop.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

const TABLE = `create table if not exists voucher_tabs (
  payee text not null,
  buyer text not null,
  state text not null,
  version text not null,
  primary key (payee, buyer)
)`

let stage: PayingStage
let pool: Pool
let buyer: Agent
let seller: Agent
/** Whether the seller's database cannot be reached. */
let isAway = false
/** Settles when a write of the store may begin; null: at once. */
let gate: Promise<void> | null = null
let writes = 0
let verifyTimeoutMs = 10_000
const closing: (() => unknown)[] = []
const errors: unknown[] = []

beforeAll(async () => {
  stage = await openPayingStage()
  pool = new Pool({ connectionString: stage.database.url, max: 4 })
  await pool.query(TABLE)
})
afterAll(async () => {
  await pool.end()
  await stage.close()
})
beforeEach(async () => {
  const { network, owner } = stage
  ;[buyer, seller] = [await network.fundedAgent(owner), await network.agent(owner)]
  isAway = false
  gate = null
  verifyTimeoutMs = 10_000
  errors.length = 0
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

function openStore(): TabStore {
  const store = sqlTabStore({
    query: (text, values) =>
      isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : pool.query(text, [...values]),
  })
  return {
    ...store,
    async write(...change) {
      writes += 1
      await gate
      return store.write(...change)
    },
  }
}

/** What the handler does before it responds. */
let work: () => unknown = () => {}

const SHOPS: readonly (readonly [string, () => Server])[] = [
  [
    'Node',
    () =>
      createServer(
        requirePayment(optionsOf(), (_request, response) => {
          work()
          response.setHeader('X-Response', '42')
          response.end('sunny')
        }),
      ),
  ],
  [
    'hono',
    () => {
      const app = new Hono()
      app.use(requireOnHono(optionsOf()))
      app.get('/weather', context => {
        work()
        context.header('X-Response', '42')
        return context.text('sunny')
      })
      return createServer((request, response) => void getRequestListener(app.fetch)(request, response))
    },
  ],
]

function optionsOf() {
  const client = createClient({ baseUrl: stage.api.address, agentKey: seller.key, maxRetries: 0 })
  const onError = (error: unknown) => errors.push(error)
  return {
    client,
    payTo: seller.handle,
    amount: 0.1,
    tab: { store: openStore() },
    onError,
    verifyTimeoutMs,
  }
}

/** Calls of the buyer's tab at a shop, which is open until the end of the test. */
async function openCalls(server: Server) {
  const shop = await openShop(server)
  const client = createClient({ baseUrl: stage.api.address, agentKey: buyer.key })
  const buy = payingFetch(fetch, { client, maxAmount: 1, allowHttp: true, tab: { amount: 50 } })
  closing.push(
    () => shop.close(),
    () => closeTabs(buy),
  )
  return { buy, call: () => buy(`${shop.address}/weather`) }
}

describe.each(SHOPS)('a seller on %s whose vouchers are in SQL', (_, open) => {
  test('responds with 503 if it cannot store a served call, and that call costs nothing', async () => {
    const { call } = await openCalls(open())
    expect(await (await call()).text()).toBe('sunny')
    work = () => {
      isAway = true
    }
    const unstored = await call()
    expect([unstored.status, unstored.headers.get(TOTAL_HEADER)]).toEqual([503, '0.10'])
    expect([unstored.headers.get('x-response'), unstored.headers.get('retry-after')]).toEqual([null, '1'])
    expect(await unstored.text()).toContain('The payment cannot be checked now')
    expect(errors).toHaveLength(1)
    isAway = false
    work = () => {}
    const next = await call()
    expect([await next.text(), next.headers.get(TOTAL_HEADER)]).toEqual(['sunny', '0.20'])
  })

  test('waits no longer than a verification may take, and a call that is stored too late costs nothing', async () => {
    verifyTimeoutMs = 1_000
    const { call } = await openCalls(open())
    expect(await (await call()).text()).toBe('sunny')
    const late = Promise.withResolvers<void>()
    work = () => {
      gate = late.promise
    }
    expect((await call()).status).toBe(503)
    work = () => {}
    gate = null
    late.resolve()
    const next = await call()
    expect([await next.text(), next.headers.get(TOTAL_HEADER)]).toEqual(['sunny', '0.20'])
  })

  test('writes the calls of a buyer together, one write after the other', async () => {
    const { buy, call } = await openCalls(open())
    const textOfCall = async () => (await call()).text()
    await textOfCall()
    const opened = Promise.withResolvers<void>()
    const served = vi.fn<() => void>()
    work = served
    gate = opened.promise
    writes = 0
    const calls = Array.from({ length: 30 }, textOfCall)
    await vi.waitFor(() => expect(writes).toBe(1), 20_000)
    opened.resolve()
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['sunny']))
    work = () => {}
    expect(served).toHaveBeenCalledTimes(30)
    // Each call waits for two writes. How many share one depends on when they arrive.
    expect(writes).toBeLessThan(60)
    await closeTabs(buy)
    const list = { params: { agent_id: buyer.id }, headers: buyer.headers, query: {} }
    const { authorizations } = await stage.api.ok(routes.listAuthorizations, list)
    expect(authorizations).toMatchObject([{ authorization_id: expect.stringMatching(/^ath_/) }])
  })
})
