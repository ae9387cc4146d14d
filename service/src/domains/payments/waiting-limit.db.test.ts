import { afterAll, beforeEach, expect } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { approvalOf, approve, reject } from '../../testing/approving.ts'
import {
  expectBalanced,
  insertAgent,
  insertFundedAgent,
  order,
  outcomesOf,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { holdOn, intent } from '../../testing/escrows.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { recordingDatabase, type Sent } from '../../testing/recording-database.ts'
import { countPendingApprovals } from './approvals/store.ts'
import { evaluateCommand } from './evaluate.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const sent = new Map<string, Sent>()
let second: Database
let nodes: readonly [TestNode, TestNode]
let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  second = openDatabase(db.url)
  nodes = [
    startNode({ database: recordingDatabase(database, sent), clock }),
    startNode({ database: second, clock }),
  ]
  payee = await insertAgent(database, clock.now())
})

beforeEach(async () => {
  clock.advance(2 * DAY_MS)
  payer = await insertFundedAgent(nodes[0].ledger, database, clock, 100_000_000n, {
    require_human_approval_above_paise: 1_000n,
  })
})

afterAll(async () => {
  await expectBalanced(database)
  expect(nodes.flatMap(({ broken }) => broken)).toEqual([])
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
})

const nodeAt = (at: number) => nodes[at % 2] ?? nodes[0]
const ask = (at = 0) => nodeAt(at).pay(order(payer, payee, 20_000n))
const askHold = (at = 0) => holdOn(nodeAt(at), intent(payer, 20_000n, { toAgentId: payee }))
const askMany = (count: number) => outcomesOf(Array.from({ length: count }, (_, at) => ask(at)))

test('of 120 concurrent requests on two nodes, holds included, exactly 50 wait and the others are a conflict', async () => {
  const works = Array.from({ length: 120 }, (_, at) => (at % 3 === 0 ? askHold(at) : ask(at)))
  const { done, refused } = await outcomesOf<{ readonly status: string }>(works)
  expect([done.length, refused.length]).toEqual([50, 70])
  expect(done.every(({ status }) => status === 'pending_approval')).toBe(true)
  for (const each of refused) {
    expect(each).toMatchObject({
      ...{ code: 'conflict', status: 409 },
      details: { pending_approvals: 50, max_pending_approvals: 50 },
    })
  }
  expect(await countPendingApprovals(database, clock.now())).toBe(50)
})

test('an approval that is approved or rejected makes room for another at once, also within one batch', async () => {
  const { done } = await askMany(50)
  const approvals = await Promise.all(done.slice(0, 3).map(each => approvalOf(database, each)))
  expect(await refusalOf(ask())).toMatchObject({ code: 'conflict' })
  const [first, second_, third] = approvals
  if (first === undefined || second_ === undefined || third === undefined)
    throw new Error('three approvals were not requested')
  await approve(nodes[0], first)
  await ask()
  const outcomes = await outcomesOf<object>([
    reject(nodes[0], second_),
    ask(),
    approve(nodes[0], third),
    ask(),
    ask(),
  ])
  expect([outcomes.done.length, outcomes.refused.length]).toEqual([4, 1])
  expect(await countPendingApprovals(database, clock.now())).toBe(50)
})

test('an expired approval no longer counts, whether or not the job wrote it down', async () => {
  await askMany(50)
  clock.advance(DAY_MS - 1)
  expect(await refusalOf(ask())).toMatchObject({ code: 'conflict' })
  clock.advance(1)
  expect((await askMany(51)).refused).toHaveLength(1)
})

test('with the maximum waiting, payments below the threshold pass, and so do requests for another agent', async () => {
  await askMany(50)
  expect(await nodes[0].pay(order(payer, payee, 1_000n))).toMatchObject({ status: 'completed' })
  expect(
    await nodes[0].ledger.submit(
      evaluateCommand(nodes[0].agents, { payerId: payer, payeeId: payee, amountPaise: paise(20_000n) }),
    ),
  ).toMatchObject({ decision: 'denied', code: 'conflict' })
  const other = await insertFundedAgent(nodes[0].ledger, database, clock, 100_000n, {
    require_human_approval_above_paise: 1_000n,
  })
  expect(await nodes[0].pay(order(other, payee, 20_000n))).toMatchObject({ status: 'pending_approval' })
})

test('a payment that needs no approval does not count the waiting approvals', async () => {
  await nodes[0].pay(order(payer, payee, 1_000n))
  sent.clear()
  await nodes[0].pay(order(payer, payee, 1_000n))
  expect([...sent.keys()].filter(text => text.includes('approvals'))).toEqual([])
  await ask()
  expect(
    [...sent.keys()].filter(text => text.includes('count(*)') && text.includes('approvals')),
  ).toHaveLength(1)
})
