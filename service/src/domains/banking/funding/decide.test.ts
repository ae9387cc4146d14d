import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { GatewayOrder, GatewayPayment } from '../../../gateways/payment-gateway.ts'
import { paise } from '../../../kernel/money.ts'
import {
  CHECK_EVERY_MS,
  decideTransition,
  gatewayFee,
  NO_RESPONSE_MS,
  nextCheckAt,
  type ProviderStatus,
  SESSION_MS,
} from './decide.ts'
import type { Funding } from './funding.ts'

const start = new Date('2026-11-20T10:00:00.000Z')
const after = (ms: number) => new Date(start.getTime() + ms)
const inTime = after(60_000)
const tooLate = after(SESSION_MS + 1)

const funding: Funding = {
  id: '01890000-0000-7000-8000-000000000010',
  agentId: '01890000-0000-7000-8000-00000000000a',
  sessionId: '01890000-0000-4000-8000-00000000000b',
  gateway: 'sandbox',
  method: 'link',
  amountPaise: paise(100_000n),
  createdAt: start,
  expiresAt: after(SESSION_MS),
  agentEndedAt: null,
  openedAt: start,
  gatewayOrderId: 'o1',
  gatewaySessionId: null,
  upiIntent: null,
  status: 'pending',
  failureReason: null,
  lastAttempt: null,
  paidMethod: null,
  feePaise: null,
  gatewayPaymentId: null,
  bankReference: null,
  closedAt: null,
  reversedAt: null,
  nextCheckAt: null,
}
const failed: Funding = { ...funding, status: 'failed', closedAt: inTime }
const completed: Funding = { ...funding, status: 'completed', gatewayPaymentId: 'p1', closedAt: inTime }

const payment: GatewayPayment = {
  gatewayPaymentId: 'p1',
  status: 'success',
  amountPaise: paise(100_000n),
  currency: 'INR',
  method: 'upi',
  paidAt: inTime,
  bankReference: '123',
  chargedBack: false,
}

function seen(
  payments: readonly GatewayPayment[],
  status: GatewayOrder['status'] = 'active',
): ProviderStatus {
  const order = { orderId: 'x', gatewayOrderId: 'o1', gatewaySessionId: null, amountPaise: paise(100_000n) }
  return { kind: 'order', order: { ...order, status, currency: 'INR', payments } }
}

describe('the fee', () => {
  test('is 2.5 % of the amount, half a paisa rounded up, for upi, card and netbanking alike', () => {
    for (const method of ['upi', 'card', 'netbanking'] as const) {
      expect(gatewayFee(paise(100_000n), method)).toBe(2_500n)
      expect(gatewayFee(paise(100n), method)).toBe(3n)
      expect(gatewayFee(paise(101n), method)).toBe(3n)
      expect(gatewayFee(paise(99n), method)).toBe(2n)
    }
    expect(gatewayFee(paise(100_000n), 'other')).toBe(0n)
  })

  test('never takes the whole of the smallest amount', () => {
    fc.assert(
      fc.property(fc.bigInt(100n, 10n ** 12n), amount => {
        const fee = gatewayFee(paise(amount), 'card')
        return (
          fee > 0n &&
          fee < amount &&
          fee * 2n * 40n - amount * 2n <= 40n &&
          amount * 2n - fee * 2n * 40n < 41n
        )
      }),
    )
  })
})

describe('a pending session', () => {
  test('is completed by a payment of the right amount in time', () => {
    expect(decideTransition(funding, seen([payment], 'paid'), inTime)).toEqual({
      step: { kind: 'complete', payment, feePaise: 2_500n },
      refunds: [],
      lastAttempt: 'success',
    })
  })

  test('is completed by a payment in time even when it is found only after the expiry', () => {
    const transition = decideTransition(
      funding,
      seen([{ ...payment, paidAt: funding.expiresAt }], 'closed'),
      tooLate,
    )
    expect(transition.step.kind).toBe('complete')
  })

  test('is never completed by a payment after its expiry, which is refunded', () => {
    const transition = decideTransition(funding, seen([{ ...payment, paidAt: tooLate }], 'closed'), tooLate)
    expect(transition).toMatchObject({
      step: { kind: 'fail', reason: 'expired' },
      refunds: [{ reason: 'late' }],
    })
  })

  test.each([
    ['wrong_amount', { amountPaise: paise(99_999n) }],
    ['wrong_amount', { amountPaise: paise(100_001n) }],
    ['wrong_currency', { currency: 'USD' }],
  ] as const)('refunds %s and stays open', (reason, wrong) => {
    const transition = decideTransition(funding, seen([{ ...payment, ...wrong }]), inTime)
    expect(transition).toMatchObject({ step: { kind: 'wait' }, refunds: [{ reason }] })
  })

  test('is completed by the first of two payments and refunds the second, in whatever order they are listed', () => {
    const second = { ...payment, gatewayPaymentId: 'p2', paidAt: after(61_000) }
    for (const both of [
      [payment, second],
      [second, payment],
    ]) {
      expect(decideTransition(funding, seen(both, 'paid'), inTime)).toMatchObject({
        step: { kind: 'complete', payment: { gatewayPaymentId: 'p1' } },
        refunds: [{ payment: { gatewayPaymentId: 'p2' }, reason: 'second_payment' }],
      })
    }
  })

  test.each(['failed', 'dropped', 'pending'] as const)('stays open after an attempt that is %s', status => {
    const transition = decideTransition(funding, seen([{ ...payment, status, paidAt: null }]), inTime)
    expect(transition).toEqual({ step: { kind: 'wait' }, refunds: [], lastAttempt: status })
  })

  test('fails when the gateway has closed its order', () => {
    const declined = { ...payment, status: 'failed', paidAt: null } as const
    expect(decideTransition(funding, seen([], 'closed'), inTime).step).toEqual({
      kind: 'fail',
      reason: 'expired',
    })
    expect(decideTransition(funding, seen([declined], 'closed'), inTime).step).toEqual({
      kind: 'fail',
      reason: 'payment_failed',
    })
  })

  test('fails at its expiry, not a millisecond before', () => {
    expect(decideTransition(funding, seen([]), after(SESSION_MS - 1)).step.kind).toBe('wait')
    expect(decideTransition(funding, seen([]), after(SESSION_MS)).step.kind).toBe('fail')
    expect(decideTransition(funding, { kind: 'none' }, after(SESSION_MS)).step.kind).toBe('fail')
  })

  test('waits while the gateway gives no response, but not for ever', () => {
    const noResponse = { kind: 'no_response' } as const
    expect(decideTransition(funding, noResponse, tooLate).step.kind).toBe('wait')
    expect(decideTransition(funding, noResponse, after(SESSION_MS + NO_RESPONSE_MS)).step.kind).toBe('fail')
  })

  test('is completed although it is being cancelled when it was paid before', () => {
    expect(
      decideTransition(funding, seen([payment], 'paid'), inTime, { ending: 'cancelled' }).step.kind,
    ).toBe('complete')
    expect(decideTransition(funding, seen([]), inTime, { ending: 'cancelled' }).step).toEqual({
      kind: 'fail',
      reason: 'cancelled',
    })
  })

  test('is not completed by a payment that is being refunded, but by the next one', () => {
    const returned = new Set(['p1'])
    expect(decideTransition(funding, seen([payment], 'paid'), inTime, { returned }).step.kind).toBe('wait')
    const second = { ...payment, gatewayPaymentId: 'p2' }
    expect(decideTransition(funding, seen([payment, second], 'paid'), inTime, { returned })).toMatchObject({
      step: { kind: 'complete', payment: { gatewayPaymentId: 'p2' } },
    })
  })

  test('is not completed by a payment that the bank has already reversed', () => {
    const transition = decideTransition(funding, seen([{ ...payment, chargedBack: true }], 'paid'), inTime)
    expect(transition).toMatchObject({ step: { kind: 'wait' }, refunds: [] })
  })
})

describe('a session whose agent was deactivated', () => {
  const ended: Funding = { ...funding, expiresAt: inTime, agentEndedAt: inTime }

  test('is completed by a payment before the deactivation, and by none after it', () => {
    expect(decideTransition(ended, seen([payment], 'paid'), tooLate).step.kind).toBe('complete')
    const late = { ...payment, paidAt: after(60_001) }
    expect(decideTransition(ended, seen([late], 'paid'), after(60_001))).toMatchObject({
      step: { kind: 'fail', reason: 'agent_deactivated' },
      refunds: [{ reason: 'late' }],
    })
  })

  test('ends unpaid with the agent, and waits while the gateway gives no response', () => {
    expect(decideTransition(ended, seen([]), inTime).step).toEqual({
      kind: 'fail',
      reason: 'agent_deactivated',
    })
    expect(decideTransition(ended, { kind: 'no_response' }, inTime).step.kind).toBe('wait')
  })

  test('fails as expired when it had expired before the deactivation', () => {
    const expired: Funding = { ...funding, agentEndedAt: tooLate }
    expect(decideTransition(expired, seen([]), tooLate).step).toEqual({ kind: 'fail', reason: 'expired' })
  })
})

describe('a session that is over', () => {
  test('never completes: a later payment is refunded', () => {
    expect(decideTransition(failed, seen([payment], 'paid'), inTime)).toMatchObject({
      step: { kind: 'wait' },
      refunds: [{ reason: 'late' }],
    })
  })

  test('completes only once: a repeated report of its payment changes nothing, another payment is refunded', () => {
    expect(decideTransition(completed, seen([payment], 'paid'), inTime)).toMatchObject({
      step: { kind: 'wait' },
      refunds: [],
    })
    const second = { ...payment, gatewayPaymentId: 'p2' }
    expect(decideTransition(completed, seen([payment, second], 'paid'), inTime).refunds).toMatchObject([
      { reason: 'second_payment' },
    ])
  })

  test('is reversed once by a chargeback of the payment that completed it, and by no other', () => {
    const back = { ...payment, chargedBack: true }
    expect(decideTransition(completed, seen([back], 'paid'), inTime)).toMatchObject({
      step: { kind: 'reverse' },
      refunds: [],
    })
    expect(
      decideTransition({ ...completed, status: 'reversed' }, seen([back], 'paid'), inTime).step.kind,
    ).toBe('wait')
    const other = { ...back, gatewayPaymentId: 'p2' }
    expect(decideTransition(completed, seen([payment, other], 'paid'), inTime)).toMatchObject({
      step: { kind: 'wait' },
      refunds: [],
    })
  })

  test('does not end twice', () => {
    for (const over of [completed, failed]) {
      expect(decideTransition(over, seen([], 'closed'), tooLate, { ending: 'cancelled' }).step.kind).toBe(
        'wait',
      )
    }
  })
})

describe('the next check', () => {
  test('comes within half a minute while the payer may pay, and at the expiry at the latest', () => {
    expect(nextCheckAt(funding, start)).toEqual(after(CHECK_EVERY_MS))
    expect(nextCheckAt(funding, after(SESSION_MS - 1_000))).toEqual(after(SESSION_MS))
  })

  test('of a session whose page was never opened comes at its expiry', () => {
    expect(nextCheckAt({ ...funding, openedAt: null }, start)).toEqual(after(SESSION_MS))
  })

  test('is always in the future, and after the end of a session comes ever later until none is left', () => {
    const moments = [0, 1, 60_000, 30 * 60_000, SESSION_MS, 10 ** 8, 10 ** 9].map(after)
    for (const state of [funding, failed, completed, { ...funding, openedAt: null }]) {
      for (const now of moments) {
        const next = nextCheckAt(state, now)
        expect(next === null || next > now).toBe(true)
      }
    }
    expect(nextCheckAt(failed, after(10 ** 9))).toBeNull()
  })

  test('after a last check without a response comes again, ever later', () => {
    const day = 24 * 60 * 60_000
    const closed = { ...failed, closedAt: start }
    expect(nextCheckAt(closed, after(day), false)).toEqual(after(1.25 * day))
    expect(nextCheckAt(closed, after(4 * day), false)).toEqual(after(5 * day))
    expect(nextCheckAt(closed, after(day))).toBeNull()
  })
})
