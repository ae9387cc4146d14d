import { afterAll, expect } from 'vitest'
import type { Uuid } from '../../kernel/ids.ts'
import { foldTransfers } from '../../ledger/index.ts'
import { service } from '../../operations/facts.ts'
import { insertAgent, insertFundedAgent, order, startNode, type TestNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { factsDuring } from '../../testing/facts.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../testing/network.ts'
import { advanceClock } from './clock.ts'

const NOON = new Date('2026-11-20T06:30:00.000Z')
/** How far a node is behind that has not read the new clock offset yet: far more than clocks may differ. */
const MOVED_S = 3_600

let moving: TestNode
let behind: TestNode
const clock = manualClock(NOON)
const clockBehind = manualClock(NOON)

test.beforeAll(async () => {
  moving = startNode({ database, clock })
  behind = startNode({ database, clock: clockBehind })
})
afterAll(async () => {
  await moving.ledger.close()
  await behind.ledger.close()
})

/** Runs the fold job of the node that moved its clock, and returns the id below which payments are folded. */
async function foldedBefore(): Promise<Uuid> {
  const fold = { name: 'payment days', add: async () => undefined } as const
  for (let times = 0; times < 5; times++) await foldTransfers(database, fold, clock.now())
  const [row] = await database.query<{ before: Uuid }>(
    `select folded_before as before from fold_cursors where name = 'payment days'`,
  )
  return row?.before ?? ''
}

test('a payment by a node that has not read the new clock offset yet is missing in no sum', async () => {
  const payer = await insertFundedAgent(behind.ledger, database, clockBehind, 1_000_000n)
  const payee = await insertAgent(database, NOON)
  await behind.pay(order(payer, payee, 1_000n))
  await advanceClock(
    {
      database,
      clock,
      vault: TEST_VAULT,
      lastOtp: async () => null,
      receivedMessages: async () => [],
      jobs: () => ({
        async runDue() {
          await foldedBefore()
        },
      }),
    },
    service('test'),
    MOVED_S,
  )
  expect(clock.now().getTime() - clockBehind.now().getTime()).toBe(MOVED_S * 1_000)
  await behind.pay(order(payer, payee, 1_000n))
  const [late] = await database.query<{ id: Uuid }>(
    `select id from transfers where kind = 'payment' order by id desc limit 1`,
  )
  expect((await foldedBefore()) <= (late?.id ?? '')).toBe(true)
  await database.query(`update fold_cursors set paused_until = clock_timestamp()`)
  // Transactions of other test files on this server may delay the fold a little.
  await expect.poll(foldedBefore, { timeout: 10_000 }).toSatisfy((before: Uuid) => before > (late?.id ?? ''))
})

test('moving the clock is recorded with the number of seconds; running the due jobs alone is not', async () => {
  const context = {
    database,
    clock,
    vault: TEST_VAULT,
    lastOtp: async () => null,
    receivedMessages: async () => [],
    jobs: () => ({ runDue: async () => undefined }),
  }
  const move = (seconds: number) =>
    factsDuring(database, () => advanceClock(context, service('test'), seconds))
  expect(await move(60)).toEqual([
    {
      agentId: null,
      actor: { type: 'service', id: 'test' },
      action: 'sandbox.clock_moved',
      target: 'sandbox_clock',
      data: { advance_seconds: 60 },
    },
  ])
  expect(await move(0)).toEqual([])
})
