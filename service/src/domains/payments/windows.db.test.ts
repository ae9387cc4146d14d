import type { PaymentResult } from '@batua/contract'
import { afterAll, describe, expect } from 'vitest'
import type { AppError } from '../../kernel/app-error.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import {
  type ControlColumns,
  changeAgent,
  expectBalanced,
  fund,
  insertAgent,
  order,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { type ManualClock, manualClock } from '../../testing/manual-clock.ts'

const MINUTE_MS = 60_000
const NOON = new Date('2026-11-20T06:30:00.000Z')
const MIDNIGHT = new Date('2026-11-20T18:30:00.000Z')

let clock: ManualClock
let node: TestNode
/** A second node, whose clock the tests set apart from the first one's. */
let otherClock: ManualClock
let other: TestNode

test.beforeAll(async () => {
  clock = manualClock(NOON)
  otherClock = manualClock(NOON)
  node = startNode({ database, clock })
  other = startNode({ database, clock: otherClock })
})

afterAll(async () => {
  await expectBalanced(database)
  await Promise.all([node.ledger.close(), other.ledger.close()])
})

async function payerAt(moment: Date, controls: ControlColumns): Promise<{ payer: Uuid; payee: Uuid }> {
  clock.set(moment)
  const payer = await insertAgent(database, moment, controls)
  const payee = await insertAgent(database, moment)
  await fund(node.ledger, payer, 1_000_000_000n)
  return { payer, payee }
}

/** The amount that can be paid now, found by trying one paisa too much, then all of it. */
async function spendAllThatIsLeft(
  payer: Uuid,
  payee: Uuid,
  left: bigint,
  by: TestNode = node,
): Promise<void> {
  const refusal = await refusalOf(by.pay(order(payer, payee, left + 1n)))
  expect(refusal.code).toBe('spend_limit_exceeded')
  expect(refusal.details).toMatchObject({ remaining: Number(left) / 100 })
  if (left > 0n) await by.pay(order(payer, payee, left))
}

describe('a rolling hour', () => {
  test('counts a payment until one hour later, to the millisecond', async () => {
    const { payer, payee } = await payerAt(NOON, { spend_limit_hourly_paise: 100_000n })
    clock.advance(1)
    await node.pay(order(payer, payee, 60_000n))
    clock.advance(30 * MINUTE_MS)
    await node.pay(order(payer, payee, 40_000n))
    clock.advance(30 * MINUTE_MS - 1)
    await spendAllThatIsLeft(payer, payee, 0n)
    clock.advance(1)
    await spendAllThatIsLeft(payer, payee, 60_000n)
    clock.advance(30 * MINUTE_MS)
    await spendAllThatIsLeft(payer, payee, 40_000n)
  })

  test('excludes after an hour a payment made in the millisecond in which the wallet was created', async () => {
    const { payer, payee } = await payerAt(NOON, { spend_limit_hourly_paise: 100_000n })
    await node.pay(order(payer, payee, 60_000n))
    clock.advance(30 * MINUTE_MS)
    await node.pay(order(payer, payee, 40_000n))
    clock.advance(30 * MINUTE_MS)
    await spendAllThatIsLeft(payer, payee, 60_000n)
  })

  test('is exact from the first payment on after a limit was set in a busy hour', async () => {
    const { payer, payee } = await payerAt(NOON, {})
    for (let minute = 0; minute < 200; minute++) {
      await node.pay(order(payer, payee, 1_000n))
      clock.advance(MINUTE_MS)
    }
    await node.pay(order(payer, payee, 500n))
    await changeAgent(database, payer, { spend_limit_hourly_paise: 100_000n })
    // This one and 59 of those before are younger than an hour; the 60th is exactly one hour old.
    await spendAllThatIsLeft(payer, payee, 40_500n)
    clock.advance(MINUTE_MS)
    await spendAllThatIsLeft(payer, payee, 1_000n)
  })

  test('is one for all commands of a batch, however many exceed it', async () => {
    const { payer, payee } = await payerAt(NOON, { spend_limit_hourly_paise: 100_000n })
    await node.pay(order(payer, payee, 70_000n))
    clock.advance(HOUR_MS - MINUTE_MS)
    await node.pay(order(payer, payee, 20_000n))
    clock.advance(MINUTE_MS)
    const works = Array.from({ length: 20 }, () => node.pay(order(payer, payee, 10_000n)))
    const outcomes = await Promise.allSettled(works)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
  })
})

test('a day and a month end at midnight in India', async () => {
  const lastDay = new Date('2026-11-30T18:29:59.999Z')
  const { payer, payee } = await payerAt(lastDay, {
    spend_limit_daily_paise: 10_000n,
    spend_limit_monthly_paise: 25_000n,
  })
  await spendAllThatIsLeft(payer, payee, 10_000n)
  clock.advance(1)
  await spendAllThatIsLeft(payer, payee, 10_000n)
  clock.advance(DAY_MS)
  await spendAllThatIsLeft(payer, payee, 10_000n)
  clock.advance(DAY_MS)
  await spendAllThatIsLeft(payer, payee, 5_000n)
})

test('29 February belongs to February', async () => {
  const { payer, payee } = await payerAt(new Date('2028-02-28T18:30:00.000Z'), {
    spend_limit_monthly_paise: 10_000n,
  })
  await node.pay(order(payer, payee, 10_000n))
  clock.set(new Date('2028-02-29T18:29:59.999Z'))
  await spendAllThatIsLeft(payer, payee, 0n)
  clock.advance(1)
  await spendAllThatIsLeft(payer, payee, 10_000n)
})

describe('nodes whose clocks differ', () => {
  test('do not count a day twice, although one has passed midnight and refused', async () => {
    const before = new Date(MIDNIGHT.getTime() - 20)
    const { payer, payee } = await payerAt(before, { spend_limit_daily_paise: 10_000n })
    await node.pay(order(payer, payee, 10_000n))
    // The refusal begins to count recipients, so the other node writes the account that it has moved past midnight.
    await changeAgent(database, payer, { max_counterparties_per_hour: 5, spend_limit_per_tx_paise: 0n })
    otherClock.set(new Date(MIDNIGHT.getTime() + 20))
    await refusalOf(other.pay(order(payer, payee, 10_000n)))
    await changeAgent(database, payer, { spend_limit_per_tx_paise: null })
    // Whichever day the second payment counts for, no day may end above its limit.
    await node.pay(order(payer, payee, 10_000n)).catch(() => undefined)
    expect(await paidOn(payer, before)).toBeLessThanOrEqual(10_000n)
  })

  test('do not exceed the limit of an hour, although one has counted further and refused', async () => {
    const { payer, payee } = await payerAt(NOON, { spend_limit_hourly_paise: 10_000n })
    clock.advance(1)
    await node.pay(order(payer, payee, 6_000n))
    const firstMs = clock.now().getTime()
    clock.advance(30 * MINUTE_MS)
    await node.pay(order(payer, payee, 4_000n))
    clock.set(new Date(firstMs + HOUR_MS - 20))
    otherClock.set(new Date(firstMs + HOUR_MS + 20))
    await refusalOf(other.pay(order(payer, payee, 7_000n)))
    await node.pay(order(payer, payee, 6_000n)).catch(() => undefined)
    expect(await mostInAnHour(payer)).toBeLessThanOrEqual(10_000n)
  })
})

async function paidOn(payer: Uuid, moment: Date): Promise<bigint> {
  const rows = await database.query<{ paid: bigint }>(
    `select coalesce(sum(amount_paise), 0)::int8 as paid from transfers where debit_account = $1
       and (posted_at at time zone 'Asia/Kolkata')::date = ($2::timestamptz at time zone 'Asia/Kolkata')::date`,
    [payer, moment],
  )
  return rows[0]?.paid ?? -1n
}

async function mostInAnHour(payer: Uuid): Promise<bigint> {
  const rows = await database.query<{ paid: bigint }>(
    `select coalesce(max(paid), 0)::int8 as paid from (
       select sum(amount_paise) over (order by posted_at range between interval '3599.999 seconds' preceding
         and current row) as paid
       from transfers where debit_account = $1) sums`,
    [payer],
  )
  return rows[0]?.paid ?? -1n
}

describe('retry_at', () => {
  const retryAt = ({ details }: AppError) => new Date(String(details?.['retry_at']))
  const payAt = (moment: Date, payer: Uuid, payee: Uuid, amount: bigint): Promise<PaymentResult> => {
    clock.set(moment)
    return node.pay(order(payer, payee, amount))
  }

  test.each<[string, ControlColumns]>([
    ['an hour', { spend_limit_hourly_paise: 10_000n }],
    ['a day', { spend_limit_daily_paise: 10_000n }],
    ['a month', { spend_limit_monthly_paise: 10_000n }],
    ['a counterparty’s day', { per_counterparty_daily_limit_paise: 10_000n }],
    [
      'a month that ends after the day',
      { spend_limit_daily_paise: 10_000n, spend_limit_monthly_paise: 10_000n },
    ],
  ])('of %s is the first moment at which the same payment passes', async (_what, controls) => {
    const { payer, payee } = await payerAt(NOON, controls)
    clock.advance(1)
    await node.pay(order(payer, payee, 6_000n))
    clock.advance(10 * MINUTE_MS)
    // Incoming money does not postpone it.
    await fund(node.ledger, payer, 100n)
    const refusal = await refusalOf(node.pay(order(payer, payee, 5_000n)))
    const before = await refusalOf(payAt(new Date(retryAt(refusal).getTime() - 1), payer, payee, 5_000n))
    expect(retryAt(before)).toEqual(retryAt(refusal))
    await payAt(retryAt(refusal), payer, payee, 5_000n)
  })

  test('of too many recipients is when a new one may be paid', async () => {
    const { payer, payee } = await payerAt(NOON, { max_counterparties_per_hour: 1 })
    const second = await insertAgent(database, NOON)
    await node.pay(order(payer, payee, 100n))
    const refusal = await refusalOf(node.pay(order(payer, second, 100n)))
    expect(refusal.details).toMatchObject({ rule: 'max_counterparties_per_hour', used: 1, remaining: 0 })
    await refusalOf(payAt(new Date(retryAt(refusal).getTime() - 1), payer, second, 100n))
    await payAt(retryAt(refusal), payer, second, 100n)
  })
})

describe('counting by counterparty', () => {
  test('begins with what was paid before the control was set', async () => {
    const { payer, payee } = await payerAt(NOON, {})
    await node.pay(order(payer, payee, 6_000n))
    await changeAgent(database, payer, { per_counterparty_daily_limit_paise: 10_000n })
    await spendAllThatIsLeft(payer, payee, 4_000n)
    clock.set(MIDNIGHT)
    await spendAllThatIsLeft(payer, payee, 10_000n)
  })

  test('begins with the recipients of the last hour, also those before midnight', async () => {
    const { payer, payee } = await payerAt(new Date(MIDNIGHT.getTime() - 10 * MINUTE_MS), {})
    await node.pay(order(payer, payee, 100n))
    clock.advance(20 * MINUTE_MS)
    await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
    const second = await insertAgent(database, clock.now())
    const refusal = await refusalOf(node.pay(order(payer, second, 100n)))
    expect(refusal.details).toMatchObject({ rule: 'max_counterparties_per_hour', used: 1 })
    await node.pay(order(payer, payee, 100n))
  })

  test('misses nothing that was paid while the control was off', async () => {
    const { payer, payee } = await payerAt(NOON, { per_counterparty_daily_limit_paise: 10_000n })
    await node.pay(order(payer, payee, 2_000n))
    await changeAgent(database, payer, { per_counterparty_daily_limit_paise: null })
    clock.advance(MINUTE_MS)
    await node.pay(order(payer, payee, 5_000n))
    await changeAgent(database, payer, { per_counterparty_daily_limit_paise: 10_000n })
    await spendAllThatIsLeft(payer, payee, 3_000n)
  })

  test('counts a recipient again that was paid exactly one hour ago', async () => {
    const { payer, payee } = await payerAt(NOON, { max_counterparties_per_hour: 1 })
    const second = await insertAgent(database, NOON)
    await node.pay(order(payer, payee, 100n))
    clock.advance(HOUR_MS)
    const works = [payee, second].map(each => node.pay(order(payer, each, 100n)))
    const outcomes = await Promise.allSettled(works)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  test('counts different recipients of one batch, and each for one hour', async () => {
    const { payer } = await payerAt(NOON, { max_counterparties_per_hour: 3 })
    const payees = await Promise.all(Array.from({ length: 9 }, () => insertAgent(database, NOON)))
    const outcomes = await Promise.allSettled(
      [...payees, ...payees].map(payee => node.pay(order(payer, payee, 100n))),
    )
    const paid = outcomes.flatMap((outcome, at) => (outcome.status === 'fulfilled' ? [payees[at % 9]] : []))
    expect([paid.length, new Set(paid).size]).toEqual([6, 3])
    clock.advance(HOUR_MS - 1)
    const late = await refusalOf(
      node.pay(order(payer, payees.find(each => !paid.includes(each)) ?? null, 100n)),
    )
    expect(late.details).toMatchObject({ used: 3, limit: 3 })
  })
})
