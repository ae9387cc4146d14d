/**
 * What travels in the two headers of a pay-per-call (interface section 4, Pay-per-call). The names are the wire's.
 */

/** The header of a 402 answer. */
export const CHALLENGE_HEADER = 'X-SERVICE-PAY'

/** The header of the repeated request. */
export const PROOF_HEADER = 'X-SERVICE-PAYMENT'

/** What is answered in place of serving by who has no time for it, a proxy in front of a seller, say. */
const TURNED_AWAY: readonly number[] = [408, 425, 429]

/** Whether a status is the answer that was paid for; otherwise its proof is good again, or its payment given back. */
export function isServed(status: number): boolean {
  return status < 500 && !TURNED_AWAY.includes(status)
}

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
  /** The token of the payment's receipt, by which a seller tells a genuine payment without asking. */
  readonly receipt?: string
}
