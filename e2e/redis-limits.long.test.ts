import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, openApi } from './src/api.ts'
import type { Agent, Owner } from './src/network.ts'
import { type RedisServer, startRedis } from './src/redis-server.ts'
import { type Service, startService } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

const LIMIT = 20
/** The funding of the agent was a request to the first node. */
const LEFT = LIMIT - 1
/** A request that waits for Redis waits this long, and those of the next second do not wait. */
const REDIS_TIMEOUT_MS = 250

let redis: RedisServer
let stage: Stage
let second: Service
let apis: readonly Api[]
let owner: Owner
let payee: Agent

beforeAll(async () => {
  redis = await startRedis()
  const shared = { REDIS_URL: `redis://127.0.0.1:${redis.port}`, RATE_LIMIT_AGENT: String(LIMIT) }
  stage = await openStage(shared)
  second = await startService({ ...shared, DATABASE_URL: stage.database.url })
  apis = [stage.api, openApi(second.address)]
  owner = await stage.network.owner(await stage.network.platform())
  payee = await stage.network.agent(owner)
})
afterAll(async () => {
  await second.stop()
  await stage.close()
  await redis.close()
})

/** How many of a new agent's payments each node lets through, and how long the slowest response took. */
async function payOnBoth(): Promise<{ readonly passed: readonly number[]; readonly slowestMs: number }> {
  const payer = await stage.network.fundedAgent(owner)
  const call = { params: { agent_id: payer.id }, headers: payer.headers, body: { to: payee.id, amount: 1 } }
  let slowestMs = 0
  const passed: number[] = []
  for (const api of apis) {
    let made = 0
    for (let count = 0; count < 2 * LIMIT; count++) {
      const started = performance.now()
      const { status } = await api.send(routes.pay, call)
      slowestMs = Math.max(slowestMs, performance.now() - started)
      expect([200, 429]).toContain(status)
      if (status === 200) made += 1
    }
    passed.push(made)
  }
  return { passed, slowestMs }
}

test('two nodes with one Redis count an agent’s requests together', async () => {
  expect((await payOnBoth()).passed).toEqual([LEFT, 0])
})

test('while Redis hangs, each node counts by itself, and payments go on', async () => {
  redis.signal('SIGSTOP')
  const { passed, slowestMs } = await payOnBoth()
  redis.signal('SIGCONT')
  expect(passed).toEqual([LEFT, LIMIT])
  expect(slowestMs).toBeGreaterThan(REDIS_TIMEOUT_MS * 0.9)
})

test('while Redis is full, each node counts by itself, and payments go on', async () => {
  const connection = redis.connect()
  await connection.config('SET', 'maxmemory', '1')
  expect((await payOnBoth()).passed).toEqual([LEFT, LIMIT])
  await connection.config('SET', 'maxmemory', '0')
})

test('after Redis was killed, each node counts by itself, and together again when it is back', async () => {
  await redis.kill()
  expect((await payOnBoth()).passed).toEqual([LEFT, LIMIT])
  await redis.crash()
  await expect.poll(async () => (await payOnBoth()).passed, { timeout: 60_000 }).toEqual([LEFT, 0])
})
