import { afterEach, beforeEach, expect, test } from 'vitest'
import { paise } from '../../kernel/money.ts'
import type { PaymentGateway, Refund } from '../payment-gateway.ts'
import { createCashfreeGateway } from './payment-gateway.ts'
import { type FakeCashfree, startFakeCashfree } from './testing/fake-cashfree.ts'
import { FAULTS } from './testing/faults.ts'

let cashfree: FakeCashfree
let gateway: PaymentGateway
const KEY = { orderId: 'fund_01kb7q3f8meg5tz4x9wc2n6a01', gatewayOrderId: null }
const LINE = `POST /pg/orders/${KEY.orderId}/refunds`
let request: Refund

beforeEach(async () => {
  cashfree = await startFakeCashfree()
  gateway = createCashfreeGateway(cashfree.gatewayOptions)
  await gateway.createOrder({
    ...KEY,
    amountPaise: paise(100_000n),
    currency: 'INR',
    customer: { id: 'own_1', phone: '9876543210' },
    note: 'Funding @researcher',
    expiresAt: new Date('2030-01-01T00:30:00.000Z'),
  })
  const gatewayPaymentId = cashfree.payments.pay(KEY.orderId)
  request = {
    refundId: 'refund_01kb7q3f8meg5tz4x9wc2n6a03',
    gatewayPaymentId,
    amountPaise: paise(100_000n),
    currency: 'INR',
    note: 'Returned: late',
  }
})
afterEach(async () => {
  expect(cashfree.violations).toEqual([])
  await cashfree.close()
})

test.each([
  ['SUCCESS', 'done'],
  ['PENDING', 'pending'],
  ['ONHOLD', 'pending'],
  ['CANCELLED', 'failed'],
  ['FAILED', 'failed'],
  ['SOMETHING_NEW', 'pending'],
])('a refund that is %s is %s', async (word, status) => {
  cashfree.payments.refundsBecome(word)
  expect(await gateway.refund(KEY, request)).toEqual({ kind: 'value', value: status })
  expect(await gateway.getRefund(KEY, request.refundId)).toEqual({ kind: 'value', value: status })
})

test('one id refunds once, however often it is sent', async () => {
  await gateway.refund(KEY, request)
  await gateway.refund(KEY, { ...request, note: 'Returned again' })
  const other = createCashfreeGateway(cashfree.gatewayOptions)
  await other.refund(KEY, request)
  expect(cashfree.payments.refunds.size).toBe(1)
})

test('a refund that is there already is taken as it is, unless it is over another amount', async () => {
  await gateway.refund(KEY, request)
  cashfree.payments.setRefundStatus(request.refundId, 'PENDING')
  cashfree.faults.next(LINE, { kind: 'refuse', status: 409, code: 'refund_already_exists' })
  expect(await gateway.refund(KEY, request)).toEqual({ kind: 'value', value: 'pending' })
  cashfree.faults.next(LINE, { kind: 'refuse', status: 409, code: 'refund_already_exists' })
  const other = await gateway.refund(KEY, { ...request, amountPaise: paise(1n) })
  expect(other).toMatchObject({ kind: 'rejected', code: 'refund_already_exists' })
})

test('a refund that took effect without a response is found by a query', async () => {
  cashfree.faults.next(LINE, FAULTS.noResponseAfter)
  expect(await gateway.refund(KEY, request)).toMatchObject({ kind: 'unknown' })
  expect(await gateway.getRefund(KEY, request.refundId)).toEqual({ kind: 'value', value: 'done' })
})

test('a refused refund counts as refused only if no refund has its id; otherwise it is queried', async () => {
  cashfree.faults.next(LINE, { kind: 'refuse', status: 400, code: 'refund_amount_invalid' })
  expect(await gateway.refund(KEY, request)).toMatchObject({
    kind: 'rejected',
    code: 'refund_amount_invalid',
  })
  cashfree.faults.next(LINE, { kind: 'refuse', status: 409, code: 'refund_already_exists' })
  cashfree.faults.next(`GET /pg/orders/${KEY.orderId}/refunds`, FAULTS.badGateway)
  expect(await gateway.refund(KEY, request)).toMatchObject({ kind: 'unknown' })
})

test('a refund that Cashfree never got is null, of an unknown order too', async () => {
  expect(await gateway.getRefund(KEY, request.refundId)).toEqual({ kind: 'value', value: null })
  const unknown = { orderId: 'fund_other', gatewayOrderId: null }
  expect(await gateway.getRefund(unknown, request.refundId)).toEqual({ kind: 'value', value: null })
})
