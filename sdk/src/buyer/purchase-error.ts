/**
 * Why a paying fetch did not pay or was not served. `paymentId` of the error says whether money has moved: it has, or
 * may have, with the last three codes and with `redirect_refused` of a paid request.
 */
export type PurchaseErrorCode =
  | 'invalid_challenge'
  | 'price_too_high'
  | 'budget_exceeded'
  | 'payee_not_allowed'
  | 'payee_changed'
  | 'buyer_not_accepted'
  | 'origins_not_genuine'
  | 'insecure_seller'
  | 'redirect_refused'
  | 'body_not_repeatable'
  | 'approval_rejected'
  | 'approval_expired'
  | 'approval_timeout'
  | 'price_changed'
  | 'payment_not_accepted'
  | 'payment_mismatch'

export interface PurchaseErrorFacts {
  readonly code: PurchaseErrorCode
  readonly message: string
  readonly url: string
  /** The payment; null if nothing was paid. */
  readonly paymentId?: string | null
  /** Whether the service reports that this payment was fully refunded. */
  readonly refunded?: boolean
  readonly approvalId?: string | null
  readonly nonce?: string | null
  /** The seller's last response, with its body unread. */
  readonly response?: Response | null
}

/** A failed purchase. `paymentId` says whether money has moved, `refunded` whether all of it was refunded. */
export class PurchaseError extends Error {
  override readonly name = 'PurchaseError'
  readonly code: PurchaseErrorCode
  readonly url: string
  readonly paymentId: string | null
  readonly refunded: boolean
  readonly approvalId: string | null
  readonly nonce: string | null
  /** Not shown when the error is printed. */
  declare readonly response: Response | null

  constructor(facts: PurchaseErrorFacts, options?: ErrorOptions) {
    super(facts.message, options)
    this.code = facts.code
    this.url = facts.url
    this.paymentId = facts.paymentId ?? null
    this.refunded = facts.refunded ?? false
    this.approvalId = facts.approvalId ?? null
    this.nonce = facts.nonce ?? null
    Object.defineProperty(this, 'response', { value: facts.response ?? null })
  }
}
