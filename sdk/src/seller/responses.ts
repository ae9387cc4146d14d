import { encodeChallenge, encodeDemand } from '../protocol/headers.ts'
import {
  type BuyerDemand,
  CHALLENGE_HEADER,
  type PaymentChallenge,
  PROOF_HEADER,
} from '../protocol/messages.ts'
import type { BuyerRefusal } from './known-buyers.ts'
import type { RefusalReason, SellerRequest, SellerResponse } from './options.ts'
import { PAGE_POLICY, renderPage } from './page.ts'

/** The content of a 402. */
export interface DemandFacts {
  readonly request: SellerRequest
  readonly challenge: PaymentChallenge
  readonly description: string | null
  readonly reason: RefusalReason | null
  /** Whether the refused payment is refunded. */
  readonly isGivenBack: boolean
}

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  transaction_not_found: 'There is no such payment.',
  transaction_not_completed: 'That payment is not completed, or was given back.',
  not_payee: 'That payment went to someone else.',
  payee_mismatch: 'That payment went to someone else.',
  insufficient_amount: 'Less was paid than this costs.',
  nonce_mismatch: 'That payment was made with another reference than this nonce.',
  nonce_already_used: 'That nonce was used before.',
  invalid_payment_header: `The header ${PROOF_HEADER} is not base64 of a JSON object with version, transactionId, fromAgent and nonce.`,
  nonce_not_ours: 'That nonce was not given out for this request at this price.',
  nonce_expired: 'That nonce was given out too long ago.',
  receipt_not_genuine: 'That receipt is not one that the service has signed for this payment.',
  payer_mismatch: 'That payment was made by another agent than fromAgent.',
  vouchers_not_taken: 'Vouchers are not taken for this.',
  authorization_not_genuine: 'That authorization is not one that the service has made for vouchers.',
  authorization_not_open: 'That authorization is closing, or has ended.',
  voucher_not_genuine: 'That voucher is not signed by the key of the authorization, or is for more than it.',
}

/** The 402: JSON for programs, a page for browsers. */
export function challengeResponse(facts: DemandFacts): SellerResponse {
  const { challenge, request, reason } = facts
  const refusal = refusalIn(facts)
  const headers = {
    [CHALLENGE_HEADER]: encodeChallenge(challenge),
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    'Access-Control-Expose-Headers': CHALLENGE_HEADER,
    'X-Content-Type-Options': 'nosniff',
  }
  if (asksForPage(request)) {
    const body = renderPage({ challenge, description: facts.description, path: request.path, refusal })
    const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY }
    return { status: 402, headers: { ...headers, ...page }, body }
  }
  const details = reason === null ? {} : { reason }
  const error = { code: 'payment_required', message: messageOf(facts, refusal), details }
  const body = JSON.stringify({ error, payment: challenge })
  return { status: 402, headers: { ...headers, 'Content-Type': JSON_TYPE }, body }
}

/** The seller of a 403, and why it refused the payment of the request, if there was one. */
export interface NotSoldFacts extends Pick<DemandFacts, 'reason' | 'isGivenBack'> {
  readonly payTo: string
  readonly buyers: BuyerDemand | undefined
}

/** The 403 to a buyer that is not sold to. It has no price, so that nobody pays it who does not know the demand. */
export function forbiddenResponse(
  refusal: BuyerRefusal,
  { payTo, buyers = {}, ...payment }: NotSoldFacts,
): SellerResponse {
  const headers = {
    [CHALLENGE_HEADER]: encodeDemand({ payTo, buyers }),
    'Content-Type': JSON_TYPE,
    'Cache-Control': 'no-store',
    'Access-Control-Expose-Headers': CHALLENGE_HEADER,
    'X-Content-Type-Options': 'nosniff',
  }
  const why = refusalIn(payment)
  const message = why === null ? refusal.message : `${why} ${refusal.message}`
  const paid = payment.reason === null ? {} : { payment_reason: payment.reason }
  const details = { reason: refusal.reason, buyers, ...paid }
  return { status: 403, headers, body: JSON.stringify({ error: { code: 'forbidden', message, details } }) }
}

/** The 503 to a proof that could not be checked. The proof stays valid, so this must not be a 402. */
export function unavailableResponse(retryAfterMs: number | null): SellerResponse {
  const retryAfter = Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1_000))
  const headers = {
    'Content-Type': JSON_TYPE,
    'Cache-Control': 'no-store',
    'Retry-After': String(retryAfter),
    'Access-Control-Expose-Headers': 'Retry-After',
    'X-Content-Type-Options': 'nosniff',
  }
  const message = `The payment cannot be checked now. Do not pay again: repeat this request with the same ${PROOF_HEADER} in ${retryAfter} s.`
  const error = { code: 'service_unavailable', message, details: {} }
  return { status: 503, headers, body: JSON.stringify({ error }) }
}

const JSON_TYPE = 'application/json; charset=utf-8'

function refusalIn({ reason, isGivenBack }: Pick<DemandFacts, 'reason' | 'isGivenBack'>): string | null {
  if (reason === null) return null
  return isGivenBack ? `${REFUSALS[reason]} The payment is being given back.` : REFUSALS[reason]
}

function messageOf({ challenge, description }: DemandFacts, refusal: string | null): string {
  const { payTo, amount, asset } = challenge
  const why = refusal === null ? '' : `${refusal} `
  const what = description ?? 'This'
  return `${why}${what} costs ${amount} ${asset}. Pay ${payTo} with the nonce as the reference, then repeat the request with the header ${PROOF_HEADER}.`
}

/** Browsers ask for HTML and never for JSON. */
function asksForPage(request: SellerRequest): boolean {
  const accept = request.header('accept') ?? ''
  return accept.includes('text/html') && !accept.includes('json')
}
