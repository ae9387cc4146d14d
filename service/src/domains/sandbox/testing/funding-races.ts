import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { orderIdOf } from '../../banking/funding/apply-funding-update.ts'
import { checkFunding, endFunding } from '../../banking/funding/check-funding.ts'
import { simulateOutcome } from '../simulate-outcome.ts'
import { type Opened, openWorld, type World } from './world.ts'

const CREDITED_ONCE = { status: 'completed', paise: 97_500n, refunds: [] }
const SENT_BACK = { status: 'failed', paise: 0n, refunds: ['late'] }

let world: World

/** Races over one funding, each run on many fundings at once. Whichever call wins, the money is in one place. */
export function testRaces(times: number): void {
  beforeAll(async () => {
    world = await openWorld()
  })
  afterEach(async () => {
    expect(await world.checkLedger()).toMatchObject({ balanced: true })
    expect(world.faults).toEqual([])
  })
  afterAll(() => world.close())

  testPayments(times)
  testChargebacks(times)
  testNodes(times)
}

function openMany(times: number): Promise<Opened[]> {
  return Promise.all(Array.from({ length: times }, async () => world.open(await world.newAgentOfNewOwner())))
}

async function many(times: number, race: (opened: Opened) => Promise<void>): Promise<void> {
  await Promise.all((await openMany(times)).map(race))
}

async function stateOf({ funding }: Opened): Promise<{ status: string; paise: bigint; refunds: string[] }> {
  const checked = await checkFunding(world.funding, funding)
  const refunds = await world.refundsOf(funding)
  const paise = await world.balance(funding.agentId)
  return { status: checked?.funding.status ?? '', paise, refunds: refunds.map(refund => refund.reason) }
}

async function expectOneEnd(opened: Opened): Promise<void> {
  const state = await stateOf(opened)
  expect(state).toEqual(state.status === 'completed' ? CREDITED_ONCE : SENT_BACK)
}

async function payAndNotify({ funding }: Opened): Promise<void> {
  const payment = await world.gateway.simulation.pay(orderIdOf(funding), { method: 'card' })
  await world.gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
}

function testPayments(times: number): void {
  test('ten copies of a webhook and two concurrent polls credit once', async () => {
    await many(times, async opened => {
      const payment = await world.gateway.simulation.pay(orderIdOf(opened.funding), { method: 'upi' })
      const webhook = () => world.gateway.simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
      const poll = () => checkFunding(world.funding, opened.funding)
      await Promise.all([...Array.from({ length: 10 }, webhook), poll(), poll()])
      expect(await stateOf(opened)).toEqual(CREDITED_ONCE)
    })
  })

  test('a payment and a concurrent cancellation end in one of two ways: credited, or failed and refunded', async () => {
    await many(times, async opened => {
      await Promise.all([payAndNotify(opened), endFunding(world.funding, opened.funding, 'cancelled')])
      await expectOneEnd(opened)
    })
  })

  test('of three concurrent payments one is credited and the others are refunded', async () => {
    await many(times, async opened => {
      await Promise.all([payAndNotify(opened), payAndNotify(opened), payAndNotify(opened)])
      const refunds = ['second_payment', 'second_payment']
      expect(await stateOf(opened)).toEqual({ ...CREDITED_ONCE, refunds })
    })
  })
}

function testChargebacks(times: number): void {
  test('a chargeback that is notified many times at once reverses the funding once', async () => {
    await many(times, async opened => {
      const { gatewayPaymentId } = await simulateOutcome(world.sandbox, opened.session, 'success')
      const { simulation } = world.gateway
      const payment = await simulation.chargeBack(orderIdOf(opened.funding), gatewayPaymentId ?? '')
      const webhook = () => simulation.notifyDispute('d1', 'CHARGEBACK_MERCHANT_LOST', payment)
      await Promise.all([webhook(), webhook(), webhook(), checkFunding(world.funding, opened.funding)])
      expect(await stateOf(opened)).toEqual({ status: 'reversed', paise: 0n, refunds: [] })
    })
  })
}

function testNodes(times: number): void {
  test('payments around the expiry, with two nodes at work, never credit and refund the same money', async () => {
    const opened = await openMany(times)
    const second = world.newNode()
    const paying = opened.map((one, index) =>
      index % 2 === 0
        ? payAndNotify(one)
        : world.gateway.simulation.pay(orderIdOf(one.funding), { method: 'upi' }),
    )
    world.advance(30 * 60)
    const late = opened.filter((_, index) => index % 5 === 0).map(payAndNotify)
    await Promise.all([...paying, ...late, world.jobs.runDue(), second.jobs.runDue()])
    world.advance(61)
    await Promise.all([world.jobs.runDue(), second.jobs.runDue()])
    for (const one of opened) {
      const { status, paise, refunds } = await stateOf(one)
      const payments = await world.db.database.query(`select id from sandbox_payments where order_id = $1`, [
        orderIdOf(one.funding),
      ])
      // Each payment is either credited or refunded.
      expect(paise).toBe(status === 'completed' ? 97_500n : 0n)
      expect(refunds.length + (status === 'completed' ? 1 : 0)).toBe(payments.length)
    }
    await second.close()
  })

  test('two nodes that send refunds send each of them once', async () => {
    const opened = await openMany(times)
    const second = world.newNode()
    for (const one of opened) {
      await world.gateway.simulation.close(orderIdOf(one.funding), 'expired')
      await checkFunding(world.funding, one.funding)
      await payAndNotify(one)
    }
    await Promise.all([world.jobs.runDue(), second.jobs.runDue()])
    const attempts = await world.db.database.query<{ attempts: number; status: string }>(
      `select distinct attempts, status from gateway_refunds where order_id = any($1::text[])`,
      [opened.map(one => orderIdOf(one.funding))],
    )
    expect(attempts).toEqual([{ attempts: 1, status: 'done' }])
    await second.close()
  })
}
