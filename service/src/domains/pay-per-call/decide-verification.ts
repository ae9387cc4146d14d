import type { VerifyFailure } from '@batua/contract'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { VerifiablePayment } from './verifiable-payment.ts'

/** What the seller expects of the payment; null where the request does not state it. */
export interface Expectation {
  /** The agent that the request names as the payee; its id is null when no agent has that name. */
  readonly payee: { readonly id: Uuid | null } | null
  /** The agent that the request names as the payer, in the same way. */
  readonly payer: { readonly id: Uuid | null } | null
  readonly amountPaise: Paise | null
  readonly nonce: string | null
}

/** The earlier use of a payee's nonce. */
export interface NonceUse {
  readonly paymentId: Uuid
  /** The seller's own id for that use (`consume_id`), if it gave one. */
  readonly consumeId: string | null
}

export interface VerificationFacts {
  readonly payment: VerifiablePayment
  readonly refundedPaise: Paise
  readonly callerId: Uuid
  readonly expected: Expectation
  /**
   * Whether this very use of the nonce was granted before. Then the first response holds, whatever happened after it.
   */
  readonly granted: boolean
}

/** The reason why the payment is not what the seller expects, in the order of interface section 4; null when it is. */
export function decideVerification(facts: VerificationFacts): VerifyFailure | null {
  const { payment, expected } = facts
  if (!payment.isCompleted) return 'transaction_not_completed'
  const leftPaise = facts.granted ? payment.amountPaise : payment.amountPaise - facts.refundedPaise
  if (leftPaise <= 0n) return 'transaction_not_completed'
  if (payment.payee !== facts.callerId) return 'not_payee'
  if (expected.payee !== null && expected.payee.id !== payment.payee) return 'payee_mismatch'
  if (expected.payer !== null && expected.payer.id !== payment.payer) return 'payer_mismatch'
  if (expected.amountPaise !== null && leftPaise < expected.amountPaise) return 'insufficient_amount'
  if (expected.nonce !== null && !isNonceOf(payment, expected.nonce)) return 'nonce_mismatch'
  return null
}

/** Texts are compared in one Unicode form, because the two sides may type different ones. */
function isNonceOf({ reference }: VerifiablePayment, nonce: string): boolean {
  return reference !== null && reference.normalize('NFC') === nonce.normalize('NFC')
}

/** Whether a use of a nonce is the one that was granted before. A use without a `consume_id` never equals another. */
export function isSameUse(used: NonceUse | null, paymentId: Uuid, consumeId: string | null): boolean {
  return used !== null && consumeId !== null && used.paymentId === paymentId && used.consumeId === consumeId
}
