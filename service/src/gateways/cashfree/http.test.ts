import { afterEach, beforeEach, expect, test } from 'vitest'
import { onBehalfOf } from '../../db/database.ts'
import { silentLogger } from '../../kernel/logger.ts'
import { paise } from '../../kernel/money.ts'
import { openTracing } from '../../kernel/tracing.ts'
import { openTraceCollector } from '../../testing/trace-collector.ts'
import type { NewOrder, PaymentGateway } from '../payment-gateway.ts'
import { createCashfreeGateway } from './payment-gateway.ts'
import { FAKE_SECRETS, type FakeCashfree, startFakeCashfree } from './testing/fake-cashfree.ts'
import { FAULTS, type Fault } from './testing/faults.ts'

let cashfree: FakeCashfree
let gateway: PaymentGateway

beforeEach(async () => {
  cashfree = await startFakeCashfree()
  gateway = createCashfreeGateway(cashfree.gatewayOptions)
})
afterEach(() => cashfree.close())

const ORDER: NewOrder = {
  orderId: 'fund_01kb7q3f8meg5tz4x9wc2n6a01',
  amountPaise: paise(100_050n),
  currency: 'INR',
  customer: { id: 'own_01kb7q3f8meg5tz4x9wc2n6a02', phone: '9876543210' },
  note: 'Funding @researcher',
  expiresAt: new Date('2030-01-01T00:30:00.000Z'),
}
const KEY = { orderId: ORDER.orderId, gatewayOrderId: null }

/** What went wrong, what a write makes of it, and whether it took effect all the same. */
const WRITES: readonly (readonly [keyof typeof FAULTS, 'retryable' | 'unknown', boolean])[] = [
  ['unauthorized', 'retryable', false],
  ['forbidden', 'retryable', false],
  ['tooMany', 'retryable', false],
  ['idempotency', 'unknown', false],
  ['badGateway', 'unknown', false],
  ['badGatewayAfter', 'unknown', true],
  ['noResponseBefore', 'unknown', false],
  ['noResponseAfter', 'unknown', true],
  ['resetBefore', 'unknown', false],
  ['resetAfter', 'unknown', true],
  ['malformed', 'unknown', true],
  ['empty', 'unknown', true],
  ['stalled', 'unknown', true],
  ['endless', 'unknown', true],
]

test.each(WRITES)(
  'after %s a write is %s, and a query shows whether it took effect',
  async (name, kind, done) => {
    cashfree.faults.next('POST /pg/orders', FAULTS[name])
    expect(await gateway.createOrder(ORDER)).toMatchObject({ kind })
    const found = await gateway.getOrder(KEY)
    expect(found).toMatchObject({ kind: 'value', value: done ? { orderId: ORDER.orderId } : null })
  },
)

test.each(Object.entries(FAULTS))('after %s a question may be asked again', async (_name, fault) => {
  await gateway.createOrder(ORDER)
  for (const path of ['', '/payments']) {
    const line = `GET /pg/orders/${ORDER.orderId}${path}`
    cashfree.faults.next(line, fault)
    expect(await gateway.getOrder(KEY)).toMatchObject({ kind: 'retryable' })
  }
  expect(await gateway.getOrder(KEY)).toMatchObject({ kind: 'value' })
})

test('a slow response that comes in time counts', async () => {
  cashfree.faults.next('POST /pg/orders', { kind: 'slow', ms: 50 })
  expect(await gateway.createOrder(ORDER)).toMatchObject({ kind: 'value' })
})

test('nothing is sent where nobody listens, so it may be sent again', async () => {
  await cashfree.close()
  expect(await gateway.createOrder(ORDER)).toMatchObject({ kind: 'retryable' })
  cashfree = await startFakeCashfree()
})

test('a redirect is not followed: it would send the credentials to another host', async () => {
  const elsewhere = await startFakeCashfree()
  cashfree.faults.next('POST /pg/orders', { kind: 'redirect', to: `${elsewhere.url}/pg/orders` })
  expect(await gateway.createOrder(ORDER)).toMatchObject({ kind: 'unknown' })
  expect(elsewhere.requests).toEqual([])
  await elsewhere.close()
})

test('an order is not there only when Cashfree says so with its code', async () => {
  expect(await gateway.getOrder(KEY)).toEqual({ kind: 'value', value: null })
  const line = `GET /pg/orders/${ORDER.orderId}`
  const others: readonly Fault[] = [
    { kind: 'refuse', status: 404, code: 'route_not_found' },
    { kind: 'refuse', status: 404, code: '<html>' },
    { kind: 'refuse', status: 404, code: '' },
  ]
  for (const fault of others) {
    cashfree.faults.next(line, fault)
    expect((await gateway.getOrder(KEY)).kind).not.toBe('value')
  }
})

test('wrong credentials are named as such and refused by the other side', async () => {
  const wrong = createCashfreeGateway({ ...cashfree.gatewayOptions, clientSecret: 'wrong-secret' })
  const response = await wrong.createOrder(ORDER)
  expect(response).toMatchObject({ kind: 'retryable', message: expect.stringContaining('credentials') })
  expect(cashfree.payments.orders.size).toBe(0)
})

test('no message holds a secret, an address, or what Cashfree quotes of personal data', async () => {
  const faults = [
    ...Object.values(FAULTS),
    { kind: 'refuse', status: 400, code: 'customer_phone_invalid' } as const,
  ]
  const responses: unknown[] = []
  for (const fault of faults) {
    cashfree.faults.next('POST /pg/orders', fault)
    responses.push(await gateway.createOrder({ ...ORDER, orderId: `order_${responses.length}` }))
  }
  await cashfree.close()
  responses.push(await gateway.createOrder(ORDER))
  const said = JSON.stringify(responses)
  for (const secret of [
    FAKE_SECRETS.payments,
    'TEST_PAYMENTS',
    '9876543210',
    '026291800001191',
    'http://',
    ORDER.customer.id,
  ]) {
    expect(said).not.toContain(secret)
  }
  expect(said).toContain('customer_phone_invalid')
  cashfree = await startFakeCashfree()
})

test('a call is a span, in the trace of the request that causes it, and Cashfree gets its context', async () => {
  const collector = await openTraceCollector()
  const tracing = await openTracing(
    { endpoint: collector.endpoint, headers: {}, serviceName: 'batua', sampler: 'always_on', argument: 1 },
    silentLogger(),
  )
  const traced = createCashfreeGateway({ ...cashfree.gatewayOptions, tracing })
  const request = tracing.root('a request', { kind: 'server' })
  const origin = { purpose: 'shared', party: 'a platform', span: request } as const
  await onBehalfOf(origin, () => traced.createOrder(ORDER))
  cashfree.faults.next(`GET /pg/orders/${ORDER.orderId}`, FAULTS.badGateway)
  await traced.getOrder(KEY)
  request.end()
  await tracing.close()
  await collector.close()

  const [first, second] = collector.named('gateway call')
  const caller = collector.named('a request')[0]
  expect(first).toMatchObject({ traceId: request.traceId, parentSpanId: caller?.spanId, hasFailed: false })
  expect(first?.attributes).toEqual({
    'server.address': '127.0.0.1',
    'http.request.method': 'POST',
    'http.response.status_code': 200,
  })
  expect(second).toMatchObject({ parentSpanId: null, hasFailed: true })
  expect(second?.attributes['http.response.status_code']).toBe(502)
  const sent = cashfree.requests.map(({ headers }) => headers['traceparent'])
  expect(sent.slice(0, 2)).toEqual([
    `00-${first?.traceId}-${first?.spanId}-01`,
    `00-${second?.traceId}-${second?.spanId}-01`,
  ])
  expect(collector.text()).not.toContain(ORDER.orderId)
})
