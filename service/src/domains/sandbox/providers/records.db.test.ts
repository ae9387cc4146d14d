import { expect } from 'vitest'
import type { GatewayRecord } from '../../../gateways/payment-gateway.ts'
import { type Clock, DAY_MS, istDay, startOfIstDay, systemClock } from '../../../kernel/clock.ts'
import { paise } from '../../../kernel/money.ts'
import { database, test } from '../../../testing/database-test.ts'
import { createSandboxGateway, type SandboxGateway } from './payment-gateway.ts'

let clock: Clock
let gateway: SandboxGateway
/** Noon of an IST day. */
let noon: Date

test.beforeAll(async () => {
  clock = systemClock()
  gateway = createSandboxGateway({
    database,
    clock,
    webhookSecrets: ['secret'],
    deliver: () => Promise.resolve(),
    merchantName: 'Batua',
  })
  noon = new Date(startOfIstDay(istDay(clock.now()) + 10).getTime() + DAY_MS / 2)
  moveTo(noon)
})

function moveTo(moment: Date): void {
  clock.setOffsetMs(clock.offsetMs() + moment.getTime() - clock.now().getTime())
}

async function newOrder(orderId: string, amountPaise: bigint): Promise<void> {
  await gateway.createOrder({
    orderId,
    amountPaise: paise(amountPaise),
    currency: 'INR',
    customer: { id: 'x', phone: '9876543210' },
    note: '',
    expiresAt: new Date(clock.now().getTime() + 60_000),
  })
}

async function recordsBetween(from: Date, to: Date): Promise<GatewayRecord[]> {
  const records: GatewayRecord[] = []
  let cursor: string | null = null
  do {
    const response = await gateway.listRecords(from, to, cursor)
    if (response.kind !== 'value') throw new Error(response.kind)
    records.push(...response.value.records)
    cursor = response.value.nextCursor
  } while (cursor !== null)
  return records
}

const days = (count: number) => new Date(noon.getTime() + count * DAY_MS)

test('payments, refunds, chargebacks and settlements are each listed once, in their order', async () => {
  await newOrder('a', 100_020n)
  const paid = await gateway.simulation.pay('a', { method: 'upi' })
  const twice = await gateway.simulation.pay('a', { method: 'card' })
  const foreign = await gateway.simulation.pay('a', { method: 'card', currency: 'USD' })
  await gateway.refund(
    { orderId: 'a', gatewayOrderId: null },
    {
      refundId: 'refund_1',
      gatewayPaymentId: twice.id,
      amountPaise: twice.amountPaise,
      currency: 'INR',
      note: '',
    },
  )
  await gateway.simulation.attempt('a', 'upi', 'failed')
  moveTo(days(1))
  await gateway.simulation.chargeBack('a', paid.id)

  const all = await recordsBetween(days(-1), days(3))
  expect(all.map(({ kind, id, orderId, chargesPaise }) => [kind, id, orderId, chargesPaise])).toEqual([
    ['payment', paid.id, 'a', 2_501n],
    ['payment', twice.id, 'a', 2_501n],
    ['payment', foreign.id, 'a', 0n],
    ['refund', 'refund_1', 'a', null],
    ['chargeback', paid.id, 'a', null],
    ['settlement', `sandbox_settlement_${istDay(noon)}`, null, 5_002n],
  ])
  const settled = all.at(-1)
  expect(settled).toMatchObject({ amountPaise: 200_040n - 5_002n, at: startOfIstDay(istDay(noon) + 2) })
})

test('consecutive spans list every record once, with and without pages', async () => {
  moveTo(days(20))
  await newOrder('b', 10_000n)
  for (let index = 0; index < 205; index++) await gateway.simulation.pay('b', { method: 'netbanking' })
  const from = days(19.5)
  const whole = await recordsBetween(from, days(23))
  expect(whole).toHaveLength(206)
  expect(new Set(whole.map(({ id }) => id)).size).toBe(206)
  const parts = [20.2, 20.7, 21.3, 21.5, 21.9, 23].map((end, index, ends) =>
    recordsBetween(index === 0 ? from : days(ends[index - 1] ?? 0), days(end)),
  )
  expect((await Promise.all(parts)).flat()).toEqual(whole)
})

test('a pending refund is listed when it is completed, not before', async () => {
  moveTo(days(40))
  await newOrder('c', 10_000n)
  const payment = await gateway.simulation.pay('c', { method: 'upi', refundFault: 'pending' })
  const key = { orderId: 'c', gatewayOrderId: null }
  const refund = { refundId: 'refund_2', gatewayPaymentId: payment.id, amountPaise: payment.amountPaise }
  expect(await gateway.refund(key, { ...refund, currency: 'INR', note: '' })).toEqual({
    kind: 'value',
    value: 'pending',
  })
  const kinds = async () => (await recordsBetween(days(40), clock.now())).map(({ kind }) => kind)
  moveTo(new Date(days(40).getTime() + 60_000))
  expect(await gateway.getRefund(key, 'refund_2')).toEqual({ kind: 'value', value: 'pending' })
  expect(await kinds()).toEqual(['payment'])
  moveTo(new Date(days(40).getTime() + 150_000))
  expect(await gateway.getRefund(key, 'refund_2')).toEqual({ kind: 'value', value: 'done' })
  expect(await kinds()).toEqual(['payment', 'refund'])
})

test('an invalid cursor is refused', async () => {
  expect(await gateway.listRecords(noon, days(1), 'page 2')).toMatchObject({ kind: 'rejected' })
})
