import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PaymentGateway } from '../payment-gateway.ts'
import { createCashfreeGateway } from './payment-gateway.ts'
import { type FakeCashfree, startFakeCashfree } from './testing/fake-cashfree.ts'
import { FAULTS } from './testing/faults.ts'
import { bare } from './testing/reply.ts'

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

const from = new Date('2026-11-19T00:00:00.000Z')
const to = new Date('2026-11-20T00:00:00.000Z')
const ID = '9007199254740993127'
const when = { event_time: '2026-11-19T15:30:00+05:30' }
const at = new Date('2026-11-19T10:00:00.000Z')
const payment = { ...when, order_id: 'fund_1', cf_payment_id: bare(ID), event_amount: bare('1000.00') }

test.each([
  [
    {
      ...payment,
      event_type: 'PAYMENT',
      event_status: 'SUCCESS',
      payment_service_charge: bare('20.00'),
      payment_service_tax: bare('3.60'),
    },
    { kind: 'payment', orderId: 'fund_1', id: ID, amountPaise: 100_000n, chargesPaise: 2_360n, at },
  ],
  [
    {
      ...payment,
      event_type: 'REFUND',
      event_status: 'SUCCESS',
      refund_id: 'refund_1',
      event_amount: bare('-1000.00'),
    },
    { kind: 'refund', orderId: 'fund_1', id: 'refund_1', amountPaise: 100_000n, chargesPaise: null, at },
  ],
  [
    { ...payment, event_type: 'CHARGEBACK', closed_in_favor_of: 'Customer' },
    { kind: 'chargeback', orderId: 'fund_1', id: ID, amountPaise: 100_000n, chargesPaise: null, at },
  ],
  [
    {
      ...when,
      event_type: 'SETTLEMENT',
      settlement_utr: 'UTR1',
      amount_settled: bare('976.40'),
      settlement_charge: bare('1.00'),
      settlement_tax: bare('0.18'),
    },
    { kind: 'settlement', orderId: null, id: 'UTR1', amountPaise: 97_640n, chargesPaise: 118n, at },
  ],
])('an entry becomes a record to the paisa: %j', async (entry, record) => {
  cashfree.payments.record(entry)
  expect(await gateway.listRecords(from, to, null)).toEqual({
    kind: 'value',
    value: { records: [record], nextCursor: null },
  })
})

test.each([
  { ...payment, event_type: 'PAYMENT', event_status: 'FAILED' },
  { ...payment, event_type: 'REFUND', event_status: 'PENDING', refund_id: 'refund_1' },
  { ...payment, event_type: 'DISPUTE', closed_in_favor_of: null },
  { ...payment, event_type: 'DISPUTE', closed_in_favor_of: 'Merchant' },
  { ...payment, event_type: 'DISPUTE_REVERSAL' },
  { ...payment, event_type: 'OTHER_ADJUSTMENT' },
])('what moved nothing of ours for good is no record: %j', async entry => {
  cashfree.payments.record(entry)
  expect(await gateway.listRecords(from, to, null)).toMatchObject({ value: { records: [] } })
})

test('page follows page until there is none', async () => {
  for (let index = 0; index < 5; index++) {
    cashfree.payments.record({ ...payment, event_type: 'PAYMENT', cf_payment_id: String(index) })
  }
  cashfree.payments.pagesOf(2)
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page = await gateway.listRecords(from, to, cursor)
    if (page.kind !== 'value') throw new Error(page.message)
    ids.push(...page.value.records.map(record => record.id))
    cursor = page.value.nextCursor
  } while (cursor !== null)
  expect(ids).toEqual(['0', '1', '2', '3', '4'])
})

test.each(['badGateway', 'noResponseBefore', 'malformed', 'tooMany'] as const)(
  'after %s it may be asked again',
  async name => {
    cashfree.faults.next('POST /pg/recon', FAULTS[name])
    expect(await gateway.listRecords(from, to, null)).toMatchObject({ kind: 'retryable' })
  },
)
