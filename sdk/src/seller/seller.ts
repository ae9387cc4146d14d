import { type Paise, paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import { PROOF_HEADER } from '../protocol/messages.ts'
import { challengeAnswer, unavailableAnswer } from './answers.ts'
import { openContext } from './context.ts'
import { judgeProof, type Verdict } from './judge-proof.ts'
import type { Quote, Surroundings } from './nonce.ts'
import type {
  Acceptance,
  Price,
  RefusalReason,
  SellerAnswer,
  SellerOptions,
  SellerRequest,
} from './options.ts'
import { settlementOf } from './settle.ts'

/**
 * Sells one resource: the core that every adapter wraps. `Request` is what a price function is given. Both methods
 * reject only when the price function throws or gives what is no amount (a RangeError).
 */
export interface Seller<Request> {
  /** The 402 for a request: header, body, and a page where a browser asks. `reason`: why a proof was refused. */
  challenge(request: SellerRequest, source: Request, reason?: RefusalReason): Promise<SellerAnswer>
  /** Whether a request has paid. The payment is settled and its nonce used up before this answers `accepted`. */
  accept(request: SellerRequest, source: Request): Promise<Acceptance>
}

/** A seller of one resource; a TypeError or RangeError when an option cannot be used. */
export function createSeller<Request>(options: SellerOptions<Request>): Seller<Request> {
  return createSellerIn(options, {
    now: Date.now,
    randomBytes: count => crypto.getRandomValues(new Uint8Array(count)),
  })
}

/** @internal A seller in a world of the caller's: for tests. */
export function createSellerIn<Request>(
  options: SellerOptions<Request>,
  surroundings: Surroundings,
): Seller<Request> {
  const { amount: price } = options
  if (typeof price !== 'function') paiseFromRupees(price)
  const context = openContext(options, surroundings)
  const { payTo, description, nonces, nonceTtlMs: ttlMs, usedAt } = context

  async function quoteFor({ method, path }: SellerRequest, source: Request): Promise<Quote> {
    return { method, path, amountPaise: await priceFor(price, source), payTo, ttlMs, usedAt }
  }
  async function demand(
    request: SellerRequest,
    quote: Quote,
    reason: RefusalReason | null,
    isGivenBack = false,
  ): Promise<SellerAnswer> {
    const amount = rupeesText(quote.amountPaise)
    const challenge = { payTo, amount, asset: 'INR', nonce: await nonces.make(quote) } as const
    return challengeAnswer({ request, challenge, description, reason, isGivenBack })
  }
  async function acceptanceOf(verdict: Verdict, request: SellerRequest, quote: Quote): Promise<Acceptance> {
    switch (verdict.kind) {
      case 'refused':
        return { kind: 'refused', answer: await demand(request, quote, verdict.reason) }
      case 'given_back':
        return { kind: 'refused', answer: await demand(request, quote, verdict.reason, true) }
      case 'unanswered':
        return { kind: 'refused', answer: unavailableAnswer(verdict.retryAfterMs) }
      case 'paid':
        return { kind: 'accepted', payment: verdict.payment, finish: settlementOf(context, verdict.use) }
    }
  }

  return {
    async challenge(request, source, reason) {
      return demand(request, await quoteFor(request, source), reason ?? null)
    },
    async accept(request, source) {
      const quote = await quoteFor(request, source)
      if (quote.amountPaise === 0n) return { kind: 'free' }
      const header = request.header(PROOF_HEADER.toLowerCase())
      if (header === null) return { kind: 'refused', answer: await demand(request, quote, null) }
      const address = options.clientAddress?.(source) ?? request.address ?? null
      return acceptanceOf(await judgeProof(context, header, quote, address), request, quote)
    },
  }
}

async function priceFor<Request>(price: Price<Request>, source: Request): Promise<Paise> {
  return paiseFromRupees(typeof price === 'function' ? await price(source) : price)
}
