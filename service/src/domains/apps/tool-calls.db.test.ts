import { afterAll, beforeEach, expect } from 'vitest'
import { DatabaseUnavailable } from '../../db/errors.ts'
import type { AppIdentity } from '../../http/caller.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { silentLogger } from '../../kernel/logger.ts'
import { connectApp, endApp } from '../../testing/apps.ts'
import { insertFundedAgent, startNode, type TestNode } from '../../testing/builders.ts'
import { TEST_VAULT } from '../../testing/database.ts'
import { database, test } from '../../testing/database-test.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { requestPageCommand } from './request-page.ts'
import { openToolCalls, recordToolCalls, type ToolCalls } from './tool-calls.ts'

const HALF_PAST = new Date('2026-11-20T06:30:00.000Z')
const MINUTE = 60_000
const clock = manualClock(HALF_PAST)
let node: TestNode
let agentId: Uuid
let app: AppIdentity
let nodes: readonly [ToolCalls, ToolCalls]

const openNode = (db: Parameters<typeof openToolCalls>[0]['database'] = database) =>
  openToolCalls({ database: db, clock, logger: silentLogger() })

test.beforeAll(() => {
  node = startNode({ database, clock })
})
afterAll(() => node.ledger.close())
beforeEach(async () => {
  clock.set(HALF_PAST)
  agentId = await insertFundedAgent(node.ledger, database, clock, 10_000n)
  app = await connectApp(node, agentId, { daily: 30_000n })
  nodes = [openNode(), openNode()]
})

async function call(at: ToolCalls, tool: string, times = 1): Promise<void> {
  for (let time = 0; time < times; time++) await at.note({ agentId, id: app.id }, tool)
}
const record = () => recordToolCalls({ database, vault: TEST_VAULT }, clock.now())

/** The data of the entries of the app, the oldest first. */
async function entries() {
  const rows = await database.query<{ actor: string; name: string; data: string }>(
    `select actor_id as actor, actor_name as name, data from audit_entries
     where agent_id = $1 and action = 'app.used' order by id`,
    [agentId],
  )
  for (const { actor, name } of rows) expect([actor, name]).toEqual([formatId('app', app.id), 'Assistant'])
  return rows.map(({ data }) => JSON.parse(data) as { from: string; calls: Record<string, number> })
}

test('an hour of an app on two nodes is one entry after its end, whichever nodes write it at once', async () => {
  await call(nodes[0], 'get_wallet', 40)
  await call(nodes[1], 'get_wallet', 2)
  await call(nodes[1], 'pay')
  await Promise.all(nodes.map(each => each.flush()))
  clock.advance(31 * MINUTE)
  expect(await record()).toBe(0)
  clock.advance(MINUTE)
  const written = await Promise.all(Array.from({ length: 6 }, record))
  expect(written.reduce((sum, count) => sum + count)).toBe(1)
  const hour = { from: '2026-11-20T06:00:00.000Z', to: '2026-11-20T07:00:00.000Z' }
  expect(await entries()).toEqual([{ ...hour, calls: { get_wallet: 42, pay: 1 } }])
})

test('the first call of an hour is in the log even if its node is killed at once', async () => {
  await call(nodes[0], 'list_transactions')
  clock.advance(40 * MINUTE)
  await record()
  expect(await entries()).toMatchObject([{ calls: { list_transactions: 1 } }])
})

test('a call after the first one waits for no query', async () => {
  await call(nodes[0], 'get_wallet')
  expect(nodes[0].note({ agentId, id: app.id }, 'get_wallet')).toBeNull()
  expect(nodes[0].note({ agentId, id: app.id }, 'pay')).toBeNull()
  clock.advance(30 * MINUTE)
  expect(nodes[0].note({ agentId, id: app.id }, 'get_wallet')).not.toBeNull()
})

test('totals whose storing fails, or whose outcome is unknown, are stored again and count once', async () => {
  const failing = { before: 0, after: 0 }
  const breaking = openNode({
    async query(sql, values) {
      if (failing.before-- > 0) throw new DatabaseUnavailable('away')
      const rows = await database.query(sql, values)
      if (failing.after-- > 0) throw new DatabaseUnavailable('lost', { commitSent: true })
      return rows as never
    },
  })
  failing.before = 1
  await expect(call(breaking, 'get_wallet')).rejects.toThrow('away')
  failing.after = 1
  await expect(call(breaking, 'get_wallet')).rejects.toThrow('lost')
  await call(breaking, 'get_wallet', 2)
  failing.after = 1
  await breaking.flush()
  await breaking.flush()
  clock.advance(40 * MINUTE)
  await record()
  expect(await entries()).toMatchObject([{ calls: { get_wallet: 4 } }])
})

test('a call that is stored too late for its hour counts in the next entry, and none is lost', async () => {
  await call(nodes[0], 'get_wallet', 3)
  clock.advance(33 * MINUTE)
  await record()
  await nodes[0].flush()
  clock.advance(60 * MINUTE)
  await record()
  expect(await entries()).toMatchObject([
    { from: '2026-11-20T06:00:00.000Z', calls: { get_wallet: 1 } },
    { from: '2026-11-20T07:00:00.000Z', calls: { get_wallet: 2 } },
  ])
})

test('a request that may act on a page is recorded for an app, and refused once its owner has ended it', async () => {
  const asked = { tool: 'fetch_paid_url', method: 'POST', host: 'shop.example' }
  const request = () => node.ledger.submit(requestPageCommand({ agentId, app, ...asked }))
  const recorded = async () =>
    database.query<{ data: string }>(
      `select data from audit_entries where agent_id = $1 and action = 'page.requested'`,
      [agentId],
    )
  await request()
  await endApp(node, agentId, app)
  await expect(request()).rejects.toMatchObject({ code: 'authentication_error' })
  expect((await recorded()).map(({ data }) => JSON.parse(data))).toEqual([asked])
})
