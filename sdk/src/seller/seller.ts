import { decodeAuthorizationProof, decodeProof, decodeVoucherProof } from '../protocol/headers.ts'
import { isServed, PROOF_HEADER, TOTAL_HEADER } from '../protocol/messages.ts'
import { checkProof, type ProofOutcome } from './check-proof.ts'
import { compensationOf } from './compensate.ts'
import { openContext } from './context.ts'
import type { Quote, Surroundings } from './nonce.ts'
import type { Acceptance, RefusalReason, SellerOptions, SellerRequest, SellerResponse } from './options.ts'
import { type Asked, createQuotes } from './quotes.ts'
import { challengeResponse, unavailableResponse } from './responses.ts'
import { createTabSeller, type VoucherOutcome } from './tab-seller.ts'
import { createX402Seller } from './x402-seller.ts'

/**
 * Sells one resource: the core of every adapter. `Request` is the argument of a price function. Both methods reject
 * only if the price function throws or returns an invalid amount (a RangeError).
 */
export interface Seller<Request> {
  /** The 402 for a request: header, body, and a page for browsers. `reason`: why a proof was refused. */
  challenge(request: SellerRequest, source: Request, reason?: RefusalReason): Promise<SellerResponse>
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
  const context = openContext(options, surroundings)
  const quotes = createQuotes(options, context)
  const tabs = options.tab === undefined ? null : createTabSeller({ ...options, tab: options.tab }, context)
  const x402 = createX402Seller(options, context)

  async function demand(
    request: SellerRequest,
    quote: Quote,
    reason: RefusalReason | null,
    isGivenBack = false,
  ): Promise<SellerResponse> {
    const vouchers = (await tabs?.offers(quote.amountPaise)) === true ? ({ vouchers: true } as const) : {}
    const challenge = { ...(await quotes.challengeOf(quote)), ...vouchers }
    const facts = { request, challenge, description: context.description, reason }
    const response = challengeResponse({ ...facts, isGivenBack })
    return x402?.asking(response, facts) ?? response
  }
  async function demandFor(asked: Asked<Request>): Promise<SellerResponse> {
    const quote = await quotes.find(asked)
    if ('response' in quote) return quote.response
    return demand(asked.request, quote, asked.reason ?? null, asked.isGivenBack)
  }
  async function acceptanceOf(outcome: ProofOutcome, shown: Shown<Request>): Promise<Acceptance> {
    const isGivenBack = outcome.kind === 'given_back'
    switch (outcome.kind) {
      case 'refused':
      case 'given_back':
        return refused(await demandFor({ ...shown, reason: outcome.reason, isGivenBack }))
      case 'no_response':
        return refused(unavailableResponse(outcome.retryAfterMs))
      case 'paid': {
        const { payment, use } = outcome
        const headers = shown.isX402 ? (x402?.taken(payment) ?? {}) : {}
        const head = (status: number) => (isServed(status) ? headers : {})
        return { kind: 'accepted', payment, head, finish: compensationOf(context, use) }
      }
    }
  }
  return {
    async challenge(request, source, reason) {
      return demandFor({ request, source, reason: reason ?? null })
    },
    async accept(request, source) {
      const own = request.header(PROOF_HEADER.toLowerCase())
      const header = own ?? x402?.proofIn(request) ?? null
      if (header !== null && decodeProof(header) !== null) {
        const quote = await quotes.forPaid(request, source)
        if (quote.amountPaise === 0n) return { kind: 'free' }
        const outcome = await checkProof(context, header, quote, addressOf(options, request, source))
        return acceptanceOf(outcome, { request, source, isX402: own === null })
      }
      const voucher = own === null ? null : decodeVoucherProof(own)
      const reserved = own === null && x402?.reserve ? decodeAuthorizationProof(header ?? '') : null
      const quote = await quotes.find({ request, source, payer: (voucher ?? reserved)?.fromAgent })
      if ('response' in quote) return refused(quote.response)
      if (quote.amountPaise === 0n) return { kind: 'free' }
      const shown = reserved && { proof: reserved, quote, address: addressOf(options, request, source) }
      const outcome = await (voucher === null
        ? shown && x402?.reserve?.(shown)
        : (tabs?.accept(voucher, quote) ?? NO_VOUCHERS))
      if (outcome) return authorizedAcceptance(outcome, reason => demand(request, quote, reason))
      const reason = header === null ? null : 'invalid_payment_header'
      return refused(await demand(request, quote, reason))
    },
  }
}

function refused(response: SellerResponse): Acceptance {
  return { kind: 'refused', response }
}

function addressOf<Request>(
  { clientAddress }: Pick<SellerOptions<Request>, 'clientAddress'>,
  request: SellerRequest,
  source: Request,
): string | null {
  return clientAddress?.(source) ?? request.address ?? null
}

/** Of a voucher, or of money that was set aside. */
async function authorizedAcceptance(
  outcome: VoucherOutcome,
  demand: (reason: RefusalReason) => Promise<SellerResponse>,
): Promise<Acceptance> {
  switch (outcome.kind) {
    case 'taken':
      return { ...outcome, kind: 'accepted' }
    case 'no_response':
      return refused(unavailableResponse(outcome.retryAfterMs))
    case 'refused': {
      const response = await demand(outcome.reason)
      const isCounted = outcome.total !== null
      return {
        kind: 'refused',
        response: isCounted ? withHeader(response, TOTAL_HEADER, outcome.total) : response,
      }
    }
  }
}

const NO_VOUCHERS = { kind: 'refused', reason: 'vouchers_not_taken', total: null } as const

/** A response with another header, which browsers may read. */
function withHeader(response: SellerResponse, name: string, value: string): SellerResponse {
  const exposed = response.headers['Access-Control-Expose-Headers']
  const headers = {
    ...response.headers,
    [name]: value,
    'Access-Control-Expose-Headers': `${exposed}, ${name}`,
  }
  return { ...response, headers }
}

/** A request that shows a payment. */
interface Shown<Request> {
  readonly request: SellerRequest
  readonly source: Request
  readonly isX402: boolean
}
