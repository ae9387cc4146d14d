import { afterAll, afterEach, expect } from 'vitest'
import { createCashfreeGateway } from '../../../gateways/cashfree/index.ts'
import { cashfree, test } from '../../../gateways/cashfree/testing/cashfree-test.ts'
import type { FakeCashfree } from '../../../gateways/cashfree/testing/fake-cashfree.ts'
import type { PaymentOptions } from '../../../gateways/cashfree/testing/fake-payments.ts'
import { FAULTS } from '../../../gateways/cashfree/testing/faults.ts'
import { bare } from '../../../gateways/cashfree/testing/reply.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Opened, openWorld, type World } from '../../sandbox/testing/world.ts'
import { handleGatewayWebhook } from '../gateway-webhooks.ts'
import { orderIdOf } from './apply-funding-update.ts'
import { fundingWebhooks } from './funding-webhooks.ts'

let world: World

test.beforeAll(async () => {
  world = await openWorld(() => createCashfreeGateway(cashfree.gatewayOptions))
})
afterEach(() => expect(cashfree.violations).toEqual([]))
afterAll(async () => {
  await world.close()
})

interface Session extends Opened {
  readonly agent: Uuid
  readonly orderId: string
}

async function newSession(): Promise<Session> {
  const agent = await world.newAgentOfNewOwner()
  const opened = await world.open(agent)
  return { ...opened, agent, orderId: orderIdOf(opened.funding) }
}

function pay({ orderId }: Session, options: PaymentOptions = {}): string {
  return cashfree.payments.pay(orderId, { at: world.clock.now(), ...options })
}

/** Posts a webhook of Cashfree's to our route and returns the HTTP status. */
async function notify(
  type: string,
  data: unknown,
  options: Parameters<FakeCashfree['webhook']>[2] = {},
): Promise<number> {
  const { body, headers } = cashfree.webhook(type, data, options)
  const context = { ...world.funding, handlers: fundingWebhooks(world.funding) }
  try {
    await handleGatewayWebhook(context, 'cashfree', Buffer.from(body), { ...headers })
    return 200
  } catch (error) {
    if (error instanceof AppError) return error.status
    throw error
  }
}

const paidWebhook = ({ orderId }: Session, paymentId: string) => ({
  order: { order_id: orderId, order_amount: bare('1000.00'), order_currency: 'INR' },
  payment: { cf_payment_id: bare(paymentId), payment_status: 'SUCCESS', payment_amount: bare('1000.00') },
})

async function stateOf({ funding }: Session): Promise<string> {
  const rows = await world.db.database.query<{ status: string }>(
    `select status from fundings where id = $1`,
    [funding.id],
  )
  return rows[0]?.status ?? ''
}

test('a payment is credited by its webhook, once, whatever the copies of the webhook say', async () => {
  const session = await newSession()
  const data = paidWebhook(session, pay(session))
  expect(await notify('PAYMENT_SUCCESS_WEBHOOK', data)).toBe(200)
  expect(await notify('PAYMENT_SUCCESS_WEBHOOK', data)).toBe(200)
  expect(await notify('PAYMENT_FAILED_WEBHOOK', data)).toBe(200)
  expect(await world.balance(session.agent)).toBe(97_500n)
  expect(await stateOf(session)).toBe('completed')
})

test('a payment without a webhook is found by polling within a minute', async () => {
  const session = await newSession()
  pay(session, { group: 'credit_card' })
  world.advance(31)
  await world.jobs.runDue()
  expect(await world.balance(session.agent)).toBe(97_500n)
})

test('a webhook alone credits nothing: the order must be paid at Cashfree', async () => {
  const session = await newSession()
  const paymentId = pay(session, { status: 'FAILED' })
  expect(await notify('PAYMENT_SUCCESS_WEBHOOK', paidWebhook(session, paymentId))).toBe(200)
  expect(await world.balance(session.agent)).toBe(0n)
})

test('a forged webhook and one that was reserialised are refused', async () => {
  const session = await newSession()
  const data = paidWebhook(session, pay(session))
  expect(await notify('PAYMENT_SUCCESS_WEBHOOK', data, { secret: 'forged' })).toBe(401)
  expect(await notify('PAYMENT_SUCCESS_WEBHOOK', data, { reserialised: true })).toBe(401)
  expect(await world.balance(session.agent)).toBe(0n)
})

test('a webhook that arrives while Cashfree is down is refused, and is processed when it is sent again', async () => {
  const session = await newSession()
  const data = paidWebhook(session, pay(session))
  cashfree.faults.next(`GET /pg/orders/${session.orderId}/payments`, FAULTS.badGateway)
  expect(await notify('PAYMENT_SUCCESS_WEBHOOK', data)).toBe(503)
  expect(await world.balance(session.agent)).toBe(0n)
  expect(await notify('PAYMENT_SUCCESS_WEBHOOK', data)).toBe(200)
  expect(await world.balance(session.agent)).toBe(97_500n)
})

test('a second payment of one order is refunded to its payer', async () => {
  const session = await newSession()
  const first = pay(session)
  await notify('PAYMENT_SUCCESS_WEBHOOK', paidWebhook(session, first))
  world.advance(1)
  const second = pay(session)
  await notify('PAYMENT_SUCCESS_WEBHOOK', paidWebhook(session, second))
  await world.jobs.runDue()
  expect(await world.refundsOf(session.funding)).toEqual([
    { reason: 'second_payment', status: 'done', amount: 100_000n },
  ])
  expect(await world.balance(session.agent)).toBe(97_500n)
})

test('a refund that is pending at Cashfree is completed by its webhook', async () => {
  const session = await newSession()
  cashfree.payments.refundsBecome('PENDING')
  pay(session, { amount: '999.99' })
  world.advance(31)
  await world.jobs.runDue()
  await world.jobs.runDue()
  const [refund] = cashfree.payments.refunds.values()
  const refundId = [...cashfree.payments.refunds.keys()].at(-1) ?? ''
  expect(refund).toBeDefined()
  expect(await world.refundsOf(session.funding)).toMatchObject([{ reason: 'wrong_amount', status: 'sent' }])
  cashfree.payments.refundsBecome('SUCCESS')
  cashfree.payments.setRefundStatus(refundId, 'SUCCESS')
  const data = { refund: { refund_id: refundId, order_id: session.orderId, refund_status: 'SUCCESS' } }
  expect(await notify('REFUND_STATUS_WEBHOOK', data)).toBe(200)
  await world.jobs.runDue()
  expect(await world.refundsOf(session.funding)).toMatchObject([{ status: 'done', amount: 99_999n }])
})

test('a refund whose response was lost is not sent twice', async () => {
  const session = await newSession()
  pay(session, { amount: '1.00' })
  cashfree.faults.next(`POST /pg/orders/${session.orderId}/refunds`, FAULTS.noResponseAfter)
  const before = cashfree.payments.refunds.size
  for (let round = 0; round < 3; round++) {
    world.advance(65)
    await world.jobs.runDue()
  }
  expect(cashfree.payments.refunds.size).toBe(before + 1)
  expect(cashfree.lines.filter(line => line === `POST /pg/orders/${session.orderId}/refunds`).length).toBe(1)
  expect(await world.refundsOf(session.funding)).toMatchObject([{ status: 'done' }])
})

test('a chargeback reverses the funding only once the dispute is lost', async () => {
  const session = await newSession()
  const paymentId = pay(session)
  await notify('PAYMENT_SUCCESS_WEBHOOK', paidWebhook(session, paymentId))
  const say = async (type: string, status: string) => {
    cashfree.payments.dispute(session.orderId, paymentId, status)
    const dispute = { dispute_id: bare(paymentId), dispute_status: status }
    expect(await notify(type, { dispute, order_details: { order_id: session.orderId } })).toBe(200)
    return world.balance(session.agent)
  }
  expect(await say('DISPUTE_CREATED', 'CHARGEBACK_CREATED')).toBe(97_500n)
  expect(await say('DISPUTE_UPDATED', 'CHARGEBACK_UNDER_REVIEW')).toBe(97_500n)
  expect(await say('DISPUTE_CLOSED', 'CHARGEBACK_MERCHANT_LOST')).toBe(0n)
  expect(await say('DISPUTE_CLOSED', 'CHARGEBACK_MERCHANT_LOST')).toBe(0n)
  expect(await stateOf(session)).toBe('reversed')
})

test.each(['noResponseAfter', 'resetAfter', 'malformed', 'badGatewayAfter'] as const)(
  'an order that was created in spite of %s is found, and the session opens',
  async name => {
    cashfree.faults.next('POST /pg/orders', FAULTS[name])
    const session = await newSession()
    expect(session.funding).toMatchObject({
      gatewayOrderId: expect.stringMatching(/^\d{19}$/),
      gatewaySessionId: `session_${session.orderId}`,
    })
    await notify('PAYMENT_SUCCESS_WEBHOOK', paidWebhook(session, pay(session)))
    expect(await world.balance(session.agent)).toBe(97_500n)
  },
)

test('a session that ends unpaid is closed at Cashfree too', async () => {
  const session = await newSession()
  world.advance(31 * 60)
  await world.jobs.runDue()
  expect(await stateOf(session)).toBe('failed')
  expect(cashfree.payments.orders.get(session.orderId)?.status).toBe('TERMINATED')
})

test('after all of it the ledger check passes', async () => {
  const { balanced, wrongBalances, brokenHistories, overdrawn } = await world.checkLedger()
  expect({ balanced, wrongBalances, brokenHistories, overdrawn }).toEqual({
    balanced: true,
    wrongBalances: [],
    brokenHistories: [],
    overdrawn: [],
  })
  expect(world.faults).toEqual([])
})
