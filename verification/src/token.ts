import { verify } from 'node:crypto'
import { bytesOfBase64 } from './base64.ts'
import { keyFor, type PublishedKey, type PublishedKeys } from './published-keys.ts'
import { isObject, type JsonObject, readJson } from './read-json.ts'
import { canonicalJson } from './signatures.ts'
import { misfit, SIGNED_KINDS, type SignedContent, type SignedKind } from './signed-kinds.ts'
import { type Doubt, forged, isDoubt, shown, unclear } from './verification-result.ts'

/** The content of a token with a valid signature. */
export interface OpenedToken {
  readonly kind: SignedKind
  readonly content: SignedContent
  readonly key: PublishedKey
}

const REGISTERED_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']
const PARTS = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

export function looksLikeToken(text: string): boolean {
  return PARTS.test(text)
}

/**
 * Checks a compact EdDSA token. Its header may contain only the algorithm, the kind and the key's id, so that no token
 * supplies a key or a rule (RFC 8725, sections 2 and 3).
 */
export function openToken(token: string, keys: PublishedKeys): OpenedToken | Doubt {
  const [, head = '', body = '', end = ''] = PARTS.exec(token) ?? []
  const header = partOf(head)
  if (isDoubt(header)) return header
  const kind = SIGNED_KINDS.find(({ typ }) => typ === header['typ'])
  if (header['alg'] !== 'EdDSA') return forged('the token is not signed with EdDSA, as this service signs')
  if (kind === undefined) return unclear(`the token is of an unknown kind (${shown(String(header['typ']))})`)
  if (Object.keys(header).toSorted().join() !== 'alg,kid,typ')
    return forged('the head of the token says more or less than alg, kid and typ')
  const payload = partOf(body)
  if (isDoubt(payload)) return payload
  const content = contentOf(kind, payload)
  if (isDoubt(content)) return content
  if (content.key_id !== header['kid'])
    return forged('the token names one key in its head and another in its body')
  const key = keyFor(content, keys)
  if (isDoubt(key)) return key
  const signature = bytesOfBase64(end, 'base64url')
  if (signature === null || !verify(null, Buffer.from(`${head}.${body}`), key.key, signature))
    return forged('the signature of the token does not fit what it says')
  return wrongClaim(kind, content, payload) ?? { kind, content, key }
}

function partOf(part: string): JsonObject | Doubt {
  const bytes = bytesOfBase64(part, 'base64url')
  const json = bytes === null ? null : readJson(bytes.toString('utf8'))
  if (json === null || isDoubt(json) || !isObject(json.value)) return forged('the token is damaged')
  return json.value
}

function contentOf(kind: SignedKind, payload: JsonObject): SignedContent | Doubt {
  const content = Object.fromEntries(
    Object.entries(payload).filter(([name]) => !REGISTERED_CLAIMS.includes(name)),
  )
  const fault = misfit(kind, content)
  return fault === null ? (content as SignedContent) : forged(`the token is no ${kind.name}: ${shown(fault)}`)
}

/** The registered claims must repeat the content, for verifiers that read only them. */
function wrongClaim(kind: SignedKind, content: SignedContent, payload: JsonObject): Doubt | null {
  const due = kind.claims(content)
  const wrong = REGISTERED_CLAIMS.find(name => payload[name] !== undefined && payload[name] !== due[name])
  return wrong === undefined ? null : forged(`the token contradicts itself: its ${wrong} is not what it says`)
}

/** Whether two copies are equal. */
export function saysTheSame(one: SignedContent, other: SignedContent): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
