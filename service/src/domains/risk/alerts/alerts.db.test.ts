import { afterEach, expect, describe as group } from 'vitest'
import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { postRefund } from '../../../testing/model/wallets.ts'
import { test, world } from '../testing/risk-world.ts'

let payer: Uuid
let payee: Uuid

const VELOCITY = 'velocity_spike'

async function spike(payments = 20): Promise<void> {
  payer = await world.agent()
  payee = await world.agent()
  await world.payOften(payer, payee, 100n, payments)
  await world.run()
}

const statuses = async () => (await world.alerts(payer, VELOCITY)).map(alert => alert.status)

group('an open alert', () => {
  test('an open alert is not opened again, and its evidence does not change', async () => {
    await spike()
    const before = await world.alerts(payer, VELOCITY)
    await world.payOften(payer, payee, 100n, 30)
    await world.run()
    expect(await world.alerts(payer, VELOCITY)).toEqual(before)
  })

  test('an alert is opened once if several nodes evaluate at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      payer = await world.agent()
      payee = await world.agent()
      await world.payOften(payer, payee, 100n, 20)
      for (let refused = 0; refused < 10; refused++) world.signals.policyRefusal(payer)
      await world.run(3)
      expect(await statuses()).toEqual(['open'])
      expect((await world.alerts(payer, 'repeated_refusals')).length).toBe(1)
    }
  })

  test('an open alert of one rule does not prevent an alert of another rule', async () => {
    await spike()
    await world.payOften(payer, payee, 50_000n, 5)
    await world.run()
    expect(await statuses()).toEqual(['open'])
    expect((await world.alerts(payer, 'structuring')).length).toBe(1)
  })
})

group('after a review', () => {
  test('after a review, the same payments open no alert and as many later ones do', async () => {
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

  test('payments made before a review and read after it do not count', async () => {
    await spike()
    await world.payOften(payer, payee, 100n, 40)
    await world.dismiss(payer, VELOCITY)
    await world.run()
    expect(await statuses()).toEqual(['dismissed'])
  })
})

group('the table of rules', () => {
  test('each run reads the rules, so a changed threshold applies at the next run', async () => {
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

  test('a row of risk_rules disables and enables its rule', async () => {
    await world.database.query(`update risk_rules set enabled = false where rule = $1`, [VELOCITY])
    await spike()
    expect(await statuses()).toEqual([])
    await world.database.query(`update risk_rules set enabled = true where rule = $1`, [VELOCITY])
    await world.pay(payer, payee, 100n)
    await world.run()
    expect(await statuses()).toEqual(['open'])
  })

  group('an invalid row', () => {
    afterEach(() => world.tune(VELOCITY, { min_payments: 20 }))

    test('an invalid row disables its rule, is logged once, and does not affect other rules', async () => {
      await world.tune(VELOCITY, { min_payments: 'many' })
      const logged = world.warnings.length
      payer = await world.agent()
      payee = await world.agent()
      await world.payOften(payer, payee, 50_000n, 20)
      await world.run()
      expect(await statuses()).toEqual([])
      expect((await world.alerts(payer, 'structuring')).length).toBe(1)
      await world.pay(payer, payee, 50_000n)
      await world.run()
      expect(world.warnings.slice(logged)).toEqual([
        { rule: VELOCITY, problem: 'min_payments must be a whole number from 1 to 500' },
      ])
    })
  })
})

group('the rules', () => {
  test('the rules read only transfers that are at least five seconds old', async () => {
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

  test('the rules count payments, and neither refunds nor fundings', async () => {
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

  test('the rules evaluate the payments of hours in which no node ran them', async () => {
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
