import { expect, describe as group } from 'vitest'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { test, world } from '../testing/risk-world.ts'

let payer: Uuid
let payee: Uuid

async function twoAgents(): Promise<void> {
  payer = await world.agent()
  payee = await world.agent()
}

const opened = () => world.opened(payer, 'new_payees')

group('new_payees', () => {
  const newPayees = (count: number) => Promise.all(Array.from({ length: count }, () => world.agent()))

  test('a new_payees alert is opened by ten agents within an hour that were never paid before', async () => {
    await twoAgents()
    const payees = await newPayees(10)
    for (const each of payees) await world.pay(payer, each, 100n)
    expect(await opened()).toBe(1)
    const [alert] = await world.alerts(payer, 'new_payees')
    expect(alert?.evidence).toMatchObject({
      summary: '10 agents within 1 hour that were never paid before.',
      figures: { new_payees: 10 },
      thresholds: { min_payees: 10, window_minutes: 60 },
      agent_ids: payees.toReversed().map(id => formatId('agt', id)),
    })
    expect(alert?.evidence.payment_ids.length).toBe(10)
  })

  test('a new_payees alert is not opened by nine new payees, however often they are paid', async () => {
    await twoAgents()
    for (const each of await newPayees(9)) await world.payOften(payer, each, 100n, 3)
    expect(await opened()).toBe(0)
  })

  test('a new_payees alert is not opened if one of ten payees was paid before', async () => {
    await twoAgents()
    await world.pay(payer, payee, 100n)
    world.clock.advance(2 * HOUR_MS)
    for (const each of [payee, ...(await newPayees(9))]) await world.pay(payer, each, 100n)
    expect(await opened()).toBe(0)
  })

  test('new_payees does not count a payee one millisecond outside the hour', async () => {
    for (const [restMs, alerts] of [
      [HOUR_MS, 0],
      [HOUR_MS - 1, 1],
    ] as const) {
      await twoAgents()
      const rest = await newPayees(9)
      await world.pay(payer, payee, 100n)
      world.clock.advance(restMs)
      for (const each of rest) await world.pay(payer, each, 100n)
      expect(await opened()).toBe(alerts)
    }
  })
})
