import type { Client } from '../client/client.ts'
import { within } from '../client/timeouts.ts'
import { demandText, fulfils, isSelective } from '../protocol/buyer-demand.ts'
import { decodeDemand } from '../protocol/headers.ts'
import { type BuyerDemand, CHALLENGE_HEADER, IDENTITY_HEADER } from '../protocol/messages.ts'
import type { Buyer } from './buyer.ts'
import { type CallerRequest, type Hop, isBodiless } from './caller-request.ts'
import { discard } from './discard.ts'
import { invalidResponse } from './invalid-response.ts'
import type { PayingFetchOptions } from './options.ts'
import { follow } from './present-proof.ts'
import { PurchaseError } from './purchase-error.ts'
import { originOf } from './terms.ts'

/** What a buyer shows to sellers that ask who buys. */
export interface BuyerIdentity {
  /** Its proof for a seller; null: the options, or a connection that others can read, forbid to show it there. */
  proofFor(url: URL, demand: BuyerDemand, signal: AbortSignal | undefined): Promise<ShownProof | null>
  /** Whether the seller at this origin has asked before. */
  hasAsked(origin: string): boolean
  noteAsked(origin: string): void
}

type Stated = Awaited<ReturnType<Client['getMembershipProof']>>['proof']

interface ShownProof {
  readonly token: string
  readonly proof: Stated
}

interface Fetched extends ShownProof {
  readonly askedAt: number
  readonly validMs: number
}

/** A proof is renewed so long before it ends, because a seller's clock may be ahead. */
const RENEWED_BEFORE_MS = 5 * 60_000
/** Of a proof that is older, a seller's demand may be fulfilled by a newer one. */
const OUTDATED_AFTER_MS = 60_000
const MAX_ORIGINS = 1_000
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

export function createBuyerIdentity(
  { client, identity, allowHttp }: Pick<PayingFetchOptions, 'client' | 'identity' | 'allowHttp'>,
  now: () => number,
): BuyerIdentity | null {
  if (identity === undefined || identity === false) return null
  if (identity !== true && typeof identity !== 'function')
    throw new TypeError('identity is true, or a function of the origin of a seller')
  const isSandbox = new URL(client.baseUrl).protocol === 'http:'
  const asked = new Set<string>()
  let fetched: Fetched | null = null
  let fetching: Promise<Fetched> | null = null

  function mayShowAt(url: URL): boolean {
    const isLocal = url.protocol === 'http:' && LOOPBACK.test(url.hostname)
    if (url.protocol !== 'https:' && !(isLocal && isSandbox && allowHttp === true)) return false
    return identity === true || (typeof identity === 'function' && identity(originOf(url)))
  }
  async function fetchProof(): Promise<Fetched> {
    const askedAt = now()
    try {
      const { proof, token } = await client.getMembershipProof({ affiliation: true })
      if (typeof token !== 'string' || typeof proof !== 'object') throw invalidResponse('token')
      // A duration, because the service's clock may be another.
      const validMs = Date.parse(proof.expires_at) - Date.parse(proof.issued_at)
      fetched = { token, proof, askedAt, validMs }
      return fetched
    } finally {
      fetching = null
    }
  }
  function latest(demand: BuyerDemand): Promise<Fetched> | Fetched {
    const ageMs = fetched === null ? 0 : Math.abs(now() - fetched.askedAt)
    const isValid = fetched !== null && ageMs < fetched.validMs - RENEWED_BEFORE_MS
    const isEnough = fetched !== null && (meets(demand, fetched.proof) || ageMs < OUTDATED_AFTER_MS)
    if (fetched !== null && isValid && isEnough) return fetched
    fetching ??= fetchProof()
    return fetching
  }
  return {
    async proofFor(url, demand, signal) {
      if (!mayShowAt(url)) return null
      return within(Number.POSITIVE_INFINITY, signal, async () => latest(demand))
    },
    hasAsked: origin => asked.has(origin),
    noteAsked(origin) {
      if (asked.size >= MAX_ORIGINS) asked.clear()
      asked.add(origin)
    },
  }
}

function meets(demand: BuyerDemand, { tier, kyc_status: kycStatus }: Stated): boolean {
  return fulfils(demand, { tier, kycStatus })
}

/** A request and its response. */
export interface Asked {
  readonly request: CallerRequest
  readonly response: Response
}

/**
 * Asks for the price again as a known buyer if the seller reads who buys and the options allow it: only then does a
 * seller learn more than that an agent asks. The same request and response otherwise. Throws a PurchaseError if the
 * seller does not sell to this buyer.
 */
export async function askAsKnown(buyer: Buyer, { request, response }: Asked): Promise<Asked> {
  const header =
    response.status === 402 || response.status === 403 ? response.headers.get(CHALLENGE_HEADER) : null
  const demand = header === null ? null : decodeDemand(header)
  if (demand === null) return { request, response }
  const isRefused = response.status === 403 || isSelective(demand)
  const refuse = (message: string) =>
    new PurchaseError({ code: 'buyer_not_accepted', message, url: request.url.href, response: response })

  if (request.hop.headers.has(IDENTITY_HEADER)) {
    if (response.status === 402) return { request, response }
    throw refuse(`The seller does not accept this agent: it sells to ${demandText(demand)}`)
  }
  const url = response.url === '' ? request.url : new URL(response.url)
  const isElsewhere = url.origin !== request.url.origin
  const shown = isElsewhere ? null : ((await buyer.identity?.proofFor(url, demand, request.signal)) ?? null)
  if (shown === null) {
    if (!isRefused) return { request, response }
    throw refuse(
      `The seller sells to ${demandText(demand)}, and the option identity does not let it know who buys`,
    )
  }
  if (!meets(demand, shown.proof)) {
    const { tier, kyc_status: kyc } = shown.proof
    throw refuse(`The seller sells to ${demandText(demand)}; this agent is of ${tier}, its KYC is ${kyc}`)
  }
  if (request.key === null) {
    const message = 'The body is a stream, which cannot be sent again with the identity of the buyer'
    if (!isRefused) return { request, response }
    throw new PurchaseError({
      code: 'body_not_repeatable',
      message,
      url: request.url.href,
      response: response,
    })
  }
  buyer.identity?.noteAsked(originOf(url))
  discard(response)
  const known = withToken(request, shown.token)
  const first: Hop = isBodiless(request.hop.method) ? { ...known.hop, url } : known.hop
  const again = await follow(known, first, response => {
    const message = 'The seller redirects the request, and the identity of the buyer was not sent there'
    return new PurchaseError({ code: 'redirect_refused', message, url: request.url.href, response })
  })
  if (again.status === 403) return askAsKnown(buyer, { request: known, response: again })
  return { request: known, response: again }
}

/** The request with the buyer's identity, if its seller has asked for it before. Its `send` is unchanged. */
export async function knownIfAsked({ identity }: Buyer, request: CallerRequest): Promise<CallerRequest> {
  if (identity?.hasAsked(originOf(request.url)) !== true) return request
  const shown = await identity.proofFor(request.url, {}, request.signal).catch(() => null)
  return shown === null ? request : withToken(request, shown.token)
}

function withToken(request: CallerRequest, token: string): CallerRequest {
  const headers = new Headers(request.hop.headers)
  headers.set(IDENTITY_HEADER, token)
  return { ...request, hop: { ...request.hop, headers } }
}

/** Whether a seller's response says that it does not sell to this buyer. */
export function isNotSold({ status, headers }: Response): boolean {
  return status === 403 && decodeDemand(headers.get(CHALLENGE_HEADER) ?? '') !== null
}
