import type { X402Verification } from '../api/types.ts'
import { isBatuaError } from '../client/errors.ts'
import { pause } from '../client/timeouts.ts'
import { paiseFromRupees, type Rupees, rupeesText } from '../protocol/amount.ts'
import { base64FromText } from '../protocol/base64.ts'
import {
  type PaymentRail,
  type PaymentRequirements,
  RESPONSE_HEADER,
  requirementsOf,
  type Scheme,
  VERIFY_FAILURES,
} from '../protocol/x402.ts'
import { checkShown } from '../seller/check-authorization.ts'
import { objectInPart } from '../seller/check-receipt.ts'
import type { SellerContext } from '../seller/context.ts'
import { askBefore, deadlineIn } from '../seller/deadline.ts'
import { decideAge } from '../seller/decide.ts'
import { issuedAtOf } from '../seller/nonce.ts'
import type { AcceptedPayment, RefusalReason, X402Scheme } from '../seller/options.ts'
import { paymentFor } from '../seller/paid-requests.ts'
import { AFTERWARDS } from '../seller/payment-service.ts'
import type { VoucherOutcome } from '../seller/tab-seller.ts'
import { TooManyGuesses } from '../seller/verification-limits.ts'
import type { ShownAuthorization } from '../seller/x402-seller.ts'
import { type Attempts, createAttempts } from './x402-attempts.ts'
import { createLater, requestOf } from './x402-give-back.ts'

/**
 * For `requirePayment({ x402: setAside() })`: clients of x402 set the price aside before the request, and it is
 * captured after the response. Each response from 400 on costs the buyer nothing, not even the fee. With `upto` the
 * price is the most that a request costs, and the handler says with `chargeFor` how much it did.
 */
export function setAside(scheme: Scheme = 'exact'): X402Scheme {
  if (scheme !== 'exact' && scheme !== 'upto') throw new TypeError("scheme is 'exact' or 'upto'")
  const attempts = createAttempts({
    now: Date.now,
    randomBytes: count => crypto.getRandomValues(new Uint8Array(count)),
  })
  return { scheme, reserve: (context, rail, shown) => reserve(context, { ...shown, rail, scheme, attempts }) }
}

/** How much a request cost. */
interface Charge {
  readonly mostPaise: bigint
  paise: bigint
  /** The buyer has been sent this charge, or it is being captured. */
  isFinal: boolean
  /** Aborted once the handler has said how much, or its response has begun. */
  readonly said: AbortController
}

/** The payments whose price is the most that a request costs. */
const charges = new WeakMap<AcceptedPayment, Charge>()

/** So long a handler whose client has left may still say what the request cost. */
const CHARGE_WITHIN_MS = 60_000

/**
 * What a request costs whose price was set aside as the most (`setAside('upto')`), INR; 0: nothing, without a fee. To
 * be called before the response begins; without it the price is captured. `request` is the framework's object, with
 * hono the context. Returns false if the request was paid in another way, for the whole price. Throws a RangeError for
 * an invalid amount or one above the price, and an Error once the response, which says the amount, has begun.
 */
export function chargeFor(request: object, amount: Rupees): boolean {
  const paise = paiseFromRupees(amount)
  const payment = paymentFor(request)
  const charge = payment && charges.get(payment)
  if (charge === undefined) return false
  if (paise > charge.mostPaise)
    throw new RangeError(
      `${rupeesText(paise)} INR are above the price of ${rupeesText(charge.mostPaise)} INR`,
    )
  if (charge.isFinal) throw new Error('The response has begun, and has said what this request costs')
  charge.paise = paise
  charge.said.abort()
  return true
}

interface Reservation extends ShownAuthorization {
  readonly rail: PaymentRail
  readonly scheme: Scheme
  readonly attempts: Attempts
}

/** Reserves what is set aside for one request: the service says so once for each nonce. */
async function reserve(context: SellerContext, shown: Reservation): Promise<VoucherOutcome> {
  const { proof, quote, rail, scheme, attempts, address } = shown
  const { nonces, surroundings, verificationLimits, service, verifyTimeoutMs, onError } = context
  const { nonce } = proof
  const issuedAt = issuedAtOf(nonce)
  if (issuedAt === null || !(await nonces.fits(nonce, quote))) return refusedAs('nonce_not_ours')
  const challenge = {
    payTo: quote.payTo,
    amount: rupeesText(quote.amountPaise),
    asset: 'INR',
    nonce,
  } as const
  const requirements = requirementsOf(challenge, rail, quote.ttlMs, { scheme })
  const payment = { x402Version: 2, accepted: requirements, payload: proof }
  const isAwaited = attempts.isOpen(payment)
  const age = decideAge({ issuedAt, now: surroundings.now(), ttlMs: quote.ttlMs, isAwaited })
  if (age !== null) return refusedAs(age)

  let reason: RefusalReason | null = null
  try {
    const deadline = deadlineIn(verifyTimeoutMs)
    const finding = await checkShown(context, proof, deadline)
    if (finding.kind === 'refused') return refusedAs(finding.reason)
    if (finding.kind === 'later') return { kind: 'no_response', retryAfterMs: finding.retryAfterMs }
    const before = verificationLimits.lastReason(finding.key)
    if (before !== null) return refusedAs(before)
    const asked = verificationLimits.begin({ proof: finding.key, address, isPaid: finding.isPaid })
    const attempt = attempts.begin(payment)
    const request = requestOf(payment, requirements, { attempt })
    try {
      const response = await askBefore(deadline, how => service.verifyX402Payment(request, how))
      if (response.isValid) return taken(context, shown, { payment, requirements, attempt })
      if (response.invalidReason === 'policy_denied') return { kind: 'no_response', retryAfterMs: STOPPED_MS }
      reason = reasonIn(response, onError)
      return refusedAs(reason)
    } catch (error) {
      // It may be reserved for this attempt, which the same payment gets again.
      attempts.reopen(payment, quote.ttlMs)
      throw error
    } finally {
      asked.end(reason)
    }
  } catch (error) {
    if (!(error instanceof TooManyGuesses)) onError(error)
    const retryAfterMs = error instanceof TooManyGuesses || isBatuaError(error) ? error.retryAfterMs : null
    return { kind: 'no_response', retryAfterMs }
  }
}

/** One side is stopped now, and what is set aside stays. */
const STOPPED_MS = 60_000

function reasonIn({ invalidReason }: X402Verification, onError: (error: unknown) => void): RefusalReason {
  const reason = VERIFY_FAILURES.find(failure => failure === invalidReason)
  if (reason !== undefined) return reason
  // Of an authorization for vouchers; all others say that this seller asks for what its service does not take.
  if (invalidReason !== 'invalid_payload') onError(new Error(`The service refuses x402: ${invalidReason}`))
  return 'invalid_payment_header'
}

interface Reserved {
  readonly payment: { readonly payload: object }
  readonly requirements: PaymentRequirements
  readonly attempt: string
}

const FAILED_FROM = 400

function taken(
  { service, onError }: SellerContext,
  { proof, quote, rail, scheme }: Reservation,
  { payment, requirements, attempt }: Reserved,
): VoucherOutcome {
  const later = createLater({ client: service, onError })
  const { network } = rail
  const { fromAgent: from, nonce } = proof
  const said = new AbortController()
  const charge: Charge = { mostPaise: quote.amountPaise, paise: quote.amountPaise, isFinal: false, said }
  const amount = rupeesText(quote.amountPaise)
  const accepted = { paymentId: authorizationIn(proof), from, amount, nonce }
  if (scheme === 'upto') charges.set(accepted, charge)
  let isFinished = false
  let hasFailed = false

  async function settle(): Promise<void> {
    const due = { ...requirements, amount: charge.paise.toString() }
    const request = requestOf(payment, due, { attempt })
    const { success, errorReason } = await service.settleX402Payment(request, AFTERWARDS)
    if (!success) throw new Error(`What was set aside could not be captured: ${errorReason ?? ''}`)
  }
  return {
    kind: 'taken',
    payment: accepted,
    head(status) {
      charge.isFinal = true
      hasFailed = status >= FAILED_FROM
      said.abort()
      const settlement = !hasFailed
        ? { success: true, transaction: accepted.paymentId, payer: from, amount: charge.paise.toString() }
        : { success: false, transaction: '', errorReason: 'transaction_not_completed' }
      return { [RESPONSE_HEADER]: base64FromText(JSON.stringify({ ...settlement, network })) }
    },
    async finish(status) {
      if (isFinished) return
      isFinished = true
      hasFailed ||= status >= FAILED_FROM
      // The client has left before the response began, and the handler goes on.
      if (scheme === 'upto' && !hasFailed && !said.signal.aborted) await pause(CHARGE_WITHIN_MS, said.signal)
      charge.isFinal = true
      if (!hasFailed) await settle().catch(onError)
      else await later.giveBack(requestOf(payment, requirements, { attempt, phase: 'cancel' }))
    },
  }
}

function authorizationIn({ authorization }: Reservation['proof']): string {
  const [, body = ''] = authorization.split('.')
  return String(objectInPart(body)['jti'])
}

function refusedAs(reason: RefusalReason): VoucherOutcome {
  return { kind: 'refused', reason, total: null }
}
