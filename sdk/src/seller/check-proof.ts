import { isBatuaError } from '../client/errors.ts'
import { within } from '../client/timeouts.ts'
import { type Paise, paiseFromRupees } from '../protocol/amount.ts'
import { decodeProof } from '../protocol/headers.ts'
import type { PaymentProof } from '../protocol/messages.ts'
import { payeeName } from '../protocol/payee.ts'
import { checkReceipt, type GenuineReceipt } from './check-receipt.ts'
import { refund } from './compensate.ts'
import type { SellerContext } from './context.ts'
import { askBefore, type Deadline, deadlineIn } from './deadline.ts'
import { decideAge, type Paid, type Refused, refused, usedUntil } from './decide.ts'
import { issuedAtOf, type Quote } from './nonce.ts'
import type { NonceUse } from './nonce-uses.ts'
import type { RefusalReason } from './options.ts'
import { TooManyGuesses } from './verification-limits.ts'

export type ProofOutcome =
  | Refused
  | (Paid & { readonly use: NonceUse })
  /** It was valid for this once and no longer is: its nonce is consumed and the payment refunded. */
  | { readonly kind: 'given_back'; readonly reason: RefusalReason }
  /** The service or the store gave no result. The proof stays valid. */
  | { readonly kind: 'no_response'; readonly retryAfterMs: number | null }

/** What a request costs now. */
export interface CurrentQuote extends Omit<Quote, 'amountPaise' | 'payer'> {
  /** null: that depends on the buyer. */
  readonly amountPaise: Paise | null
  /** Whether nonces are given out to anybody (the default), to known buyers too, or to known buyers only. */
  readonly givenTo?: 'anybody' | 'known buyers too' | 'known buyers'
}

/** Whether a header pays for the request at its current price. Never throws. */
export async function checkProof(
  context: SellerContext,
  header: string,
  quote: CurrentQuote,
  address: string | null,
): Promise<ProofOutcome> {
  const proof = decodeProof(header)
  if (proof === null) return refused('invalid_payment_header')
  if (context.receiptRequired && proof.receipt === undefined) return refused('receipt_not_genuine')
  const issuedAt = issuedAtOf(proof.nonce)
  if (issuedAt === null) return refused('nonce_not_ours')
  const deadline = deadlineIn(context.verifyTimeoutMs)
  try {
    const shown = { proof, issuedAt, quote, deadline, address }
    return await context.inTurn(proof.nonce, deadline, () => checkInTurn(context, shown))
  } catch (error) {
    if (error instanceof TooManyGuesses) return { kind: 'no_response', retryAfterMs: error.retryAfterMs }
    context.onError(error)
    return { kind: 'no_response', retryAfterMs: isBatuaError(error) ? error.retryAfterMs : null }
  }
}

interface Shown {
  readonly proof: PaymentProof
  readonly issuedAt: number
  readonly quote: CurrentQuote
  readonly deadline: Deadline
  readonly address: string | null
}

/** Checks that need no call to the service come first, so that an invented proof causes none. */
async function checkInTurn(context: SellerContext, shown: Shown): Promise<ProofOutcome> {
  const { proof, issuedAt, quote, deadline, address } = shown
  const { openClaims, surroundings, usedAt, hasFixedPrice, verificationLimits } = context
  const open = openClaims.find(keyOf(proof))
  const age = { issuedAt, now: surroundings.now(), ttlMs: quote.ttlMs, isAwaited: open !== null }
  const outOfTime = decideAge(age)
  // Another shop with the same store may have served it; only the service can exclude that.
  const canGiveBack = usedAt === 'service'
  if (outOfTime !== null && !(outOfTime === 'nonce_expired' && canGiveBack)) return refused(outOfTime)

  const quotedNow = quote.amountPaise === null ? null : await quotedAt(context, shown, quote.amountPaise)
  if (quotedNow === null && hasFixedPrice) return refused('nonce_not_ours')
  const receipt = await checkReceipt(context.serviceKeys, proof, context.payTo, deadline)
  if (receipt.kind === 'refused') return refusedFor(context, receipt)
  if (receipt.kind === 'later') return { kind: 'no_response', retryAfterMs: receipt.retryAfterMs }
  const paid = receipt.kind === 'genuine' ? receipt : null
  const paidPaise = paid?.amountPaise ?? null
  if (quotedNow !== null && paidPaise !== null && paidPaise < quotedNow.amountPaise)
    return refused('insufficient_amount')
  const quotedBefore =
    quotedNow === null && paidPaise !== null ? await quotedAt(context, shown, paidPaise) : null
  if (quotedNow === null && quotedBefore === null && paidPaise !== null) return refused('nonce_not_ours')

  const key = `${keyOf(proof)} ${proof.fromAgent}`
  const lastReason = verificationLimits.lastReason(key)
  if (lastReason !== null) return refused(lastReason)
  const asked = verificationLimits.begin({ proof: key, address, isPaid: paidPaise !== null })
  let reason: RefusalReason | null = null
  try {
    const quoted = quotedNow ?? quotedBefore ?? (await quotedPrice(context, shown))
    const provenPaise = paid && (await isProof(context, paid, deadline)) ? paid.amountPaise : null
    const outcome =
      quoted === null
        ? refused('nonce_not_ours')
        : await checkAt(context, shown, { ...quoted, provenPaise, outOfTime, canGiveBack, open })
    if (outcome.kind === 'refused') reason = outcome.reason
    return outcome
  } finally {
    asked.end(reason)
  }
}

/**
 * Whether a genuine receipt is enough, so that nobody is asked: if the seller keeps used nonces itself, a revocation of
 * the key would be known, and the client's own agent was paid, which is asked for once. Otherwise the service verifies.
 */
async function isProof(
  { usedAt, agent }: SellerContext,
  { isFresh, payeeId }: GenuineReceipt,
  { signal }: Deadline,
): Promise<boolean> {
  return usedAt === 'store' && isFresh && (await agent(signal)).agent_id === payeeId
}

function keyOf({ nonce, transactionId }: PaymentProof): string {
  return `${nonce} ${transactionId}`
}

function refusedFor(context: SellerContext, refusal: Refused): Refused {
  if (refusal.reason === 'not_payee') void checkPayee(context)
  return refusal
}

/** What a nonce was issued for. */
interface Quoted {
  readonly amountPaise: Paise
  /** Whether to this payer as a known buyer, for whom the price of others does not matter. */
  readonly isForPayer: boolean
}

interface QuotedProof extends Quoted {
  /** As in `NonceUse`. */
  readonly provenPaise: Paise | null
  readonly outOfTime: RefusalReason | null
  readonly canGiveBack: boolean
  /** The id of a claim without a response. */
  readonly open: string | null
}

/** Asks the service, and consumes the nonce. */
async function checkAt(
  context: SellerContext,
  { proof, issuedAt, quote, deadline }: Shown,
  { amountPaise, isForPayer, provenPaise, outOfTime, canGiveBack, open }: QuotedProof,
): Promise<ProofOutcome> {
  const { ttlMs, payTo } = quote
  const isTooLittle = !isForPayer && quote.amountPaise !== null && amountPaise < quote.amountPaise
  const refusal = outOfTime ?? (isTooLittle ? 'insufficient_amount' : null)
  if (refusal !== null && !canGiveBack) return refused(refusal)

  const claimId = open ?? newClaimId(context)
  const isRepeated = open !== null
  const expiresAt = usedUntil({ issuedAt, ttlMs })
  const use = { proof, payTo, amountPaise, provenPaise, claimId, isRepeated, expiresAt }
  const decision = await claimed(context, keyOf(proof), use, () => context.uses.take(use, deadline))
  if (decision.kind === 'refused') return refusedFor(context, decision)
  if (refusal === null) return { ...decision, use }
  await giveBack(context, use, deadline)
  return { kind: 'given_back', reason: refusal }
}

/**
 * Without a response the nonce may still be consumed. So the claim is kept and repeated under its id when the proof
 * comes again; one at a time, because otherwise two repetitions would both count as the first.
 */
async function claimed<Decision>(
  { openClaims }: SellerContext,
  key: string,
  { claimId, expiresAt }: NonceUse,
  take: () => Promise<Decision>,
): Promise<Decision> {
  try {
    const decision = await take()
    openClaims.forget(key)
    return decision
  } catch (error) {
    openClaims.keep(key, claimId, expiresAt.getTime())
    throw error
  }
}

/** The quote of a nonce if it was given out at this price: to anybody, or to the payer. Null: it was not. */
async function quotedAt(
  { nonces }: SellerContext,
  { proof, quote }: Shown,
  amountPaise: Paise,
): Promise<Quoted | null> {
  const { givenTo = 'anybody', ...terms } = quote
  const at = { ...terms, amountPaise }
  if (givenTo !== 'known buyers' && (await nonces.fits(proof.nonce, at)))
    return { amountPaise, isForPayer: false }
  if (givenTo !== 'anybody' && (await nonces.fits(proof.nonce, { ...at, payer: proof.fromAgent })))
    return { amountPaise, isForPayer: true }
  return null
}

/** The quote of a nonce if the price may change: the amount that was paid, by the service. Null: another quote. */
async function quotedPrice(context: SellerContext, shown: Shown): Promise<Quoted | null> {
  const { nonce, transactionId: txn_id } = shown.proof
  const input = { txn_id, expected_payee: context.payTo, nonce }
  const { amount } = await askBefore(shown.deadline, options =>
    context.service.verifyTransaction(input, options),
  )
  return amount === null ? null : quotedAt(context, shown, paiseFromRupees(amount))
}

/**
 * An honest buyer comes too late: its owner approved after ten minutes, or the price rose meanwhile. Its nonce is
 * consumed, so that no process serves the refunded payment. Work that takes longer than the request may wait continues
 * in the background.
 */
async function giveBack(
  { service, onError }: SellerContext,
  use: NonceUse,
  deadline: Deadline,
): Promise<void> {
  const given = refund(service, use).catch(onError)
  await within(Infinity, deadline.signal, () => given).catch(() => {})
}

const CLAIM_ID_BYTES = 16

/** Not the platform's UUIDs: Node prepares some in advance, and a snapshot of a process would issue them twice. */
function newClaimId({ surroundings }: SellerContext): string {
  const bytes = surroundings.randomBytes(CLAIM_ID_BYTES)
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Reports an error if payments go to another agent because `payTo` is not the client's own. Only the seller can
 * correct that, and `onError` is called each time, because each time a buyer has paid for nothing.
 */
export async function checkPayee({ agent, payTo, onError }: SellerContext): Promise<void> {
  try {
    const { agent_id: id, handle } = await agent(undefined)
    if ([id, handle].includes(payeeName(payTo))) return
    onError(
      new Error(`payTo is ${payTo}, but the client’s agent is ${handle}, which cannot take its payments`),
    )
  } catch (error) {
    onError(error)
  }
}
