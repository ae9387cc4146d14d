import { expect, test } from 'vitest'
import { makeFakeWebhook } from './testing/fake-webhooks.ts'
import { bare } from './testing/reply.ts'
import { readPaymentWebhook } from './webhooks.ts'

const now = new Date('2026-11-20T10:00:00.000Z')
const ORDER = 'fund_01kb7q3f8meg5tz4x9wc2n6a01'
const PAYMENT_ID = '9007199254740993127'

function read(
  type: string,
  data: unknown,
  { signedWith = 'new', reserialised = false, secrets = ['new'] } = {},
) {
  const { body, headers } = makeFakeWebhook(type, data, { secret: signedWith, now, reserialised })
  return readPaymentWebhook(Buffer.from(body), { ...headers }, secrets)
}

const payment = { order: { order_id: ORDER }, payment: { cf_payment_id: bare(PAYMENT_ID) } }
const refund = (status: string) => ({
  refund: { refund_id: 'refund_1', order_id: ORDER, refund_status: status },
})
const dispute = (status: string) => ({
  dispute: { dispute_id: bare('433475257'), dispute_status: status },
  order_details: { order_id: ORDER, cf_payment_id: bare(PAYMENT_ID) },
})

test.each([
  ['PAYMENT_SUCCESS_WEBHOOK', payment],
  ['PAYMENT_FAILED_WEBHOOK', payment],
  ['PAYMENT_USER_DROPPED_WEBHOOK', payment],
  ['DISPUTE_CREATED', dispute('CHARGEBACK_CREATED')],
  ['DISPUTE_UPDATED', dispute('CHARGEBACK_UNDER_REVIEW')],
  ['DISPUTE_CLOSED', dispute('CHARGEBACK_MERCHANT_LOST')],
  [
    'AUTO_REFUND_STATUS_WEBHOOK',
    { auto_refund: { cf_refund_id: '1', order_id: ORDER, refund_status: 'SUCCESS' } },
  ],
])('%s says which order to ask about', (type, data) => {
  expect(read(type, data)).toMatchObject({ valid: true, events: [{ kind: 'order', type, orderId: ORDER }] })
})

test('a webhook about a refund names the refund to query', () => {
  const { events } = read('REFUND_STATUS_WEBHOOK', refund('SUCCESS'))
  expect(events).toEqual([{ kind: 'refund', type: 'REFUND_STATUS_WEBHOOK', refundId: 'refund_1' }])
})

test.each(['SETTLEMENT_INITIATED', 'SETTLEMENT_SUCCESS', 'SETTLEMENT_FAILED', 'SOMETHING_NEW_WEBHOOK'])(
  '%s is valid and concerns no order',
  type => {
    expect(read(type, { settlement: { cf_settlement_id: 1 } })).toMatchObject({ valid: true, events: [] })
    expect(read(type, payment)).toMatchObject({ valid: true, events: [] })
  },
)

test('copies of a webhook about a payment have one key, made of the type and the whole id', () => {
  const later = makeFakeWebhook('PAYMENT_SUCCESS_WEBHOOK', payment, {
    secret: 'new',
    now: new Date(now.getTime() + 1),
  })
  const copy = readPaymentWebhook(Buffer.from(later.body), { ...later.headers }, ['new'])
  const first = read('PAYMENT_SUCCESS_WEBHOOK', payment)
  expect(copy.dedupeKey).toBe(first.dedupeKey)
  expect(first.dedupeKey).toBe(`PAYMENT_SUCCESS_WEBHOOK:${PAYMENT_ID}`)
  expect(read('PAYMENT_FAILED_WEBHOOK', payment).dedupeKey).not.toBe(first.dedupeKey)
  const neighbour = { ...payment, payment: { cf_payment_id: bare('9007199254740993128') } }
  expect(read('PAYMENT_SUCCESS_WEBHOOK', neighbour).dedupeKey).not.toBe(first.dedupeKey)
})

test('the next state of a refund or of a dispute is not taken for a copy', () => {
  const keys = [
    read('REFUND_STATUS_WEBHOOK', refund('PENDING')).dedupeKey,
    read('REFUND_STATUS_WEBHOOK', refund('SUCCESS')).dedupeKey,
    read('DISPUTE_UPDATED', dispute('CHARGEBACK_UNDER_REVIEW')).dedupeKey,
    read('DISPUTE_UPDATED', dispute('PRE_ARBITRATION_CREATED')).dedupeKey,
  ]
  expect(new Set(keys).size).toBe(keys.length)
})

test('during the rotation of a secret both secrets are valid; afterwards the old one is not', () => {
  const both = ['new', 'old']
  expect(read('PAYMENT_SUCCESS_WEBHOOK', payment, { signedWith: 'old', secrets: both }).valid).toBe(true)
  expect(read('PAYMENT_SUCCESS_WEBHOOK', payment, { signedWith: 'new', secrets: both }).valid).toBe(true)
  expect(read('PAYMENT_SUCCESS_WEBHOOK', payment, { signedWith: 'old' })).toMatchObject({
    valid: false,
    events: [],
  })
  expect(read('PAYMENT_SUCCESS_WEBHOOK', payment, { secrets: [] }).valid).toBe(false)
})

test('a body that was reformatted on the way fails verification', () => {
  expect(read('PAYMENT_SUCCESS_WEBHOOK', payment, { reserialised: true })).toMatchObject({
    valid: false,
    events: [],
  })
})

test('a signature without its time, or over another time, is invalid', () => {
  const { body, headers } = makeFakeWebhook('PAYMENT_SUCCESS_WEBHOOK', payment, { secret: 'new', now })
  const { 'x-webhook-timestamp': _time, ...without } = headers
  expect(readPaymentWebhook(Buffer.from(body), without, ['new']).valid).toBe(false)
  const moved = { ...headers, 'x-webhook-timestamp': '1' }
  expect(readPaymentWebhook(Buffer.from(body), moved, ['new']).valid).toBe(false)
})

test('signed bytes of an unknown form are valid and have no events', () => {
  for (const data of [null, 'text', [], { order: { order_id: 7 } }]) {
    const { valid, events } = read('PAYMENT_SUCCESS_WEBHOOK', data)
    expect(valid).toBe(true)
    expect(events.every(event => event.kind === 'order' && event.orderId === '7')).toBe(true)
  }
})
