import { MAX_SPENDING_DAYS } from '@batua/contract'
import { afterAll, beforeEach, expect } from 'vitest'
import { DAY_MS, HOUR_MS, istDay } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { insertAgent, insertFundedAgent, order, startNode, type TestNode } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { escrowOf, holdOn, intent, refundOn, releaseOn } from '../../../testing/escrows.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { openSpent, type ReadSpent, type Spent } from './spending.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const FEW_ROWS = 3
let node: TestNode
let readSpent: ReadSpent
let payer: Uuid
let payee: Uuid
let other: Uuid

test.beforeAll(() => {
  node = startNode({ database, clock })
})
afterAll(() => node.ledger.close())

beforeEach(async () => {
  clock.advance(HOUR_MS)
  readSpent = openSpent(database, FEW_ROWS)
  payer = await insertFundedAgent(node.ledger, database, clock, 100_000_000n)
  payee = await insertAgent(database, clock.now())
  other = await insertAgent(database, clock.now())
})

type Sums = Record<number, Record<string, Spent>>

async function spentFrom(fromDay: number, read = readSpent): Promise<Sums> {
  const days = await read(payer, fromDay, clock.now())
  return Object.fromEntries(
    [...days].map(([day, payees]) => [
      day,
      Object.fromEntries([...payees].map(([id, spent]) => [id ?? 'nobody', spent])),
    ]),
  )
}

const today = () => istDay(clock.now())

function add(sums: Sums, day: number, id: Uuid, paise: bigint): void {
  const ofDay = (sums[day] ??= {})
  const { count = 0, paise: before = 0n } = ofDay[id] ?? {}
  ofDay[id] = { count: count + 1, paise: (before + paise) as Spent['paise'] }
}

test('the sums of every day and payee are exact after every payment, however the days and reads fall', async () => {
  const expected: Sums = {}
  const first = today()
  for (let round = 0; round < 40; round++) {
    const to = round % 3 === 0 ? other : payee
    const amount = BigInt(1_000 + round * 137)
    await node.pay(order(payer, to, amount))
    add(expected, today(), to, amount)
    if (round % 4 === 0) expect(await spentFrom(first)).toEqual(expected)
    clock.advance(7 * HOUR_MS)
  }
  expect(await spentFrom(first)).toEqual(expected)
  expect(await spentFrom(first, openSpent(database))).toEqual(expected)
  const late = Object.fromEntries(Object.entries(expected).filter(([day]) => Number(day) >= first + 5))
  expect(await spentFrom(first + 5)).toEqual(late)
  expect(await spentFrom(first - 5)).toEqual(expected)
})

test('a payment just before midnight in India belongs to the day that ends, also when it is read just after', async () => {
  const day = today()
  clock.advance((day + 1) * DAY_MS - 5.5 * HOUR_MS - clock.now().getTime() - 1)
  await node.pay(order(payer, payee, 5_000n))
  clock.advance(1)
  await node.pay(order(payer, payee, 7_000n))
  const expected = {
    [day]: { [payee]: { count: 1, paise: 5_000n } },
    [day + 1]: { [payee]: { count: 1, paise: 7_000n } },
  }
  expect(await spentFrom(day)).toEqual(expected)
  clock.advance(2 * DAY_MS)
  expect(await spentFrom(day)).toEqual(expected)
})

test('a hold counts on its day until it is refunded, and for the agent that it was released to', async () => {
  const day = today()
  const [released, refunded] = [
    await holdOn(node, intent(payer, 30_000n)),
    await holdOn(node, intent(payer, 20_000n)),
  ]
  expect(await spentFrom(day)).toEqual({ [day]: { nobody: { count: 2, paise: 50_000n } } })
  clock.advance(2 * DAY_MS)
  await releaseOn(node, await escrowOf(database, released), payee)
  await refundOn(node, await escrowOf(database, refunded))
  expect(await spentFrom(day)).toEqual({ [day]: { [payee]: { count: 1, paise: 30_000n } } })
})

test('days that no request can ask for are not kept', async () => {
  const day = today()
  await node.pay(order(payer, payee, 5_000n))
  await spentFrom(day)
  clock.advance((MAX_SPENDING_DAYS + 2) * DAY_MS)
  await spentFrom(today())
  await node.pay(order(payer, payee, 6_000n))
  expect(await spentFrom(day)).toEqual({
    [day]: { [payee]: { count: 1, paise: 5_000n } },
    [today()]: { [payee]: { count: 1, paise: 6_000n } },
  })
})
