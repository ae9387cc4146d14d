import { describe, expect, test } from 'vitest'
import type { GatewayOrder, GatewayPayment } from '../../../gateways/payment-gateway.ts'
import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { compareFunding, type FundingFacts } from './compare-funding.ts'
import { comparePayout, type PayoutFacts, type PayoutState } from './compare-payout.ts'
import { compareRefund, type RefundFacts } from './compare-refund.ts'
import { OVERDUE_MS, REFUND_DONE_WITHIN_MS, REFUND_SENT_WITHIN_MS, WEBHOOK_MS } from './difference.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')
const ago = (ms: number) => new Date(NOW.getTime() - ms)
const AMOUNT = paise(100_000n)
const NOTHING = paise(0n)
const [ID, AGENT] = [newUuid(NOW), newUuid(NOW)]

function funding(facts: Partial<FundingFacts>): FundingFacts {
  return {
    id: ID,
    agentId: AGENT,
    gateway: 'sandbox',
    gatewayOrderId: null,
    amountPaise: AMOUNT,
    status: 'pending',
    feePaise: null,
    gatewayPaymentId: null,
    createdAt: NOW,
    nextCheckAt: null,
    credit: null,
    takenBackPaise: NOTHING,
    refunds: [],
    ...facts,
  }
}

const FEE = paise(2_500n)
const CREDITED = {
  status: 'completed',
  feePaise: FEE,
  gatewayPaymentId: 'p1',
  credit: { grossPaise: AMOUNT, feePaise: FEE, account: AGENT },
} as const

function order(...payments: Partial<GatewayPayment>[]): GatewayOrder {
  const paid = payments.map((payment, index) => ({
    gatewayPaymentId: `p${index + 1}`,
    status: 'success' as const,
    amountPaise: AMOUNT,
    currency: 'INR',
    method: 'upi' as const,
    paidAt: ago(WEBHOOK_MS),
    bankReference: null,
    chargedBack: false,
    ...payment,
  }))
  return {
    orderId: 'fund_x',
    gatewayOrderId: 'g',
    gatewaySessionId: null,
    status: 'paid',
    amountPaise: AMOUNT,
    currency: 'INR',
    payments: paid,
  }
}

const kinds = (found: readonly { kind: string }[]) => found.map(({ kind }) => kind)

describe('a payment that no wallet was credited with', () => {
  test('is no difference while its webhook may be on the way, and one a millisecond later', () => {
    expect(compareFunding(funding({}), order({ paidAt: ago(WEBHOOK_MS - 1) }), NOW)).toEqual([])
    expect(kinds(compareFunding(funding({}), order({ paidAt: ago(WEBHOOK_MS) }), NOW))).toEqual([
      'payment_not_credited',
    ])
  })

  test('is no difference while a check is due or less than an hour overdue', () => {
    const due = (nextCheckAt: Date) => compareFunding(funding({ nextCheckAt }), order({}), NOW)
    expect(due(new Date(NOW.getTime() + 86_400_000))).toEqual([])
    expect(due(ago(OVERDUE_MS - 1))).toEqual([])
    expect(kinds(due(ago(OVERDUE_MS)))).toEqual(['payment_not_credited'])
  })

  test('is a difference at once if the gateway does not say when it was paid and no check is due', () => {
    expect(kinds(compareFunding(funding({}), order({ paidAt: null }), NOW))).toEqual(['payment_not_credited'])
  })

  test('is no difference once it was charged back', () => {
    expect(compareFunding(funding({}), order({ chargedBack: true }), NOW)).toEqual([])
  })
})

test('a chargeback is no difference while a check of its funding is due', () => {
  const seen = (nextCheckAt: Date | null) =>
    kinds(compareFunding(funding({ ...CREDITED, nextCheckAt }), order({ chargedBack: true }), NOW))
  expect(seen(ago(OVERDUE_MS - 1))).toEqual([])
  expect(seen(ago(OVERDUE_MS))).toEqual(['chargeback_not_posted'])
  expect(seen(null)).toEqual(['chargeback_not_posted'])
})

test('a credit without a payment is a difference at once', () => {
  expect(kinds(compareFunding(funding({ ...CREDITED, nextCheckAt: NOW }), null, NOW))).toEqual([
    'credited_not_paid',
  ])
})

describe('a refund', () => {
  const refund = (facts: Partial<RefundFacts>): RefundFacts => ({
    id: ID,
    agentId: AGENT,
    gateway: 'sandbox',
    orderId: 'fund_x',
    gatewayOrderId: null,
    gatewayPaymentId: 'p1',
    amountPaise: AMOUNT,
    status: 'due',
    createdAt: NOW,
    nextAttemptAt: null,
    ...facts,
  })

  test.each([null, 'failed'] as const)('that is %s there has a day to be sent', theirs => {
    const seen = (age: number) => compareRefund(refund({ createdAt: ago(age) }), theirs, NOW)
    expect(seen(REFUND_SENT_WITHIN_MS - 1)).toBeNull()
    expect(seen(REFUND_SENT_WITHIN_MS)).toMatchObject({ kind: 'refund_not_made' })
  })

  test('that the bank works on has ten days', () => {
    const seen = (age: number) =>
      compareRefund(refund({ status: 'sent', createdAt: ago(age) }), 'pending', NOW)
    expect(seen(REFUND_DONE_WITHIN_MS - 1)).toBeNull()
    expect(seen(REFUND_DONE_WITHIN_MS)).toMatchObject({ kind: 'refund_not_made' })
  })

  test('that the gateway has made is no difference until its next attempt is overdue', () => {
    const seen = (nextAttemptAt: Date | null) => compareRefund(refund({ nextAttemptAt }), 'done', NOW)
    expect(seen(ago(OVERDUE_MS - 1))).toBeNull()
    expect(seen(ago(OVERDUE_MS))).toMatchObject({ kind: 'refund_status_differs' })
    expect(seen(null)).toMatchObject({ kind: 'refund_status_differs' })
  })

  test('that is done here and not at the gateway is a difference at once', () => {
    for (const theirs of [null, 'failed', 'pending'] as const) {
      expect(compareRefund(refund({ status: 'done' }), theirs, NOW)).toMatchObject({
        kind: 'refund_not_made',
      })
    }
  })
})

describe('a payout', () => {
  function payout(status: PayoutState, facts: Partial<PayoutFacts> = {}): PayoutFacts {
    const isPaid = status === 'completed' || status === 'reversed'
    return {
      id: ID,
      agentId: AGENT,
      provider: 'sandbox',
      amountPaise: AMOUNT,
      status,
      utr: isPaid ? 'UTR1' : null,
      createdAt: ago(WEBHOOK_MS),
      nextCheckAt: null,
      postings: {
        outPaise: AMOUNT,
        paidPaise: isPaid ? AMOUNT : NOTHING,
        failedPaise: status === 'failed' ? AMOUNT : NOTHING,
        reversedPaise: status === 'reversed' ? AMOUNT : NOTHING,
      },
      ...facts,
    }
  }
  const there = (status: ProviderPayout['status']): ProviderPayout => ({
    transferId: 'po_x',
    providerPayoutId: null,
    status,
    amountPaise: AMOUNT,
    utr: status === 'success' || status === 'reversed' ? 'UTR1' : null,
    reason: null,
  })
  const STATES = ['pending', 'completed', 'failed', 'reversed'] as const
  const THEIRS = ['pending', 'success', 'failed', 'reversed'] as const

  test.each(STATES)('that is %s agrees only with the same outcome at the provider', status => {
    const agreeing = THEIRS.filter(
      theirs => !kinds(comparePayout(payout(status), there(theirs), NOW)).includes('payout_status_differs'),
    )
    const expected = {
      pending: ['pending'],
      completed: ['success'],
      failed: ['failed', 'reversed'],
      reversed: ['failed', 'reversed'],
    }
    expect(agreeing).toEqual(expected[status])
  })

  test('that is still checked follows the provider forward, never back', () => {
    const follows = (status: PayoutState) =>
      THEIRS.filter(
        theirs =>
          !kinds(
            comparePayout(payout(status, { nextCheckAt: ago(OVERDUE_MS - 1) }), there(theirs), NOW),
          ).includes('payout_status_differs'),
      )
    expect(follows('pending')).toEqual(['pending', 'success', 'failed', 'reversed'])
    expect(follows('completed')).toEqual(['success', 'reversed'])
    expect(follows('failed')).toEqual(['failed', 'reversed'])
  })

  test('that was never sent is no difference while it is checked', () => {
    const seen = (nextCheckAt: Date) => kinds(comparePayout(payout('pending', { nextCheckAt }), null, NOW))
    expect(seen(ago(OVERDUE_MS - 1))).toEqual([])
    expect(seen(ago(OVERDUE_MS))).toEqual(['payout_unknown_there'])
    expect(comparePayout(payout('failed'), null, NOW)).toEqual([])
    expect(kinds(comparePayout(payout('completed'), null, NOW))).toEqual(['payout_unknown_there'])
    expect(kinds(comparePayout(payout('reversed'), null, NOW))).toEqual(['payout_unknown_there'])
  })
})
