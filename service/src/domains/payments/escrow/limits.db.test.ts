import { afterAll, beforeEach, describe, expect } from 'vitest'
import type { Uuid } from '../../../kernel/ids.ts'
import {
  changeAgent,
  expectBalanced,
  insertAgent,
  insertFundedAgent,
  order,
  outcomesOf,
  startNode,
  type TestNode,
} from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import {
  attestOn,
  held,
  holdOn,
  intent,
  refundOn,
  releaseOn,
  writtenEscrow,
} from '../../../testing/escrows.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { manualClock } from '../../../testing/manual-clock.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
/** One committer: commands that are submitted together form one batch. */
let node: TestNode
let payer: Uuid
let first: Uuid
let second: Uuid

test.beforeAll(async () => {
  node = startNode({ database, clock, committers: 1 })
})

beforeEach(async () => {
  payer = await insertFundedAgent(node.ledger, database, clock, 1_000_000n)
  first = await insertAgent(database, clock.now())
  second = await insertAgent(database, clock.now())
})

afterAll(async () => {
  await expectBalanced(database)
  expect(node.broken).toEqual([])
  await node.ledger.close()
})

const pay = (payee: Uuid, amount: bigint) => node.pay(order(payer, payee, amount))
const heldFor = (toAgentId: Uuid | null, amount: bigint) =>
  held(database, node, intent(payer, amount, { toAgentId }))
const limitPerPayee = (paise: bigint) =>
  changeAgent(database, payer, { per_counterparty_daily_limit_paise: paise })

test('a hold that is refunded in a batch with a payment to the same agent reverses only itself in the day', async () => {
  await limitPerPayee(1_000n)
  const escrow = await heldFor(first, 600n)
  // What is refunded was counted.
  expect(await refusalOf(pay(first, 500n))).toMatchObject({ details: { used: 6, remaining: 4 } })
  await limitPerPayee(100_000n)
  await Promise.all([pay(first, 300n), refundOn(node, escrow)])
  await limitPerPayee(500n)
  expect(await refusalOf(pay(first, 201n))).toMatchObject({
    details: { rule: 'per_counterparty_daily_limit', used: 3, remaining: 2 },
  })
  await pay(first, 200n)
})

test('however many holds are refunded at once, an agent stays a recipient while one of them is open', async () => {
  await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
  const escrows = []
  for (let each = 0; each < 30; each++) {
    escrows.push(await heldFor(first, 100n))
    clock.advance(1)
  }
  expect(await refusalOf(pay(second, 100n))).toMatchObject({ details: { used: 1 } })
  const [oldest, ...others] = escrows
  await Promise.all(others.toReversed().map(escrow => refundOn(node, escrow)))
  expect(await refusalOf(pay(second, 100n))).toMatchObject({ details: { used: 1 } })
  if (oldest !== undefined) await refundOn(node, oldest)
  await pay(first, 100n)
})

test('a refund makes room for another recipient', async () => {
  await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
  const escrow = await heldFor(first, 100n)
  expect(await refusalOf(pay(second, 100n))).toMatchObject({ code: 'spend_limit_exceeded' })
  await refundOn(node, escrow)
  await pay(second, 100n)
})

describe('a hold without a recipient', () => {
  test('checks no limit on payees, and its release to an agent does', async () => {
    await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
    await limitPerPayee(1_000n)
    const escrows = [await heldFor(null, 700n), await heldFor(null, 600n)] as const
    await pay(first, 300n)
    await releaseOn(node, escrows[0], first)
    expect(await refusalOf(releaseOn(node, escrows[1], first))).toMatchObject({
      ...{ code: 'spend_limit_exceeded', status: 403, field: 'to_agent_id' },
      details: {
        ...{ rule: 'per_counterparty_daily_limit', layer: 'agent' },
        ...{ limit: 10, used: 10, remaining: 0, max_amount_now: 0 },
        retry_at: '2026-11-20T18:30:00.000Z',
      },
    })
    expect(await refusalOf(releaseOn(node, escrows[1], second))).toMatchObject({
      ...{ code: 'spend_limit_exceeded', field: 'to_agent_id' },
      details: { rule: 'max_counterparties_per_hour', limit: 1, used: 1, remaining: 0 },
    })
    expect(await writtenEscrow(database, escrows[1].id)).toMatchObject({ status: 'held' })
    await refundOn(node, escrows[1])
  })

  test('counts for its payee from the release on, also where the limit is set only then', async () => {
    const escrow = await heldFor(null, 600n)
    await releaseOn(node, escrow, first)
    await limitPerPayee(1_000n)
    expect(await refusalOf(pay(first, 401n))).toMatchObject({ details: { used: 6, remaining: 4 } })
    await pay(first, 400n)
    await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
    expect(await refusalOf(pay(second, 1n))).toMatchObject({ details: { used: 1 } })
  })

  test('counts on the day and in the hour of its release, however old the hold is', async () => {
    const start = clock.now()
    await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
    await limitPerPayee(1_000n)
    const escrows = [await heldFor(null, 600n), await heldFor(null, 600n)] as const
    clock.advance(20 * 3_600_000)
    await releaseOn(node, escrows[0], first)
    clock.advance(59 * 60_000)
    expect(await refusalOf(pay(first, 401n))).toMatchObject({ details: { used: 6, remaining: 4 } })
    expect(await refusalOf(releaseOn(node, escrows[1], first))).toMatchObject({ details: { used: 6 } })
    expect(await refusalOf(pay(second, 1n))).toMatchObject({
      details: { used: 1, retry_at: new Date(start.getTime() + 21 * 3_600_000).toISOString() },
    })
    clock.advance(60_000)
    await pay(second, 1n)
    clock.advance(24 * 3_600_000)
    await pay(first, 1_000n)
  })

  test('counts its amount once, at the hold', async () => {
    await changeAgent(database, payer, {
      spend_limit_daily_paise: 1_000n,
      spend_limit_hourly_paise: 1_000n,
    })
    const escrow = await heldFor(null, 600n)
    await releaseOn(node, escrow, first)
    expect(await refusalOf(pay(first, 401n))).toMatchObject({ details: { used: 6, remaining: 4 } })
    await pay(first, 400n)
  })

  test('of two concurrent releases that each fit a limit alone, one is refused', async () => {
    await limitPerPayee(1_000n)
    const escrows = [await heldFor(null, 600n), await heldFor(null, 600n)]
    clock.advance(24 * 3_600_000)
    const { done, refused } = await outcomesOf(escrows.map(escrow => releaseOn(node, escrow, first)))
    expect([done.length, refused.length]).toEqual([1, 1])
    expect(refused[0]).toMatchObject({ code: 'spend_limit_exceeded', details: { used: 6, remaining: 4 } })
    expect(await refusalOf(pay(first, 401n))).toMatchObject({ details: { used: 6, remaining: 4 } })
  })

  test('of a release and a concurrent payment that each fit a limit alone, one is refused', async () => {
    await limitPerPayee(1_000n)
    await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
    const escrow = await heldFor(null, 600n)
    clock.advance(24 * 3_600_000)
    const both = [pay(first, 600n), releaseOn(node, escrow, first)] as const
    const { done, refused } = await outcomesOf<object>([...both])
    expect([done.length, refused.length]).toEqual([1, 1])
    expect(await refusalOf(pay(first, 401n))).toMatchObject({ details: { used: 6, remaining: 4 } })
    expect(await refusalOf(pay(second, 1n))).toMatchObject({ details: { used: 1 } })
  })

  test('still counts when another hold for the same agent is refunded', async () => {
    await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
    await limitPerPayee(1_000n)
    const open = await heldFor(null, 300n)
    await releaseOn(node, open, first)
    clock.advance(1)
    const named = await heldFor(first, 200n)
    expect(await refusalOf(pay(second, 1n))).toMatchObject({ details: { used: 1 } })
    await refundOn(node, named)
    expect(await refusalOf(pay(second, 1n))).toMatchObject({ details: { used: 1 } })
    expect(await refusalOf(pay(first, 701n))).toMatchObject({ details: { used: 3, remaining: 7 } })
  })

  test('with an attestor counts for the attestor, and for another agent that it is released to', async () => {
    await limitPerPayee(1_000n)
    const hold = (amount: bigint) => held(database, node, intent(payer, amount, { attestorId: first }))
    const attested = await hold(500n)
    const given = await hold(500n)
    await attestOn(node, attested)
    await pay(second, 600n)
    expect(await refusalOf(releaseOn(node, given, second))).toMatchObject({
      details: { rule: 'per_counterparty_daily_limit', used: 6, remaining: 4 },
    })
    await limitPerPayee(1_100n)
    await releaseOn(node, given, second)
    expect(await refusalOf(pay(second, 1n))).toMatchObject({ details: { used: 11 } })
  })
})

test('after the release of a hold its agent stays a recipient when another hold is refunded', async () => {
  await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
  const escrows = [await heldFor(first, 100n), await heldFor(first, 100n)] as const
  expect(await refusalOf(pay(second, 100n))).toMatchObject({ details: { used: 1 } })
  await Promise.all([releaseOn(node, escrows[0], first), refundOn(node, escrows[1])])
  expect(await refusalOf(pay(second, 100n))).toMatchObject({ details: { used: 1 } })
})

test('64 concurrent holds never exceed a limit by one paisa, and a refund reverses exactly its part', async () => {
  await changeAgent(database, payer, { spend_limit_daily_paise: 1_000n })
  const outcomes = await Promise.allSettled(Array.from({ length: 64 }, () => heldFor(first, 64n)))
  const done = outcomes.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
  expect(done).toHaveLength(15)
  await Promise.all(done.slice(0, 5).map(escrow => refundOn(node, escrow)))
  expect(await refusalOf(pay(first, 361n))).toMatchObject({ details: { used: 6.4, remaining: 3.6 } })
  await pay(first, 360n)
})

test('holds that are decided together each see the recipients of those before them', async () => {
  await changeAgent(database, payer, { max_counterparties_per_hour: 1 })
  const { done, refused } = await outcomesOf([
    heldFor(first, 100n),
    heldFor(second, 100n),
    heldFor(first, 100n),
  ])
  expect(done.map(({ toAgentId }) => toAgentId)).toEqual([first, first])
  expect(refused).toMatchObject([{ details: { rule: 'max_counterparties_per_hour', used: 1 } }])
})

test('a hold without a recipient counts for its attestor', async () => {
  await limitPerPayee(1_000n)
  await pay(first, 600n)
  const attested = (amount: bigint) => holdOn(node, intent(payer, amount, { attestorId: first }))
  expect(await refusalOf(attested(401n))).toMatchObject({
    details: { rule: 'per_counterparty_daily_limit', used: 6, remaining: 4 },
  })
  await attested(400n)
  expect(await refusalOf(pay(first, 1n))).toMatchObject({ details: { used: 10 } })
})

test('next to concurrent refunds a refusal never names too early a retry time', async () => {
  await changeAgent(database, payer, { spend_limit_hourly_paise: 1_000n })
  const startMs = clock.now().getTime()
  const early = await heldFor(first, 300n)
  clock.advance(60_000)
  await heldFor(first, 600n)
  clock.advance(60_000)
  await heldFor(first, 100n)
  const [, refusal] = await Promise.all([refundOn(node, early), refusalOf(pay(first, 500n))])
  // 700 remain of the 1,000, and 200 of them must leave the window: the first that can are the 600.
  const trueMs = startMs + 60_000 + 3_600_000
  expect(Date.parse(String(refusal.details?.['retry_at']))).toBeGreaterThanOrEqual(trueMs)
})
