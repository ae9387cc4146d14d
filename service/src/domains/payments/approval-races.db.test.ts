import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { approvalOf, approve, reject, writtenOf } from '../../testing/approving.ts'
import {
  balanceOf,
  type ControlColumns,
  expectBalanced,
  insertAgent,
  insertFundedAgent,
  order,
  outcomesOf,
  paidBy,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { PROOF_LENGTH } from '../../testing/knobs.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { approvalExpiry } from './approvals/expire.ts'
import { countPendingApprovals } from './approvals/store.ts'

const NOON = new Date('2026-11-20T06:30:00.000Z')
const ROUNDS = 15 * PROOF_LENGTH
const ASKS = { require_human_approval_above_paise: 1_000n }
// The second node's clock is ahead where one of the nodes must see an approval as expired.
const [clock, ahead] = [manualClock(NOON), manualClock(NOON)]
let second: Database
let nodes: readonly [TestNode, TestNode]
let payee: Uuid

test.beforeAll(async () => {
  second = openDatabase(db.url)
  nodes = [startNode({ database, clock }), startNode({ database: second, clock: ahead })]
  payee = await insertAgent(database, NOON)
})

afterAll(async () => {
  await expectBalanced(database)
  expect(nodes.flatMap(({ broken }) => broken)).toEqual([])
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
})

const newPayer = (controls: ControlColumns = {}) =>
  insertFundedAgent(nodes[0].ledger, database, clock, 100_000_000n, { ...ASKS, ...controls })

const nodeAt = (at: number) => nodes[at % 2] ?? nodes[0]

test('of 50 concurrent calls that approve, reject and expire on two nodes exactly one wins', async () => {
  const won = new Map<string, number>()
  // Over many rounds each of the three wins; a race that one of them never wins would prove little.
  for (let round = 0; round < ROUNDS || (won.size < 3 && round < 20 * ROUNDS); round++) {
    const moment = new Date(NOON.getTime() + round * 10 * DAY_MS)
    for (const each of [clock, ahead]) each.set(moment)
    const payer = await newPayer()
    const approval = await approvalOf(database, await nodes[0].pay(order(payer, payee, 20_000n)))
    clock.set(new Date(approval.expiresAt.getTime() - 1))
    // In two rounds of three no approval is due; in the third most calls expire it.
    const isOver = round % 3 === 0
    ahead.set(isOver ? approval.expiresAt : clock.now())
    const { done } = await outcomesOf(
      Array.from({ length: 50 }, async (_, at) => {
        if ((at % 5 === 4) !== isOver) return approvalExpiry(nodes[1]).run(ahead.now())
        // As the routes do, so that no call has a head start.
        const read = await writtenOf(database, approval)
        return (at + round) % 2 === 0 ? approve(nodeAt(at), read) : reject(nodeAt(at), read)
      }),
    )
    const winners = done.filter(each => typeof each === 'object')
    const written = await writtenOf(database, approval)
    const paid = await paidBy(database, payer)
    expect([written.status, winners.length, paid]).toEqual(
      written.status === 'approved'
        ? ['approved', 1, 20_000n]
        : written.status === 'rejected'
          ? ['rejected', 1, 0n]
          : ['expired', 0, 0n],
    )
    expect(written.madeId === null).toBe(written.status !== 'approved')
    won.set(written.status, (won.get(written.status) ?? 0) + 1)
  }
  expect([...won.keys()].toSorted()).toEqual(['approved', 'expired', 'rejected'])
})

describe('concurrently on two nodes', () => {
  beforeAll(() => {
    const last = Math.max(clock.now().getTime(), ahead.now().getTime())
    for (const each of [clock, ahead]) each.set(new Date(last + 10 * DAY_MS))
  })

  test('64 payments with one key take effect once, whether they need approval or not', async () => {
    for (const amounts of [[20_000n], [20_000n, 100n]]) {
      const payer = await newPayer()
      const { done, refused } = await outcomesOf(
        Array.from({ length: 64 }, async (_, at) => {
          const amount = amounts[Math.floor(at / 2) % amounts.length] ?? 0n
          return nodeAt(at).pay(order(payer, payee, amount, { idempotencyKey: 'one' }))
        }),
      )
      expect(done).toHaveLength(1)
      const [{ payment_id, status, approval_id } = { payment_id: '', status: '' }] = done
      const waits = approval_id === undefined ? {} : { approval_id }
      const same_request = amounts.length === 1 ? true : expect.any(Boolean)
      for (const { code, details } of refused) {
        expect({ code, details }).toEqual({
          code: 'idempotency_error',
          details: { payment_id, status, ...waits, same_request },
        })
      }
      expect(await approvalsOf(payer)).toBe(approval_id === undefined ? 0 : 1)
    }
  })

  test('64 payments with one unique reference take effect once', async () => {
    const payer = await newPayer()
    const once = { reference: 'nonce', uniqueReference: true }
    const { done } = await outcomesOf(
      Array.from({ length: 64 }, async (_, at) =>
        nodeAt(at).pay(order(payer, payee, at % 3 === 0 ? 20_000n : 100n, once)),
      ),
    )
    expect(done).toHaveLength(1)
  })

  test('approvals use up a limit to the paisa and no further', async () => {
    const payer = await newPayer({ spend_limit_daily_paise: 200_000n })
    const waiting = await Promise.all(
      Array.from({ length: 40 }, (_, at) => nodeAt(at).pay(order(payer, payee, 20_000n))),
    )
    const approvals = await Promise.all(waiting.map(each => approvalOf(database, each)))
    const { done, refused } = await outcomesOf(
      approvals.map(async (approval, at) => approve(nodeAt(at), approval)),
    )
    expect([done.length, await paidBy(database, payer)]).toEqual([10, 200_000n])
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['spend_limit_exceeded']))
    expect(await balanceOf(database, payer)).toBe(100_000_000n - 10n * 20_100n)
  })

  test('an approval and new payments with its key result in one payment with it', async () => {
    for (let round = 0; round < 10; round++) {
      const payer = await newPayer()
      const waiting = await nodes[0].pay(order(payer, payee, 20_000n, { idempotencyKey: 'one' }))
      const approval = await approvalOf(database, waiting)
      await outcomesOf<unknown>([
        ...Array.from({ length: 10 }, async (_, at) =>
          nodeAt(at).pay(order(payer, payee, 500n, { idempotencyKey: 'one' })),
        ),
        round % 2 === 0 ? approve(nodes[1], approval) : reject(nodes[1], approval),
      ])
      const [{ count } = { count: -1 }] = await database.query<{ count: number }>(
        `select count(*)::int4 as count from transfers where debit_account = $1 and idempotency_key = 'one'`,
        [payer],
      )
      // Next to a rejection a new payment may come too early or in time.
      expect(round % 2 === 0 ? [1] : [0, 1]).toContain(count)
    }
  })

  test('the expiry jobs of two nodes expire all that is due, each once and at its own time', async () => {
    const payers = await Promise.all(Array.from({ length: 5 }, () => newPayer()))
    const before = await countPendingApprovals(database, clock.now())
    const each50 = payers.flatMap(payer => Array.from({ length: 50 }, () => order(payer, payee, 2_000n)))
    await Promise.all(each50.map(nodes[0].pay))
    expect(await countPendingApprovals(database, clock.now())).toBe(before + 250)
    for (const each of [clock, ahead]) each.advance(DAY_MS)
    await Promise.all(
      nodes.map(async node => {
        const job = approvalExpiry(node)
        while ((await job.run(clock.now())) > 0);
      }),
    )
    const rows = await database.query(
      `select status, decided_at = expires_at as "onTime", count(*)::int4 as count from approvals
       where agent_id = any($1::uuid[]) group by 1, 2`,
      [payers],
    )
    expect(rows).toEqual([{ status: 'expired', onTime: true, count: 250 }])
    expect(await countPendingApprovals(database, clock.now())).toBe(0)
  })
})

async function approvalsOf(payer: Uuid): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::int4 as count from approvals where agent_id = $1',
    [payer],
  )
  return row?.count ?? -1
}
