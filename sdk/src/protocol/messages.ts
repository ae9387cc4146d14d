import type { Tier } from '../api/types.ts'

/**
 * The content of the two pay-per-call headers (interface section 4, Pay-per-call). The names are those of the wire.
 */

/** The header of a 402 response. */
export const CHALLENGE_HEADER = 'X-SERVICE-PAY'

/** The header of the repeated request. */
export const PROOF_HEADER = 'X-SERVICE-PAYMENT'

/** The header of a request of a known buyer: the token of its membership proof. */
export const IDENTITY_HEADER = 'X-SERVICE-IDENTITY'

/** The header of a response to a voucher: the amount in all that the seller counts, INR, a decimal string. */
export const TOTAL_HEADER = 'X-SERVICE-VOUCHER-TOTAL'

/** Statuses of a server that is too busy to serve, such as a proxy in front of a seller. */
const TURNED_AWAY: readonly number[] = [408, 425, 429]

/**
 * Whether a status means that the paid request was served; otherwise its proof is valid again, or its payment
 * refunded.
 */
export function isServed(status: number): boolean {
  return status < 500 && !TURNED_AWAY.includes(status)
}

/** Whom a seller sells to: every field that it has must be fulfilled. */
export interface BuyerDemand {
  /** The least trust tier. */
  readonly tier?: Tier
  /** The KYC status. */
  readonly kyc?: 'verified'
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
  /** Whether the seller also takes vouchers; absent: it does not. */
  readonly vouchers?: true
  /** Whom the seller sells to, if it reads who buys; absent: it does not. */
  readonly buyers?: BuyerDemand
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

/** A buyer's proof that the price is set aside, for x402's flow `authorization`. */
export interface AuthorizationProof {
  readonly version: 1
  /** The token of the authorization, which the service signed. */
  readonly authorization: string
  /** The payer's id, `agt_…`. */
  readonly fromAgent: string
  readonly nonce: string
}

/** A buyer's proof by a voucher: what the seller may capture of an authorization, this call included. */
export interface VoucherProof {
  readonly version: 1
  /** The token of the authorization, which the service signed. */
  readonly authorization: string
  /** A compact JWS by the voucher key of the authorization. */
  readonly voucher: string
  /** The payer's id, `agt_…`. */
  readonly fromAgent: string
  readonly nonce: string
}
