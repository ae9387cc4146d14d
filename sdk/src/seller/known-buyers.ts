import type { KycStatus, MembershipProof, Tier } from '../api/types.ts'
import { checkSignature, type ServiceKeys } from '../client/service-keys.ts'
import { bytesFromBase64 } from '../protocol/base64.ts'
import { demandText, fulfils, isSelective, readDemand } from '../protocol/buyer-demand.ts'
import { type BuyerDemand, IDENTITY_HEADER } from '../protocol/messages.ts'
import { isAgentId } from '../protocol/payee.ts'
import { objectInPart } from './check-receipt.ts'
import type { SellerContext } from './context.ts'
import { deadlineIn } from './deadline.ts'
import type { SellerRequest } from './options.ts'

/** A buyer that has shown its membership proof, as the service has stated at most an hour ago. */
export interface KnownBuyer {
  readonly agentId: string
  readonly handle: string
  readonly tier: Tier
  readonly kycStatus: KycStatus
  /** null: the buyer does not say. */
  readonly platformId: string | null
  /** null: it is a member of none, or the buyer does not say. */
  readonly organizationId: string | null
}

/** Why a request is refused with 403. */
export type BuyerRefusalReason =
  | 'identity_required'
  | 'identity_expired'
  | 'identity_not_genuine'
  | 'identity_mismatch'
  | 'buyer_not_accepted'

export interface BuyerRefusal {
  readonly kind: 'refused'
  readonly reason: BuyerRefusalReason
  readonly message: string
}

/** Who asks for a price. `later`: the service's keys are not known at the moment. */
export type BuyerFinding =
  | { readonly kind: 'buyer'; readonly buyer: KnownBuyer | null }
  | { readonly kind: 'later'; readonly retryAfterMs: number | null }
  | BuyerRefusal

/** The part of a seller that reads who buys. */
export interface KnownBuyers {
  readonly demand: BuyerDemand
  /** Whether it sells only to some buyers. */
  readonly isSelective: boolean
  /** Who sends a request, and whether it may buy. `payer`: the agent that pays, as the request says. Never throws. */
  find(request: SellerRequest, payer: string | null): Promise<BuyerFinding>
}

const ANYBODY = { kind: 'buyer', buyer: null } as const

/** Throws a TypeError for an invalid demand. */
export function createKnownBuyers(buyers: BuyerDemand, context: SellerContext): KnownBuyers {
  const demand = demandOf(buyers)
  const { serviceKeys, surroundings, verifyTimeoutMs } = context

  async function find(request: SellerRequest, payer: string | null): Promise<BuyerFinding> {
    const token = request.header(IDENTITY_HEADER.toLowerCase())
    if (token === null) return isSelective(demand) ? refusedFor('identity_required', demand) : ANYBODY
    const { signal } = deadlineIn(verifyTimeoutMs)
    const finding = await checkIdentity(serviceKeys, token, surroundings.now(), signal)
    if (typeof finding === 'string') return refusedFor(finding, demand)
    if (finding.kind === 'later') return finding
    const { buyer } = finding
    if (payer !== null && payer !== buyer.agentId) return refusedFor('identity_mismatch', demand)
    return fulfils(demand, buyer) ? finding : refusedFor('buyer_not_accepted', demand)
  }
  return {
    demand,
    isSelective: isSelective(demand),
    find: (request, payer) => find(request, payer).catch(() => ({ kind: 'later', retryAfterMs: null })),
  }
}

function demandOf(buyers: BuyerDemand): BuyerDemand {
  const demand = readDemand(buyers)
  if (demand !== null) return demand
  throw new TypeError("buyers has the fields tier, 'tier1' for example, and kyc, which is 'verified'")
}

function refusedFor(reason: BuyerRefusalReason, demand: BuyerDemand): BuyerRefusal {
  return { kind: 'refused', reason, message: `${REFUSALS[reason]} This is sold to ${demandText(demand)}.` }
}

const REFUSALS: Readonly<Record<BuyerRefusalReason, string>> = {
  identity_required: `The header ${IDENTITY_HEADER} with the token of the buyer’s membership proof is missing.`,
  identity_expired: `The token in ${IDENTITY_HEADER} has expired.`,
  identity_not_genuine: `The text in ${IDENTITY_HEADER} is not a token of a membership proof that the service has signed.`,
  identity_mismatch: `The token in ${IDENTITY_HEADER} is that of another agent than the one that pays.`,
  buyer_not_accepted: 'The buyer is not one of those that the seller sells to.',
}

const MAX_TOKEN_CHARACTERS = 4_096
/** The greatest difference of this machine's clock from the service's. */
const MAX_CLOCK_SKEW_MS = 60_000

type Claims = Partial<Record<keyof MembershipProof['proof'] | 'iss', unknown>>

/**
 * Checks the token of a membership proof offline. It may be a copy, so what it says is proved only by the payment of a
 * nonce that was given to this agent.
 */
async function checkIdentity(
  keys: ServiceKeys,
  token: string,
  now: number,
  signal: AbortSignal,
): Promise<
  | { readonly kind: 'buyer'; readonly buyer: KnownBuyer }
  | { readonly kind: 'later'; readonly retryAfterMs: number | null }
  | 'identity_expired'
  | 'identity_not_genuine'
> {
  if (token.length > MAX_TOKEN_CHARACTERS) return 'identity_not_genuine'
  const [head = '', body = '', signature = '', ...others] = token.split('.')
  const { alg, typ, kid } = objectInPart(head)
  const isProof = alg === 'EdDSA' && typ === 'membership-proof+jwt' && others.length === 0
  if (!isProof || typeof kid !== 'string') return 'identity_not_genuine'
  const found = await keys.find(kid, signal)
  if (found === null) return { kind: 'later', retryAfterMs: null }
  if ('unknownForMs' in found) return { kind: 'later', retryAfterMs: found.unknownForMs }
  const claims: Claims = objectInPart(body)
  const signed = { text: `${head}.${body}`, issuer: claims.iss, date: claims.issued_at }
  const finding = await checkSignature(found, { ...signed, signature: bytesFromBase64(signature) })
  // A thief of a revoked key can sign anything, and an honest buyer gets a new proof.
  if (finding !== 'genuine') return 'identity_not_genuine'
  if (!(now <= Date.parse(String(claims.expires_at)) + MAX_CLOCK_SKEW_MS)) return 'identity_expired'
  const buyer = buyerIn(claims)
  return buyer === null ? 'identity_not_genuine' : { kind: 'buyer', buyer }
}

/** The service has signed these claims, so their values need no check but that of their presence. */
function buyerIn(claims: Claims): KnownBuyer | null {
  const { agent_id: agentId, handle, tier, kyc_status: kycStatus } = claims
  if (!isAgentId(agentId) || typeof handle !== 'string') return null
  if (typeof tier !== 'string' || typeof kycStatus !== 'string') return null
  return {
    ...{ agentId, handle, tier: tier as Tier, kycStatus: kycStatus as KycStatus },
    platformId: textOrNull(claims.platform_id),
    organizationId: textOrNull(claims.organization_id),
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
