import { checkSignature, type ServiceKeys } from '../client/service-keys.ts'
import { type Paise, paiseFromRupees } from '../protocol/amount.ts'
import { bytesFromBase64 } from '../protocol/base64.ts'
import { ed25519, type Verify } from '../protocol/ed25519.ts'
import type { VoucherProof } from '../protocol/messages.ts'
import { objectInPart } from './check-receipt.ts'
import type { SellerContext } from './context.ts'
import type { Deadline } from './deadline.ts'
import type { RefusalReason } from './options.ts'

/** The terms of an authorization, as the service has signed them. */
export interface AuthorizationTerms {
  readonly authorizationId: string
  readonly payerId: string
  readonly payeeId: string
  readonly amountPaise: Paise
  /** Base64url of the 32 bytes of the key of its vouchers. */
  readonly voucherKey: string
  readonly verify: Verify
  /** When it begins to close by itself, Unix milliseconds of the service's clock. */
  readonly expiresAt: number
}

export type AuthorizationFinding =
  | { readonly kind: 'genuine'; readonly terms: AuthorizationTerms }
  | { readonly kind: 'not_genuine' }
  /** It names a key that is not published, or not yet; or the keys cannot be fetched. */
  | { readonly kind: 'later'; readonly retryAfterMs: number | null }

/** Verified tokens by their text; each takes about 2 kB. */
const MAX_KNOWN = 10_000

const NOT_GENUINE = { kind: 'not_genuine' } as const

/** Verifies tokens of authorizations with the service's keys, each once. Throws if the platform has no Ed25519. */
export function createAuthorizationCheck(
  keys: ServiceKeys,
): (token: string, deadline: Deadline) => Promise<AuthorizationFinding> {
  const known = new Map<string, AuthorizationFinding>()
  return async (token, deadline) => {
    const before = known.get(token)
    if (before !== undefined) return before
    const finding = await checkToken(keys, token, deadline)
    if (finding.kind !== 'genuine') return finding
    for (const eldest of known.keys()) {
      if (known.size < MAX_KNOWN) break
      known.delete(eldest)
    }
    known.set(token, finding)
    return finding
  }
}

async function checkToken(
  keys: ServiceKeys,
  token: string,
  deadline: Deadline,
): Promise<AuthorizationFinding> {
  const finding = await checkAuthorizationToken(keys, token, deadline)
  if (finding.kind === 'unsupported') throw new TypeError('This platform has no Ed25519')
  if (finding.kind !== 'genuine') return finding
  const terms = await termsIn(finding.claims)
  return terms === null ? NOT_GENUINE : { kind: 'genuine', terms }
}

type TokenFinding =
  | {
      readonly kind: 'genuine'
      readonly claims: Readonly<Record<string, unknown>>
      /** Its key is not revoked: nobody else can have signed it. */
      readonly isCertain: boolean
    }
  | { readonly kind: 'unsupported' }
  | Exclude<AuthorizationFinding, { readonly kind: 'genuine' }>

/** By what failed questions about an authorization are counted, and whether money was set aside for it. */
interface Askable {
  readonly kind: 'askable'
  readonly key: string
  readonly isPaid: boolean
}

type ShownFinding =
  | Askable
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  | { readonly kind: 'later'; readonly retryAfterMs: number }

/**
 * Whether the service is asked about money that was set aside for a request. An invented authorization costs it
 * nothing, and is refused as the service would; a genuine one counts by itself: an attacker who wants to use up what
 * honest buyers share has to set money aside for this seller, again for every few questions. What cannot be checked
 * here counts as an invented one does.
 */
export async function checkShown(
  { serviceKeys, agent }: Pick<SellerContext, 'serviceKeys' | 'agent'>,
  { authorization, fromAgent, nonce }: Pick<VoucherProof, 'authorization' | 'fromAgent' | 'nonce'>,
  deadline: Deadline,
): Promise<ShownFinding> {
  const finding = await checkAuthorizationToken(serviceKeys, authorization, deadline)
  if (finding.kind === 'not_genuine') return { kind: 'refused', reason: 'transaction_not_found' }
  if (finding.kind === 'later' && finding.retryAfterMs !== null)
    return { kind: 'later', retryAfterMs: finding.retryAfterMs }
  if (finding.kind !== 'genuine') return { kind: 'askable', key: `${authorization} ${nonce}`, isPaid: false }
  const { jti, sub, aud } = finding.claims
  if (aud !== (await agent(deadline.signal)).agent_id) return { kind: 'refused', reason: 'not_payee' }
  if (sub !== fromAgent) return { kind: 'refused', reason: 'payer_mismatch' }
  return { kind: 'askable', key: String(jti), isPaid: finding.isCertain }
}

/** Whether the service has signed a token of an authorization, with or without a key for vouchers. */
async function checkAuthorizationToken(
  keys: ServiceKeys,
  token: string,
  deadline: Deadline,
): Promise<TokenFinding> {
  const [head = '', body = '', signature = ''] = token.split('.')
  const { alg, typ, kid } = objectInPart(head)
  if (alg !== 'EdDSA' || typ !== 'authorization+jwt' || typeof kid !== 'string') return NOT_GENUINE
  const found = await keys.find(kid, deadline.signal)
  if (found === null) return { kind: 'later', retryAfterMs: null }
  if ('unknownForMs' in found) return { kind: 'later', retryAfterMs: found.unknownForMs }
  const claims = objectInPart(body)
  const signed = { text: `${head}.${body}`, issuer: claims['iss'], date: dateOf(claims['iat']) }
  // One of a key that was revoked since is no forgery: the service is asked about every authorization, and knows.
  const finding = await checkSignature(found, { ...signed, signature: bytesFromBase64(signature) })
  if (finding === 'unsupported') return { kind: 'unsupported' }
  if (finding === 'forged') return NOT_GENUINE
  return { kind: 'genuine', claims, isCertain: finding === 'genuine' }
}

async function termsIn(claims: Readonly<Record<string, unknown>>): Promise<AuthorizationTerms | null> {
  const { jti, sub, aud, amount, currency, cnf, exp } = claims
  const { kty, crv, x } = Object(Object(cnf).jwk) as Readonly<Record<string, unknown>>
  if (typeof jti !== 'string' || typeof sub !== 'string' || typeof aud !== 'string') return null
  if (currency !== 'INR' || typeof amount !== 'string' || typeof exp !== 'number') return null
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return null
  const verify = await ed25519.verifier(x)
  if (verify === null) return null
  return {
    ...{ authorizationId: jti, payerId: sub, payeeId: aud, voucherKey: x, verify },
    ...{ amountPaise: paiseFromRupees(amount), expiresAt: exp * 1_000 },
  }
}

function dateOf(seconds: unknown): string | null {
  return typeof seconds === 'number' ? new Date(seconds * 1_000).toISOString() : null
}
