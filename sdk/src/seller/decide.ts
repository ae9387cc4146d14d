import type { Verification } from '../api/types.ts'
import type { PaymentProof } from '../protocol/messages.ts'
import type { AcceptedPayment, RefusalReason } from './options.ts'

/** The maximum difference of the clocks of two processes that sell the same thing. */
const MAX_CLOCK_SKEW_MS = 60_000

export interface Refused {
  readonly kind: 'refused'
  readonly reason: RefusalReason
}

export interface Paid {
  readonly kind: 'paid'
  readonly payment: AcceptedPayment
}

export function refused(reason: RefusalReason): Refused {
  return { kind: 'refused', reason }
}

export interface NonceAge {
  /** Unix milliseconds, as are all times here. */
  readonly issuedAt: number
  readonly now: number
  readonly ttlMs: number
  /** Whether it came in time before and could not be checked then. */
  readonly isAwaited: boolean
}

/** Whether a nonce is too old or too new; null if neither. */
export function decideAge(age: NonceAge): RefusalReason | null {
  if (age.issuedAt > age.now + MAX_CLOCK_SKEW_MS) return 'nonce_not_ours'
  const lastsUntil = age.isAwaited ? awaitedUntil(age) : age.issuedAt + age.ttlMs
  return age.now > lastsUntil ? 'nonce_expired' : null
}

/** A proof that came in time and could not be checked may be repeated for the same time again. */
function awaitedUntil({ issuedAt, ttlMs }: Pick<NonceAge, 'issuedAt' | 'ttlMs'>): number {
  return issuedAt + 2 * ttlMs
}

/** Until when a used nonce must be stored: after that every process, even with a slow clock, refuses it as expired. */
export function usedUntil(age: Pick<NonceAge, 'issuedAt' | 'ttlMs'>): Date {
  return new Date(awaitedUntil(age) + 2 * MAX_CLOCK_SKEW_MS)
}

/** What the service's verification of a payment means for its proof. */
export function decidePayment(verification: Verification, proof: PaymentProof): Refused | Paid {
  const { verified, reason, from, amount } = verification
  if (!verified) return refused(reason ?? 'transaction_not_found')
  if (from !== proof.fromAgent) return refused('payer_mismatch')
  if (amount === null) return refused('insufficient_amount')
  return { kind: 'paid', payment: { paymentId: proof.transactionId, from, amount, nonce: proof.nonce } }
}
