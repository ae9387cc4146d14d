import { type Paise, paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import type { PaymentChallenge } from '../protocol/messages.ts'
import type { CurrentQuote } from './check-proof.ts'
import type { SellerContext } from './context.ts'
import { createKnownBuyers, type KnownBuyer } from './known-buyers.ts'
import type { Quote } from './nonce.ts'
import type { Price, RefusalReason, SellerOptions, SellerRequest, SellerResponse } from './options.ts'
import { forbiddenResponse, unavailableResponse } from './responses.ts'

/** What a request costs, and whom. */
export interface Quotes<Request> {
  /** The quote for the one who asks, or the response that nothing is sold to it. */
  find(asked: Asked<Request>): Promise<Quote | NotSold>
  /** What a request with a payment costs now. For whom the price of the payment was, its nonce says. */
  forPaid(request: SellerRequest, source: Request): Promise<CurrentQuote>
  challengeOf(quote: Quote): Promise<PaymentChallenge>
}

export interface Asked<Request> {
  readonly request: SellerRequest
  readonly source: Request
  /** The agent that pays, as the request says; absent: nobody pays yet. */
  readonly payer?: string | undefined
  /** Why a payment was refused before, and whether it is given back. */
  readonly reason?: RefusalReason | null
  readonly isGivenBack?: boolean
}

export interface NotSold {
  readonly response: SellerResponse
}

/** Who shows an identity proves it by paying, because it may be a copy. */
const NEVER_FREE =
  'A known buyer proves itself by its payment, so its price is not 0 if it is more for others or if nothing is sold to them'

/** Throws a TypeError or RangeError for an invalid option. */
export function createQuotes<Request>(
  { amount: price, buyers }: Pick<SellerOptions<Request>, 'amount' | 'buyers'>,
  context: SellerContext,
): Quotes<Request> {
  const { payTo, nonces, nonceTtlMs: ttlMs, usedAt } = context
  const known = buyers === undefined ? null : createKnownBuyers(buyers, context)
  const isSelective = known?.isSelective === true
  const hasFixedPrice = typeof price !== 'function'
  if (hasFixedPrice && paiseFromRupees(price) === 0n && isSelective) throw new RangeError(NEVER_FREE)
  const givenTo = known === null ? 'anybody' : isSelective ? 'known buyers' : 'known buyers too'

  async function isFreeForAll(source: Request): Promise<boolean> {
    return !isSelective && (await priceFor(price, source, null)) === 0n
  }
  return {
    async find({ request, source, payer, reason = null, isGivenBack = false }) {
      const finding = known === null ? null : await known.find(request, payer ?? null)
      if (finding?.kind === 'later') return { response: unavailableResponse(finding.retryAfterMs) }
      if (finding?.kind === 'refused') {
        const facts = { payTo, buyers: known?.demand, reason, isGivenBack }
        return { response: forbiddenResponse(finding, facts) }
      }
      const buyer = finding?.buyer ?? null
      const amountPaise = await priceFor(price, source, buyer)
      if (buyer !== null && amountPaise === 0n && !(await isFreeForAll(source)))
        throw new RangeError(NEVER_FREE)
      const { method, path } = request
      return { method, path, amountPaise, payTo, ttlMs, usedAt, payer: buyer?.agentId }
    },
    async forPaid({ method, path }, source) {
      const amountPaise = isSelective && !hasFixedPrice ? null : await priceFor(price, source, null)
      return { method, path, amountPaise, payTo, ttlMs, usedAt, givenTo }
    },
    async challengeOf(quote) {
      const challenge = { payTo, amount: rupeesText(quote.amountPaise), asset: 'INR' } as const
      const nonce = await nonces.make(quote)
      return { ...challenge, nonce, ...(known === null ? {} : { buyers: known.demand }) }
    },
  }
}

async function priceFor<Request>(
  price: Price<Request>,
  source: Request,
  buyer: KnownBuyer | null,
): Promise<Paise> {
  return paiseFromRupees(typeof price === 'function' ? await price(source, { buyer }) : price)
}
