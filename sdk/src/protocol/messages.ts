/**
 * What travels in the two headers of a pay-per-call (interface section 4, Pay-per-call). The names are the wire's.
 */

/** The header of a 402 answer. */
export const CHALLENGE_HEADER = 'X-SERVICE-PAY'

/** The header of the repeated request. */
export const PROOF_HEADER = 'X-SERVICE-PAYMENT'

/** What a seller asks for. */
export interface PaymentChallenge {
  /** Whom to pay: a handle or an agent id. */
  readonly payTo: string
  /** INR, a decimal string: `12.50`. */
  readonly amount: string
  readonly asset: 'INR'
  /** A UUID, accepted once; the payer uses it as the payment's reference. */
  readonly nonce: string
}

/** How a buyer shows that it has paid. */
export interface PaymentProof {
  readonly version: 1
  /** The payment's id, `pay_…`. */
  readonly transactionId: string
  /** The payer's id, `agt_…`. */
  readonly fromAgent: string
  readonly nonce: string
}
