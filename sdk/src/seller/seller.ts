import { type Paise, paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import { PROOF_HEADER } from '../protocol/messages.ts'
import { checkProof, type ProofOutcome } from './check-proof.ts'
import { compensationOf } from './compensate.ts'
import { openContext } from './context.ts'
import type { Quote, Surroundings } from './nonce.ts'
import type {
  Acceptance,
  Price,
  RefusalReason,
  SellerAnswer,
  SellerOptions,
  SellerRequest,
} from './options.ts'
import { challengeResponse, unavailableResponse } from './responses.ts'

/**
 * Sells one resource: the core of every adapter. `Request` is the argument of a price function. Both methods reject
 * only if the price function throws or returns an invalid amount (a RangeError).
 */
export interface Seller<Request> {
  /** The 402 for a request: header, body, and a page for browsers. `reason`: why a proof was refused. */
  challenge(request: SellerRequest, source: Request, reason?: RefusalReason): Promise<SellerAnswer>
  /** Whether a request has paid. Before this returns `accepted`, the payment is verified and its nonce consumed. */
  accept(request: SellerRequest, source: Request): Promise<Acceptance>
}

/** A seller of one resource; throws a TypeError or RangeError for an invalid option. */
export function createSeller<Request>(options: SellerOptions<Request>): Seller<Request> {
  return createSellerIn(options, {
    now: Date.now,
    randomBytes: count => crypto.getRandomValues(new Uint8Array(count)),
  })
}

/** @internal A seller with the caller's clock and random bytes, for tests. */
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
    return challengeResponse({ request, challenge, description, reason, isGivenBack })
  }
  async function acceptanceOf(
    outcome: ProofOutcome,
    request: SellerRequest,
    quote: Quote,
  ): Promise<Acceptance> {
    switch (outcome.kind) {
      case 'refused':
        return { kind: 'refused', answer: await demand(request, quote, outcome.reason) }
      case 'given_back':
        return { kind: 'refused', answer: await demand(request, quote, outcome.reason, true) }
      case 'unanswered':
        return { kind: 'refused', answer: unavailableResponse(outcome.retryAfterMs) }
      case 'paid':
        return { kind: 'accepted', payment: outcome.payment, finish: compensationOf(context, outcome.use) }
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
      return acceptanceOf(await checkProof(context, header, quote, address), request, quote)
    },
  }
}

async function priceFor<Request>(price: Price<Request>, source: Request): Promise<Paise> {
  return paiseFromRupees(typeof price === 'function' ? await price(source) : price)
}
