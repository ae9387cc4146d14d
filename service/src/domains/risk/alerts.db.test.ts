import { afterAll, afterEach, beforeAll, expect, describe as group, test } from 'vitest'
import { HOUR_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { postRefund } from '../../testing/model/wallets.ts'
import { openRiskWorld, type RiskWorld } from './testing/risk-world.ts'

let world: RiskWorld
let payer: Uuid
let payee: Uuid

beforeAll(async () => {
  world = await openRiskWorld()
})
afterAll(() => world.close())

const VELOCITY = 'velocity_spike'

async function spike(payments = 20): Promise<void> {
  payer = await world.agent()
  payee = await world.agent()
  await world.payOften(payer, payee, 100n, payments)
  await world.run()
}

const statuses = async () => (await world.alerts(payer, VELOCITY)).map(alert => alert.status)

group('an open alert', () => {
  test('is not opened again, and its evidence stays as it was', async () => {
    await spike()
    const before = await world.alerts(payer, VELOCITY)
    await world.payOften(payer, payee, 100n, 30)
    await world.run()
    expect(await world.alerts(payer, VELOCITY)).toEqual(before)
  })

  test('is opened once when several nodes look at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      payer = await world.agent()
      payee = await world.agent()
      await world.payOften(payer, payee, 100n, 20)
      for (let told = 0; told < 10; told++) world.signals.policyRefusal(payer)
      await world.run(3)
      expect(await statuses()).toEqual(['open'])
      expect((await world.alerts(payer, 'repeated_refusals')).length).toBe(1)
    }
  })

  test('of one rule does not keep another from being opened', async () => {
    await spike()
    await world.payOften(payer, payee, 50_000n, 5)
    await world.run()
    expect(await statuses()).toEqual(['open'])
    expect((await world.alerts(payer, 'structuring')).length).toBe(1)
  })
})

group('after a review', () => {
  test('the same payments open nothing, and as many later ones do', async () => {
    await spike()
    await world.dismiss(payer, VELOCITY)
    world.clock.advance(1)
    await world.payOften(payer, payee, 100n, 19)
    await world.run()
    expect(await statuses()).toEqual(['dismissed'])
    await world.pay(payer, payee, 100n)
    await world.run()
    expect(await statuses()).toEqual(['dismissed', 'open'])
    const [, again] = await world.alerts(payer, VELOCITY)
    expect(again?.evidence.figures['payments']).toBe(20)
  })

  test('payments made before it and read after it do not count', async () => {
    await spike()
    await world.payOften(payer, payee, 100n, 40)
    await world.dismiss(payer, VELOCITY)
    await world.run()
    expect(await statuses()).toEqual(['dismissed'])
  })
})

group('the table of rules', () => {
  test('is read at every run: a tuned threshold decides the next one', async () => {
    await spike(12)
    expect(await statuses()).toEqual([])
    await world.tune(VELOCITY, { min_payments: 13 })
    await world.pay(payer, payee, 100n)
    await world.run()
    expect((await world.alerts(payer, VELOCITY))[0]?.evidence.thresholds['min_payments']).toBe(13)
    await world.tune(VELOCITY, { min_payments: 20 })
    await spike(19)
    expect(await statuses()).toEqual([])
  })

  test('switches a rule off and on', async () => {
    await world.database.query(`update risk_rules set enabled = false where rule = $1`, [VELOCITY])
    await spike()
    expect(await statuses()).toEqual([])
    await world.database.query(`update risk_rules set enabled = true where rule = $1`, [VELOCITY])
    await world.pay(payer, payee, 100n)
    await world.run()
    expect(await statuses()).toEqual(['open'])
  })

  group('with a row that makes no sense', () => {
    afterEach(() => world.tune(VELOCITY, { min_payments: 20 }))

    test('switches that rule off, says so once, and lets the others work', async () => {
      await world.tune(VELOCITY, { min_payments: 'many' })
      const told = world.warnings.length
      payer = await world.agent()
      payee = await world.agent()
      await world.payOften(payer, payee, 50_000n, 20)
      await world.run()
      expect(await statuses()).toEqual([])
      expect((await world.alerts(payer, 'structuring')).length).toBe(1)
      await world.pay(payer, payee, 50_000n)
      await world.run()
      expect(world.warnings.slice(told)).toEqual([
        { rule: VELOCITY, problem: 'min_payments must be a whole number from 1 to 500' },
      ])
    })
  })
})

group('the rules', () => {
  test('read only transfers that have settled', async () => {
    payer = await world.agent()
    payee = await world.agent()
    await world.payOften(payer, payee, 100n, 20)
    const lastMs = world.clock.now().getTime()
    world.clock.set(new Date(lastMs - 1_000))
    await world.run()
    expect(await statuses()).toEqual([])
    world.clock.set(new Date(lastMs - 999))
    await world.run()
    expect(await statuses()).toEqual(['open'])
  })

  test('count payments only: neither refunds nor fundings', async () => {
    const [one, two] = [await world.agent(), await world.agent()]
    const payments = await world.payOften(one, two, 100_000n, 19)
    for (const payment of payments) await postRefund(world.ledger, payment, 100_000n)
    await world.run()
    for (const agent of [one, two]) {
      for (const rule of [VELOCITY, 'pass_through', 'circular_flow'] as const) {
        expect(await world.alerts(agent, rule)).toEqual([])
      }
    }
  })

  test('catch up on hours in which nobody ran them', async () => {
    payer = await world.agent()
    payee = await world.agent()
    await world.payOften(payer, payee, 100n, 20)
    for (let hour = 0; hour < 5; hour++) {
      world.clock.advance(HOUR_MS)
      await world.pay(payer, payee, 100n)
    }
    await world.run()
    expect((await world.alerts(payer, VELOCITY))[0]?.evidence.figures['payments']).toBe(20)
  })
})
