import { afterAll, beforeEach, expect } from 'vitest'
import type { AppIdentity } from '../../http/caller.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { connectApp, endApp } from '../../testing/apps.ts'
import { insertFundedAgent, order, startNode, type TestNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { held, intent, refundOn } from '../../testing/escrows.ts'
import { manualClock } from '../../testing/manual-clock.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let node: TestNode
let payer: Uuid
let payee: Uuid
let app: AppIdentity

test.beforeAll(() => {
  node = startNode({ database, clock })
})
afterAll(() => node.ledger.close())

beforeEach(async () => {
  payer = await insertFundedAgent(node.ledger, database, clock, 10_000_000n)
  payee = await insertFundedAgent(node.ledger, database, clock, 10_000_000n)
  app = await connectApp(node, payer, { daily: 30_000n })
})

const pay = () => node.pay(order(payer, payee, 20_000n, { app }))

/** Does something, and then puts the row back as it was before. */
async function undone(work: () => Promise<unknown>): Promise<void> {
  await database.query(`create table kept as select * from connected_apps where id = '${app.id}'`)
  await work()
  await database.query(`delete from connected_apps where id = '${app.id}'`)
  await database.query(`insert into connected_apps select * from kept`)
  await database.query('drop table kept')
}

test('an app that has spent and is put back as it was before spends nothing', async () => {
  await undone(pay)
  await expect(pay()).rejects.toThrow('altered row')
})

test('an app that was ended and is put back spends nothing', async () => {
  await undone(() => endApp(node, payer, app))
  await expect(pay()).rejects.toThrow('altered row')
})

test.each([
  'daily_paise = 90000000',
  'spent_paise = 0, uses = 0',
  "expires_at = '2099-01-01'",
  "scopes = 'x'",
])('an app whose row was changed by hand spends nothing: %s', async change => {
  await pay()
  await database.query(`update connected_apps set ${change} where id = '${app.id}'`)
  await expect(pay()).rejects.toThrow('altered row')
})

test('a hold whose app was taken out of its row by hand is found', async () => {
  const escrow = await held(database, node, intent(payer, 1_000n, { toAgentId: payee, app }))
  await database.query(`update escrows set app_id = null where id = '${escrow.id}'`)
  await expect(refundOn(node, escrow)).rejects.toThrow('altered row')
})
