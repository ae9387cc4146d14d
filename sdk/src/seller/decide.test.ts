import { expect, test } from 'vitest'
import type { Verification } from '../api/types.ts'
import { decideAge, decidePayment, usedUntil } from './decide.ts'

const age = { issuedAt: 0, ttlMs: 600_000, isAwaited: false }

test('a nonce is valid for its time, and twice as long if it came in time and could not be checked', () => {
  expect(decideAge({ ...age, now: 0 })).toBeNull()
  expect(decideAge({ ...age, now: 600_000 })).toBeNull()
  expect(decideAge({ ...age, now: 600_001 })).toBe('nonce_expired')
  expect(decideAge({ ...age, now: 1_200_000, isAwaited: true })).toBeNull()
  expect(decideAge({ ...age, now: 1_200_001, isAwaited: true })).toBe('nonce_expired')
})

test('a nonce from the future is accepted only within the tolerance for clocks', () => {
  expect(decideAge({ ...age, issuedAt: 60_000, now: 0 })).toBeNull()
  expect(decideAge({ ...age, issuedAt: 60_001, now: 0 })).toBe('nonce_not_ours')
})

test('a use is remembered until every process refuses the nonce as expired, at any clock', () => {
  const forgottenAt = usedUntil(age).getTime()
  const slowest = forgottenAt - 60_000
  expect(decideAge({ ...age, now: slowest, isAwaited: true })).toBe('nonce_expired')
})

const agent = (letter: string) => `agt_01kb7q3f8meg5tz4x9wc2n6a0${letter}`
const proof = {
  version: 1,
  transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01',
  fromAgent: agent('1'),
  nonce: '6880aa69-d741-8af2-84f5-9676453066b8',
} as const
const verification: Verification = {
  verified: true,
  transaction_id: proof.transactionId,
  from: proof.fromAgent,
  to: agent('2'),
  amount: '12.50',
  refunded: '0.00',
  asset: 'INR',
  created_at: '2026-07-01T10:00:00.000Z',
}

test('a verified payment by the agent that presents it is accepted', () => {
  const { transactionId: paymentId, nonce, fromAgent: from } = proof
  const payment = { paymentId, from, amount: '12.50', nonce }
  expect(decidePayment(verification, proof)).toEqual({ kind: 'paid', payment })
})

test('a payment is refused with the service’s reason, or when another agent made it', () => {
  const reasonFor = (change: Partial<Verification>) => decidePayment({ ...verification, ...change }, proof)
  const failed = { verified: false, reason: 'nonce_mismatch' } as const
  expect(reasonFor(failed)).toEqual({ kind: 'refused', reason: 'nonce_mismatch' })
  expect(reasonFor({ verified: false })).toEqual({ kind: 'refused', reason: 'transaction_not_found' })
  expect(reasonFor({ from: agent('3') })).toEqual({ kind: 'refused', reason: 'payer_mismatch' })
  expect(reasonFor({ from: null })).toEqual({ kind: 'refused', reason: 'payer_mismatch' })
})
