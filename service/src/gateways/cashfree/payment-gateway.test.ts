import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { paise } from '../../kernel/money.ts'
import type { GatewayPayment, NewOrder, PaymentGateway } from '../payment-gateway.ts'
import { createCashfreeGateway } from './payment-gateway.ts'
import { type FakeCashfree, startFakeCashfree } from './testing/fake-cashfree.ts'

let cashfree: FakeCashfree
let gateway: PaymentGateway

beforeEach(async () => {
  cashfree = await startFakeCashfree()
  gateway = createCashfreeGateway(cashfree.gatewayOptions)
})
afterEach(async () => {
  expect(cashfree.violations).toEqual([])
  await cashfree.close()
})

const ORDER: NewOrder = {
  orderId: 'fund_01kb7q3f8meg5tz4x9wc2n6a01',
  amountPaise: paise(10_000_050n),
  currency: 'INR',
  customer: { id: 'own_01kb7q3f8meg5tz4x9wc2n6a02', phone: '9876543210' },
  note: 'Funding @researcher',
  expiresAt: new Date('2030-01-01T00:30:00.000Z'),
}
const KEY = { orderId: ORDER.orderId, gatewayOrderId: null }

async function seen(): Promise<readonly GatewayPayment[]> {
  const response = await gateway.getOrder(KEY)
  if (response.kind !== 'value' || response.value === null) throw new Error('the order is not to be seen')
  return response.value.payments
}

describe('an order', () => {
  test('is named as here, in rupees with two decimals, with everything that Cashfree wants', async () => {
    const returnUrl = 'https://pay.example.com/checkout/ps_1?back=gateway'
    const created = await gateway.createOrder({ ...ORDER, methods: ['upi'], returnUrl })
    expect(created).toEqual({
      kind: 'value',
      value: {
        gatewayOrderId: expect.stringMatching(/^\d{19}$/),
        gatewaySessionId: `session_${ORDER.orderId}`,
      },
    })
    const [request] = cashfree.requests
    expect(request?.text).toContain('"order_amount":100000.50')
    expect(request?.headers).toMatchObject({
      'x-api-version': '2025-01-01',
      'x-client-id': 'TEST_PAYMENTS',
      'x-idempotency-key': ORDER.orderId,
    })
    expect(request?.body).toMatchObject({
      customer_details: { customer_id: 'own01kb7q3f8meg5tz4x9wc2n6a02', customer_phone: '9876543210' },
      order_meta: {
        payment_methods: 'upi',
        notify_url: 'https://pay.example.com/v1/gateway/cashfree/webhooks',
        return_url: returnUrl,
      },
      order_expiry_time: '2030-01-01T00:30:00.000Z',
    })
  })

  test('offers every way to pay unless one was asked for', async () => {
    await gateway.createOrder(ORDER)
    expect(cashfree.requests[0]?.body.order_meta).toMatchObject({ payment_methods: 'cc,dc,nb,upi' })
  })

  test('that is there already counts as this one only for the same money', async () => {
    await gateway.createOrder(ORDER)
    // Another process, so that no idempotency key stands between the two.
    const again = { ...ORDER, note: 'Funding @another' }
    cashfree.faults.next('POST /pg/orders', { kind: 'refuse', status: 409, code: 'order_already_exists' })
    expect(await gateway.createOrder(again)).toMatchObject({ kind: 'value' })
    cashfree.faults.next('POST /pg/orders', { kind: 'refuse', status: 409, code: 'order_already_exists' })
    const other = await gateway.createOrder({ ...again, amountPaise: paise(1n) })
    expect(other).toMatchObject({ kind: 'rejected', code: 'order_already_exists' })
  })

  test('that is sent twice with another body is in doubt, never taken for a new one', async () => {
    await gateway.createOrder(ORDER)
    expect(await gateway.createOrder({ ...ORDER, note: 'Another' })).toMatchObject({ kind: 'unknown' })
    expect(cashfree.payments.orders.size).toBe(1)
  })

  test.each([
    ['ACTIVE', 'active'],
    ['PAID', 'paid'],
    ['EXPIRED', 'closed'],
    ['TERMINATED', 'closed'],
    ['TERMINATION_REQUESTED', 'closed'],
    ['SOMETHING_NEW', 'active'],
  ])('%s is %s', async (word, status) => {
    await gateway.createOrder(ORDER)
    cashfree.payments.setOrderStatus(ORDER.orderId, word)
    expect(await gateway.getOrder(KEY)).toMatchObject({ value: { status, amountPaise: 10_000_050n } })
  })

  test('is ended once for good, and not when it was paid', async () => {
    await gateway.createOrder(ORDER)
    expect(await gateway.cancelOrder(KEY)).toEqual({ kind: 'value', value: null })
    expect(await gateway.cancelOrder(KEY)).toEqual({ kind: 'value', value: null })
    cashfree.payments.setOrderStatus(ORDER.orderId, 'PAID')
    expect(await gateway.cancelOrder(KEY)).toMatchObject({ kind: 'rejected', code: 'order_paid' })
    expect(await gateway.cancelOrder({ ...KEY, orderId: 'fund_other' })).toMatchObject({
      code: 'order_not_found',
    })
  })
})

describe('an attempt to pay', () => {
  beforeEach(() => gateway.createOrder(ORDER))

  test.each([
    ['SUCCESS', 'success'],
    ['FAILED', 'failed'],
    ['CANCELLED', 'failed'],
    ['VOID', 'failed'],
    ['USER_DROPPED', 'dropped'],
    ['PENDING', 'pending'],
    ['FLAGGED', 'pending'],
    ['SOMETHING_NEW', 'pending'],
  ])('%s is %s', async (word, status) => {
    cashfree.payments.pay(ORDER.orderId, { status: word })
    expect(await seen()).toMatchObject([{ status, paidAt: status === 'success' ? expect.any(Date) : null }])
  })

  test('that nobody has begun is none', async () => {
    cashfree.payments.pay(ORDER.orderId, { status: 'NOT_ATTEMPTED' })
    expect(await seen()).toEqual([])
  })

  test.each([
    ['upi', 'upi'],
    ['upi_credit_card', 'upi'],
    ['credit_card', 'card'],
    ['debit_card', 'card'],
    ['prepaid_card', 'card'],
    ['net_banking', 'netbanking'],
    ['wallet', 'other'],
    ['pay_later', 'other'],
    ['cardless_emi', 'other'],
  ])('by %s is by %s', async (group, method) => {
    cashfree.payments.pay(ORDER.orderId, { group })
    expect(await seen()).toMatchObject([{ method }])
  })

  test('keeps every digit of its id, its amount and the reference of the bank', async () => {
    const id = cashfree.payments.pay(ORDER.orderId, { at: new Date('2026-11-20T10:00:00.000Z') })
    expect(id).toMatch(/^90071992547409930\d\d$/)
    expect(await seen()).toEqual([
      {
        gatewayPaymentId: id,
        status: 'success',
        amountPaise: 10_000_050n,
        currency: 'INR',
        method: 'upi',
        paidAt: new Date('2026-11-20T10:00:00.000Z'),
        bankReference: `4${id.slice(-11)}`,
        chargedBack: false,
      },
    ])
  })

  test('was paid when its money was taken, not when it was begun', async () => {
    const begunAt = new Date('2026-11-20T10:00:00.000Z')
    const at = new Date('2026-11-20T10:31:00.000Z')
    cashfree.payments.pay(ORDER.orderId, { begunAt, at })
    expect(await seen()).toMatchObject([{ paidAt: at }])
  })

  test('stands behind those before it, whatever order they arrive in', async () => {
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute))
    const ids = [1, 2, 3].map(minute =>
      cashfree.payments.pay(ORDER.orderId, { status: 'FAILED', at: at(minute) }),
    )
    expect((await seen()).map(payment => payment.gatewayPaymentId)).toEqual(ids)
  })

  test('whose amount cannot be read hides nothing: the order is asked for again', async () => {
    cashfree.payments.pay(ORDER.orderId, { amount: '100.001' })
    expect(await gateway.getOrder(KEY)).toMatchObject({ kind: 'retryable' })
  })
})

describe('a dispute', () => {
  let paymentId: string
  beforeEach(async () => {
    await gateway.createOrder(ORDER)
    paymentId = cashfree.payments.pay(ORDER.orderId)
  })

  test.each([
    ['CHARGEBACK_CREATED', false],
    ['CHARGEBACK_DOCS_RECEIVED', false],
    ['CHARGEBACK_UNDER_REVIEW', false],
    ['CHARGEBACK_MERCHANT_WON', false],
    ['CHARGEBACK_MERCHANT_LOST', true],
    ['CHARGEBACK_MERCHANT_ACCEPTED', true],
    ['CHARGEBACK_INSUFFICIENT_EVIDENCE', true],
    ['DISPUTE_MERCHANT_LOST', true],
    ['PRE_ARBITRATION_MERCHANT_LOST', true],
    ['PRE_ARBITRATION_MERCHANT_WON', false],
    ['ARBITRATION_MERCHANT_LOST', true],
    ['RETRIEVAL_MERCHANT_LOST', false],
    ['SOMETHING_NEW', false],
  ])('%s has taken the money: %s', async (status, chargedBack) => {
    cashfree.payments.dispute(ORDER.orderId, paymentId, status)
    expect(await seen()).toMatchObject([{ gatewayPaymentId: paymentId, status: 'success', chargedBack }])
  })

  test('over a part of the payment does not take back the whole', async () => {
    cashfree.payments.dispute(ORDER.orderId, paymentId, 'CHARGEBACK_MERCHANT_LOST', '1.00')
    expect(await seen()).toMatchObject([{ chargedBack: false }])
  })

  test('is not asked about while nothing is paid, and an account without disputes is credited all the same', async () => {
    cashfree.payments.setPaymentStatus(paymentId, 'FAILED')
    cashfree.payments.dispute(ORDER.orderId, paymentId, 'CHARGEBACK_MERCHANT_LOST')
    await seen()
    expect(cashfree.lines.some(line => line.endsWith('/disputes'))).toBe(false)
    cashfree.payments.setPaymentStatus(paymentId, 'SUCCESS')
    const refusal = { kind: 'refuse', status: 400, code: 'feature_not_enabled' } as const
    cashfree.faults.next(`GET /pg/orders/${ORDER.orderId}/disputes`, refusal)
    expect(await seen()).toMatchObject([{ status: 'success', chargedBack: false }])
  })
})

describe('UPI', () => {
  beforeEach(() => gateway.createOrder(ORDER))

  test('begins with the address that any app opens, asked without credentials', async () => {
    const response = await gateway.startUpi(KEY, { channel: 'intent' })
    expect(response).toMatchObject({
      value: { intent: expect.stringMatching(/^upi:\/\/pay\?pa=.*&am=100000\.50&cu=INR$/) },
    })
    expect(cashfree.requests.at(-1)?.headers).not.toHaveProperty('x-client-secret')
  })

  test('has no address where Cashfree draws the code itself', async () => {
    expect(await gateway.startUpi(KEY, { channel: 'qr' })).toEqual({ kind: 'value', value: { intent: null } })
    expect(cashfree.requests.at(-1)?.text).toContain('"channel":"qrcode"')
  })

  test('asks the payer where it may, and says so where it may not', async () => {
    const request = { channel: 'collect', upiId: 'asha@examplebank' } as const
    expect(await gateway.startUpi(KEY, request)).toEqual({ kind: 'value', value: { intent: null } })
    expect(await seen()).toMatchObject([{ status: 'pending', method: 'upi' }])
    const wrong = await gateway.startUpi(KEY, { ...request, upiId: 'nobody@nowhere' })
    expect(wrong).toMatchObject({ kind: 'rejected', code: 'upi_id_invalid' })
    const without = createCashfreeGateway({ ...cashfree.gatewayOptions, upiCollect: false })
    const before = cashfree.requests.length
    expect(await without.startUpi(KEY, request)).toMatchObject({ kind: 'rejected', code: 'collect_disabled' })
    expect(cashfree.requests.length).toBe(before)
  })

  test('begins nothing on an order that is over or not there', async () => {
    cashfree.payments.setOrderStatus(ORDER.orderId, 'EXPIRED')
    expect(await gateway.startUpi(KEY, { channel: 'intent' })).toMatchObject({ code: 'order_inactive' })
    const unknown = { ...KEY, orderId: 'fund_other' }
    expect(await gateway.startUpi(unknown, { channel: 'intent' })).toMatchObject({ code: 'order_not_found' })
  })
})
