import { isBatuaError } from '../client/errors.ts'
import { type Paise, paiseFromRupees } from '../protocol/amount.ts'
import { decodeProof } from '../protocol/headers.ts'
import type { PaymentProof } from '../protocol/messages.ts'
import type { SellerContext } from './context.ts'
import { askBefore, type Deadline, deadlineIn } from './deadline.ts'
import { awaitedUntil, decideAge, type Paid, type Refused, refused, usedUntil } from './decide.ts'
import { issuedAtOf, type Quote } from './nonce.ts'
import type { NonceUse } from './nonce-uses.ts'

export type Verdict =
  | Refused
  | (Paid & { readonly use: NonceUse })
  /** The service or the store did not say. The proof stays good. */
  | { readonly kind: 'unanswered'; readonly retryAfterMs: number | null }

/** Whether a header pays for what is asked for at its present price. Never throws. */
export async function judgeProof(context: SellerContext, header: string, quote: Quote): Promise<Verdict> {
  const proof = decodeProof(header)
  if (proof === null) return refused('invalid_payment_header')
  const issuedAt = issuedAtOf(proof.nonce)
  if (issuedAt === null) return refused('nonce_not_ours')
  const deadline = deadlineIn(context.verifyTimeoutMs)
  try {
    const shown = { proof, issuedAt, quote, deadline }
    return await context.inTurn(proof.nonce, deadline, () => judgeInTurn(context, shown))
  } catch (error) {
    context.onError(error)
    return { kind: 'unanswered', retryAfterMs: isBatuaError(error) ? error.retryAfterMs : null }
  }
}

interface Shown {
  readonly proof: PaymentProof
  readonly issuedAt: number
  readonly quote: Quote
  readonly deadline: Deadline
}

/**
 * When no answer comes, the nonce may be used up all the same. So the claim is kept and made again under its own id when
 * the proof comes again; one at a time, or two repeats would both be told that they are the first.
 */
async function judgeInTurn(context: SellerContext, shown: Shown): Promise<Verdict> {
  const { proof, issuedAt } = shown
  const { openClaims, nonceTtlMs: ttlMs, surroundings } = context
  const key = `${proof.nonce} ${proof.transactionId}`
  const open = openClaims.find(key)
  const refusal = decideAge({ issuedAt, now: surroundings.now(), ttlMs, isAwaited: open !== null })
  if (refusal !== null) return refused(refusal)

  const claimId = open ?? newClaimId(context)
  try {
    const verdict = await claim(context, shown, claimId)
    openClaims.forget(key)
    return verdict
  } catch (error) {
    openClaims.keep(key, claimId, awaitedUntil({ issuedAt, ttlMs }))
    throw error
  }
}

async function claim(context: SellerContext, shown: Shown, claimId: string): Promise<Verdict> {
  const { payTo, uses, nonceTtlMs: ttlMs } = context
  const { proof, issuedAt, deadline } = shown
  const amountPaise = await quotedPrice(context, shown)
  if (amountPaise === null) return refused('nonce_not_ours')
  const use = { proof, payTo, amountPaise, claimId, expiresAt: usedUntil({ issuedAt, ttlMs }) }
  const decision = await uses.take(use, deadline)
  return decision.kind === 'paid' ? { ...decision, use } : decision
}

/** What a nonce was given out for: the present price or, where that has moved since, what was paid. Null: neither. */
async function quotedPrice(
  { nonces, payTo, service }: SellerContext,
  { proof, quote, deadline }: Shown,
): Promise<Paise | null> {
  const { nonce, transactionId: txn_id } = proof
  if (await nonces.fits(nonce, quote)) return quote.amountPaise
  const input = { txn_id, expected_payee: payTo, nonce }
  const { amount } = await askBefore(deadline, options => service.verifyTransaction(input, options))
  if (amount === null) return null
  const amountPaise = paiseFromRupees(amount)
  return (await nonces.fits(nonce, { ...quote, amountPaise })) ? amountPaise : null
}

const CLAIM_ID_BYTES = 16

function newClaimId({ surroundings }: SellerContext): string {
  const bytes = surroundings.randomBytes(CLAIM_ID_BYTES)
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
