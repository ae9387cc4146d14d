import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Uuid } from '../../../kernel/ids.ts'
import { fillLedger } from '../testing/fill-ledger.ts'
import { openRiskWorld, type RiskWorld } from '../testing/risk-world.ts'

let world: RiskWorld
let firstMs: number

beforeEach(async () => {
  world = await openRiskWorld()
  firstMs = world.clock.now().getTime()
})
afterEach(() => world.close())

const payAround = (payments: number, fromMs: number) =>
  fillLedger(world.database, {
    agents: 1_000,
    payments,
    firstAt: new Date(fromMs),
    spanMs: 5_000,
    mostPaise: 300,
  })

/** Runs the rules at a moment when all transfers up to this long after the start are old enough to be read. */
async function runAt(atMs: number): Promise<void> {
  world.clock.set(new Date(firstMs + atMs - 1_000))
  await world.run()
}

async function position(): Promise<Uuid | undefined> {
  const [row] = await world.database.query<{ position: Uuid }>('select position from risk_cursor', [])
  return row?.position
}

async function spike(payer: Uuid): Promise<void> {
  await world.payOften(payer, await world.agent(), 100n, 20, 10)
}

test('under heavy load the rules wait until a minute of transfers has passed and then evaluate it as a whole', async () => {
  const payer = await world.agent()
  await spike(payer)
  await payAround(6_000, firstMs + 1_000)
  const before = await position()
  await runAt(55_000)
  expect([await position(), await world.alerts(payer, 'velocity_spike')]).toEqual([before, []])
  await runAt(60_001)
  expect((await world.alerts(payer, 'velocity_spike')).length).toBe(1)
  const [newest] = await world.database.query<{ id: Uuid }>(
    'select id from transfers order by id desc limit 1',
    [],
  )
  expect(await position()).toBe(newest?.id)
})

test('a little less than heavy load is evaluated as soon as the transfers are old enough to be read', async () => {
  const payer = await world.agent()
  await spike(payer)
  await payAround(4_900, firstMs + 1_000)
  await runAt(7_000)
  expect((await world.alerts(payer, 'velocity_spike')).length).toBe(1)
})

test('several rules find what they look for under heavy load too', async () => {
  const [one, two, three] = await Promise.all([world.agent(), world.agent(), world.agent()])
  for (let times = 0; times < 3; times++) {
    for (const [payer, payee] of [
      [one, two],
      [two, three],
      [three, one],
    ] as const) {
      world.clock.advance(100)
      await world.pay(payer, payee, 100_000n)
    }
  }
  const others = await Promise.all(Array.from({ length: 10 }, () => world.agent()))
  for (const other of others) await world.pay(one, other, 49_000n)
  await payAround(6_000, firstMs + 1_500)
  await runAt(60_001)
  for (const rule of ['circular_flow', 'pass_through', 'new_payees', 'structuring'] as const) {
    expect([rule, (await world.alerts(one, rule)).length]).toEqual([rule, 1])
  }
})

test('pass_through is found under heavy load if the money came in before the minute that is evaluated', async () => {
  const [payer, payee] = [await world.agent(), await world.agent()]
  for (let times = 0; times < 3; times++) await world.pay(payee, payer, 100_000n)
  await world.run()
  const paidAtMs = world.clock.now().getTime()
  await world.payOften(payer, payee, 100_000n, 3, 10)
  await payAround(6_000, paidAtMs + 100)
  await runAt(paidAtMs - firstMs + 60_001)
  expect((await world.alerts(payer, 'pass_through')).length).toBe(1)
})
