import { afterAll, beforeEach, expect } from 'vitest'
import type { Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { insertAgent, insertFundedAgent, order, startNode, type TestNode } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { endCommand, giveCommand } from './change-allowance.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const OWNER = { type: 'owner', id: 'own_1' } as const
let node: TestNode
let payer: Uuid
let payee: Uuid

test.beforeAll(() => {
  node = startNode({ database, clock })
})
afterAll(() => node.ledger.close())

beforeEach(async () => {
  payer = await insertFundedAgent(node.ledger, database, clock, 10_000_000n, {
    require_human_approval_above_paise: 10_000n,
  })
  payee = await insertAgent(database, clock.now())
})

const give = () =>
  node.ledger.submit(
    giveCommand(
      node.agents,
      { agentId: payer, payeeId: payee },
      { amountPaise: paise(30_000n), until: new Date(clock.now().getTime() + 1_000_000) },
      OWNER,
    ),
  )
const pay = () => node.pay(order(payer, payee, 20_000n))

/** Does something, and then puts the rows back as they were before. */
async function undone(work: () => Promise<unknown>): Promise<void> {
  await database.query(`create table kept as select * from allowances where agent_id = '${payer}'`)
  await work()
  await database.query(`delete from allowances where agent_id = '${payer}'`)
  await database.query(`insert into allowances select * from kept`)
  await database.query('drop table kept')
}

test('an allowance that was used and is put back unused allows nothing', async () => {
  await give()
  await undone(pay)
  await expect(pay()).rejects.toThrow('altered row')
})

test('an allowance that was ended and is put back allows nothing', async () => {
  const allowance = await give()
  await undone(() => node.ledger.submit(endCommand(allowance, OWNER)))
  await expect(pay()).rejects.toThrow('altered row')
})

test('an allowance whose amount was raised, or whose payee was changed, allows nothing', async () => {
  await give()
  for (const change of [
    'amount_paise = 90000000',
    `payee = '${payee}', used_paise = 1`,
    'until_at = now()',
  ]) {
    await undone(async () => {
      await database.query(`update allowances set ${change} where agent_id = '${payer}'`)
      if (change !== 'until_at = now()') await expect(pay()).rejects.toThrow('altered row')
    })
  }
  expect(await pay()).toMatchObject({ status: 'completed' })
})
