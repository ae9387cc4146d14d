import { decodeAuthorizationProof, decodeProof, encodeChallenge } from '../protocol/headers.ts'
import {
  type AuthorizationProof,
  CHALLENGE_HEADER,
  type PaymentChallenge,
  type PaymentProof,
  PROOF_HEADER,
} from '../protocol/messages.ts'
import { discard } from './discard.ts'
import type { Purchase } from './journal.ts'

/** What is shown to a seller: a payment, or money that is set aside. */
export type Proof = PaymentProof | AuthorizationProof

/** A price in another protocol than pay-per-call. */
export interface ForeignOffer {
  readonly challenge: PaymentChallenge
  /** For how many seconds the price is set aside; null: it is paid before the request. */
  readonly setAsideSeconds: number | null
  /** Whether it is set aside with a key of vouchers. */
  readonly byVoucher?: true
  /** The headers of a request that shows a proof for this price, or for an earlier one of the same seller. */
  pay(headers: Headers, proof: Proof): Headers | Promise<Headers>
}

/** A protocol that sellers speak instead of pay-per-call. */
export interface ForeignProtocol {
  /** The price of a response with 402, which a proof of this kind pays; null if it has none. */
  offerIn(response: Response, proof: Proof | null): Promise<ForeignOffer | null>
  /** Whether a 402 after a payment says for certain that it will not be served. */
  isFinal(response: Response): boolean
}

/** Prices that were offered lately, by their nonces; each takes about 500 bytes. */
const MAX_OFFERS = 1_000

/** How a price is set aside; empty: it is paid before the request. */
type SetAsideTerms = Pick<Purchase, 'setAsideSeconds' | 'byVoucher'>

/** How prices are set aside, by the responses that ask for them. */
const setAsideTerms = new WeakMap<Response, SetAsideTerms>()

/** @internal How the price of a response is set aside. */
export function setAsideTermsOf(response: Response): SetAsideTerms {
  return setAsideTerms.get(response) ?? {}
}

/**
 * A `fetch` for sellers that speak only another protocol: their price becomes the challenge of pay-per-call, and the
 * proof becomes their protocol's payment. So a purchase goes the way of all others. A seller that also speaks
 * pay-per-call gets its headers.
 */
export function speaking(fetch: typeof globalThis.fetch, protocol: ForeignProtocol): typeof globalThis.fetch {
  const offers = new Map<string, ForeignOffer>()

  /** The price of a seller that has no other. */
  async function offeredBy(response: Response, proof: Proof | null): Promise<ForeignOffer | null> {
    if (response.status !== 402 || response.headers.has(CHALLENGE_HEADER)) return null
    return protocol.offerIn(response, proof)
  }

  function remember(nonce: string, offer: ForeignOffer): void {
    if (offers.size >= MAX_OFFERS) offers.clear()
    offers.set(nonce, offer)
  }

  return async (input, init) => {
    const headers = new Headers(init?.headers)
    const header = headers.get(PROOF_HEADER) ?? ''
    const proof = decodeProof(header) ?? decodeAuthorizationProof(header)
    if (proof === null) {
      const response = await fetch(input, init)
      const offer = await offeredBy(response, null)
      if (offer === null) return response
      remember(offer.challenge.nonce, offer)
      return asking(response, offer)
    }
    let offer = offers.get(proof.nonce) ?? null
    if (offer === null) {
      const response = await fetch(input, { ...init, headers })
      offer = await offeredBy(response, proof)
      if (offer === null) return response
      // An earlier process was offered the price: only now it is known which protocol this seller speaks.
      discard(response)
      remember(proof.nonce, offer)
    }
    const response = await fetch(input, { ...init, headers: await offer.pay(headers, proof) })
    const again = await offeredBy(response, null)
    const asked = again === null ? response : asking(response, again)
    // Of a payment that may still be served, a 402 says that the service was away: the proof has to be sent again.
    return response.status !== 402 || protocol.isFinal(response) ? asked : changed(asked, {}, UNAVAILABLE)
  }
}

const UNAVAILABLE = 503

/** The same response with a challenge. */
function asking(response: Response, { challenge, setAsideSeconds, byVoucher }: ForeignOffer): Response {
  const asked = changed(response, { [CHALLENGE_HEADER]: encodeChallenge(challenge) })
  if (setAsideSeconds !== null)
    setAsideTerms.set(asked, { setAsideSeconds, ...(byVoucher ? { byVoucher } : {}) })
  return asked
}

/** A copy with further headers, from the same address. */
function changed(
  response: Response,
  more: Readonly<Record<string, string>>,
  status: number = response.status,
): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  const copy = new Response(response.body, { status, statusText: response.statusText, headers })
  // Where the response comes from decides whether it may ask for money.
  for (const name of ['url', 'redirected', 'type'] as const) {
    Object.defineProperty(copy, name, { value: response[name] })
  }
  return copy
}
