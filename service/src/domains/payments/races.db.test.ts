import { afterAll, describe, expect } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import {
  balanceOf,
  type ControlColumns,
  expectBalanced,
  insertAgent,
  insertFundedAgent,
  order,
  outcomesOf,
  paidBy,
  refundOrder,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { manualClock } from '../../testing/manual-clock.ts'

// Noon in India: no window ends during the race.
const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let second: Database
let nodes: readonly [TestNode, TestNode]

test.beforeAll(async () => {
  second = openDatabase(db.url)
  nodes = [startNode({ database, clock }), startNode({ database: second, clock })]
})

afterAll(async () => {
  await expectBalanced(database)
  // All lock in one order, so no command was ever retried.
  expect(nodes.flatMap(({ broken }) => broken)).toEqual([])
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
})

const newPayee = () => insertAgent(database, clock.now())
const newPayer = (funds: bigint, controls: ControlColumns = {}) =>
  insertFundedAgent(nodes[0].ledger, database, clock, funds, controls)

/** Runs this many calls concurrently, alternating between the nodes. */
function race<Result>(count: number, work: (node: TestNode, at: number) => Promise<Result>) {
  return outcomesOf(Array.from({ length: count }, async (_, at) => work(nodes[at % 2] ?? nodes[0], at)))
}

describe('200 concurrent payments on two nodes', () => {
  test.each<[string, ControlColumns]>([
    ['spend_limit_hourly', { spend_limit_hourly_paise: 100_000n }],
    ['spend_limit_daily', { spend_limit_daily_paise: 100_000n }],
    ['spend_limit_monthly', { spend_limit_monthly_paise: 100_000n }],
    ['per_counterparty_daily_limit', { per_counterparty_daily_limit_paise: 100_000n }],
  ])('use up %s to the paisa and no further', async (rule, controls) => {
    const [payer, payee] = [await newPayer(100_000_000n, controls), await newPayee()]
    const { done, refused } = await race(200, node => node.pay(order(payer, payee, 1_000n)))
    expect(done).toHaveLength(100)
    expect(await paidBy(database, payer)).toBe(100_000n)
    for (const { code, details } of refused) {
      expect({ code, rule: details?.['rule'], used: details?.['used'] }).toEqual({
        code: 'spend_limit_exceeded',
        rule,
        used: 1_000,
      })
    }
  })

  test('of odd amounts exceed no limit, and leave less than any that was refused', async () => {
    const limit = 100_000n
    const [payer, payee] = [
      await newPayer(100_000_000n, { spend_limit_hourly_paise: limit }),
      await newPayee(),
    ]
    const amounts = Array.from({ length: 200 }, (_, at) => 301n + BigInt((at * 7_919) % 2_003))
    const refusedAmounts: bigint[] = []
    await race(200, async (node, at) => {
      const amount = amounts[at] ?? 1n
      try {
        return await node.pay(order(payer, payee, amount))
      } catch (error) {
        refusedAmounts.push(amount)
        throw error
      }
    })
    const left = limit - (await paidBy(database, payer))
    expect(left).toBeGreaterThanOrEqual(0n)
    for (const amount of refusedAmounts) expect(amount).toBeGreaterThan(left)
  })

  test('reach as many recipients as are allowed, and those as often as they like', async () => {
    const payer = await newPayer(100_000_000n, { max_counterparties_per_hour: 7 })
    const payees = await Promise.all(Array.from({ length: 40 }, newPayee))
    const paid: Uuid[] = []
    const { done } = await race(200, async (node, at) => {
      const payee = payees[at % 40] ?? ''
      const result = await node.pay(order(payer, payee, 100n))
      paid.push(payee)
      return result
    })
    expect([done.length, new Set(paid).size]).toEqual([35, 7])
  })

  test('spend a balance to the paisa and no further', async () => {
    const [payer, payee] = [await newPayer(100n * 1_100n), await newPayee()]
    const { done, refused } = await race(200, node => node.pay(order(payer, payee, 1_000n)))
    expect(done).toHaveLength(100)
    expect([await balanceOf(database, payer), await balanceOf(database, payee)]).toEqual([0n, 100_000n])
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['insufficient_balance']))
  })

  test('around a ring of wallets lose no money and cause no deadlock', async () => {
    const ring = await Promise.all(Array.from({ length: 4 }, () => newPayer(100_000n)))
    const { done, refused } = await race(200, (node, at) => {
      const [from, to] = [ring[at % 4] ?? '', ring[(at + 1 + (at % 3)) % 4] ?? '']
      return node.pay(order(from, to, BigInt(1_000 + at)))
    })
    expect(done.length + refused.length).toBe(200)
    for (const { code } of refused) expect(code).toBe('insufficient_balance')
    const fees = BigInt(done.length) * 100n
    const balances = await Promise.all(ring.map(id => balanceOf(database, id)))
    expect(balances.reduce((sum, each) => sum + each, 0n)).toBe(400_000n - fees)
  })
})

describe('64 concurrent calls on two nodes', () => {
  test('with one idempotency key pay once, and all others get the id of that payment', async () => {
    const [payer, payee] = [await newPayer(100_000_000n), await newPayee()]
    const { done, refused } = await race(64, node =>
      node.pay(order(payer, payee, 1_000n, { idempotencyKey: 'one' })),
    )
    expect(done).toHaveLength(1)
    expect(refused).toHaveLength(63)
    for (const { code, details } of refused) {
      expect({ code, details }).toEqual({
        code: 'idempotency_error',
        details: { payment_id: done[0]?.payment_id, status: 'completed', same_request: true },
      })
    }
    expect(await paidBy(database, payer)).toBe(1_000n)
  })

  test('with one unique reference pay once, and all others get the id of that payment', async () => {
    const [payer, payee, stranger] = [await newPayer(100_000_000n), await newPayee(), await newPayee()]
    const once = { reference: 'nonce', uniqueReference: true }
    await nodes[0].pay(order(payer, stranger, 1_000n, once))
    const { done, refused } = await race(64, node => node.pay(order(payer, payee, 1_000n, once)))
    expect(done).toHaveLength(1)
    for (const { code, details } of refused) {
      expect({ code, details }).toEqual({ code: 'conflict', details: { payment_id: done[0]?.payment_id } })
    }
    expect(await paidBy(database, payer)).toBe(2_000n)
  })

  test('with a key of a refused payment may use it again, and once only', async () => {
    const [payer, payee] = [await newPayer(1_100n), await newPayee()]
    await outcomesOf([nodes[0].pay(order(payer, payee, 1_001n, { idempotencyKey: 'again' }))])
    const { done } = await race(64, node =>
      node.pay(order(payer, payee, 1_000n, { idempotencyKey: 'again' })),
    )
    expect(done).toHaveLength(1)
  })

  test('refund a payment in parts to the paisa and no further', async () => {
    const [payer, payee] = [await newPayer(100_000n), await newPayer(100_000n)]
    const { payment_id } = await nodes[0].pay(order(payer, payee, 10_000n))
    const refund = await refundOrder(database, payment_id, 1_000n)
    const { done, refused } = await race(64, node => node.refund(refund))
    expect(done).toHaveLength(10)
    expect(Math.max(...done.map(each => each.refunded_total))).toBe(100)
    for (const { code, details } of refused) {
      expect({ code, details }).toEqual({
        code: 'conflict',
        details: { amount: 100, refunded_total: 100, remaining: 0 },
      })
    }
    expect(await balanceOf(database, payee)).toBe(100_000n)
  })

  test('refund the whole rest once, next to others that refund a part', async () => {
    const [payer, payee] = [await newPayer(100_000n), await newPayer(100_000n)]
    const { payment_id } = await nodes[0].pay(order(payer, payee, 10_000n))
    const all = await refundOrder(database, payment_id, null)
    const part = await refundOrder(database, payment_id, 300n)
    const { done } = await race(64, (node, at) => node.refund(at % 8 === 5 ? all : part))
    expect(done.reduce((sum, each) => sum + each.amount, 0)).toBeCloseTo(100, 9)
    expect(await balanceOf(database, payee)).toBe(100_000n)
  })

  test('refund with one idempotency key once', async () => {
    const [payer, payee] = [await newPayer(100_000n), await newPayer(100_000n)]
    const { payment_id } = await nodes[0].pay(order(payer, payee, 10_000n))
    const refund = await refundOrder(database, payment_id, 100n, 'refund')
    const { done, refused } = await race(64, node => node.refund(refund))
    expect(done).toHaveLength(1)
    for (const { details } of refused) {
      expect(details).toEqual({ refund_id: done[0]?.refund_id, status: 'completed', same_request: true })
    }
  })
})
