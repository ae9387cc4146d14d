import { expect, describe as group } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { MINUTE_MS } from '../scope.ts'
import { test, world } from '../testing/risk-world.ts'

let payer: Uuid
let payee: Uuid

async function twoAgents(): Promise<void> {
  payer = await world.agent()
  payee = await world.agent()
}

const opened = () => world.opened(payer, 'velocity_spike')

group('velocity_spike', () => {
  test('a velocity_spike alert is opened by 20 payments in 10 minutes of an agent that seldom pays, with its figures', async () => {
    await twoAgents()
    const [old] = await world.payOften(payer, payee, 100n, 1)
    world.clock.advance(3 * HOUR_MS)
    const transfers = await world.payOften(payer, payee, 100n, 20)
    expect(await opened()).toBe(1)
    const [alert] = await world.alerts(payer, 'velocity_spike')
    expect(alert).toMatchObject({
      agentId: payer,
      platformId: payer,
      severity: 'medium',
      score: 30,
      status: 'open',
    })
    const newest = transfers.at(-1)
    expect(alert?.evidence).toEqual({
      summary: '20 payments within 10 minutes; usual in that time are 0.',
      from: new Date((newest?.postedAt.getTime() ?? 0) - 10 * MINUTE_MS + 1).toISOString(),
      to: newest?.postedAt.toISOString(),
      figures: { payments: 20, window_minutes: 10, usual_payments: 0, payments_before: 1, hours_before: 24 },
      thresholds: { min_payments: 20, factor: 5, window_minutes: 10, baseline_hours: 24 },
      payment_ids: transfers
        .toReversed()
        .slice(0, 10)
        .map(transfer => formatId('pay', transfer.id)),
      agent_ids: [],
    })
    expect(JSON.stringify(alert?.evidence)).not.toContain(old?.id)
  })

  test('a velocity_spike alert is not opened by 19 payments', async () => {
    await twoAgents()
    await world.payOften(payer, payee, 100n, 19)
    expect(await opened()).toBe(0)
    await world.pay(payer, payee, 100n)
    expect(await opened()).toBe(1)
  })

  test('velocity_spike does not count a payment one millisecond outside the window', async () => {
    const spread = async (firstMs: number) => {
      await twoAgents()
      await world.pay(payer, payee, 100n)
      world.clock.advance(firstMs)
      await world.payOften(payer, payee, 100n, 19, 0)
      return opened()
    }
    expect(await spread(10 * MINUTE_MS)).toBe(0)
    expect(await spread(10 * MINUTE_MS - 1)).toBe(1)
  })

  test('a velocity_spike alert is opened at five times the usual number, and not with one more earlier payment', async () => {
    for (const [before, alerts] of [
      [576, 1],
      [577, 0],
    ] as const) {
      await twoAgents()
      await Promise.all(Array.from({ length: before }, () => world.pay(payer, payee, 100n)))
      await world.run()
      await world.dismiss(payer, 'velocity_spike')
      world.clock.advance(HOUR_MS)
      await world.payOften(payer, payee, 100n, 20)
      expect((await opened()) - 1).toBe(alerts)
    }
  })

  test('velocity_spike counts earlier payments as usual within the baseline hours, to the millisecond', async () => {
    for (const [apartMs, alerts] of [
      [DAY_MS + 10 * MINUTE_MS, 1],
      [DAY_MS + 10 * MINUTE_MS - 1, 0],
    ] as const) {
      await twoAgents()
      await Promise.all(Array.from({ length: 577 }, () => world.pay(payer, payee, 100n)))
      const firstMs = world.clock.now().getTime()
      await world.run()
      await world.dismiss(payer, 'velocity_spike')
      world.clock.set(new Date(firstMs + apartMs))
      await world.payOften(payer, payee, 100n, 20, 0)
      expect((await opened()) - 1).toBe(alerts)
    }
  })

  test('velocity_spike counts the newest five hundred payments of an agent that makes more', async () => {
    await twoAgents()
    await Promise.all(Array.from({ length: 600 }, () => world.pay(payer, payee, 100n)))
    expect(await opened()).toBe(1)
    expect((await world.alerts(payer, 'velocity_spike'))[0]?.evidence.figures['payments']).toBe(500)
  })
})
