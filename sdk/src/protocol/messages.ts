/**
 * The content of the two pay-per-call headers (interface section 4, Pay-per-call). The names are those of the wire.
 */

/** The header of a 402 response. */
export const CHALLENGE_HEADER = 'X-SERVICE-PAY'

/** The header of the repeated request. */
export const PROOF_HEADER = 'X-SERVICE-PAYMENT'

/** Statuses of a server that is too busy to serve, such as a proxy in front of a seller. */
const TURNED_AWAY: readonly number[] = [408, 425, 429]

/**
 * Whether a status means that the paid request was served; otherwise its proof is valid again, or its payment
 * refunded.
 */
export function isServed(status: number): boolean {
  return status < 500 && !TURNED_AWAY.includes(status)
}

/** A seller's price. */
export interface PaymentChallenge {
  /** The payee: a handle or an agent id. */
  readonly payTo: string
  /** INR, a decimal string: `12.50`. */
  readonly amount: string
  readonly asset: 'INR'
  /** A UUID that is accepted once; the payer sends it as the payment's reference. */
  readonly nonce: string
}

/** A buyer's proof of payment. */
export interface PaymentProof {
  readonly version: 1
  /** The payment's id, `pay_…`. */
  readonly transactionId: string
  /** The payer's id, `agt_…`. */
  readonly fromAgent: string
  readonly nonce: string
  /** The token of the payment's receipt, with which a seller recognises an invented payment without a request. */
  readonly receipt?: string
}
