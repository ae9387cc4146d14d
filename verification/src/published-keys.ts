import type { KeyObject } from 'node:crypto'
import { isTimestamp } from '@batua/contract'
import { bytesOfBase64 } from './base64.ts'
import { isObject, type JsonObject, readJson } from './read-json.ts'
import { publicKeyFromRaw } from './signatures.ts'
import { type Doubt, isDoubt, shown, unclear } from './verification-result.ts'
import { isWeakKey } from './weak-key.ts'

export interface PublishedKey {
  readonly id: string
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string
  readonly key: KeyObject
  /**
   * A retired key signs nothing new, but its signatures stay valid. A key set does not say whether a key is retired.
   */
  readonly isRetired: boolean
  /** The span of dates of objects that it signed; null where a document of an earlier release does not say. */
  readonly activeFrom: number | null
  readonly retiredAt: number | null
  /** The time from which it may be in the hands of a thief. */
  readonly revokedAt: number | null
}

/** The keys that a check trusts. */
export interface PublishedKeys {
  /** The name of the service; null for a JSON Web Key Set, which does not contain it. */
  readonly service: string | null
  readonly byId: ReadonlyMap<string, PublishedKey>
}

const HOW =
  'save the response of /.well-known/service-keys.json or /.well-known/jwks.json and name that file with --keys'

/** Reads the service's key document, or the same keys as a JSON Web Key Set. */
export function readKeys(text: string): PublishedKeys | Doubt {
  const json = readJson(text)
  if (isDoubt(json)) return unclear(`the key document cannot be used, because ${json.because}`)
  const { value } = json
  if (!isObject(value) || !Array.isArray(value['keys'])) return noKeys('it is no key document')
  const isKeySet = value['platform'] === undefined
  const service = isKeySet ? null : value['platform']
  if (service !== null && typeof service !== 'string') return noKeys('its platform is no text')
  if (!isKeySet && value['algorithm'] !== 'Ed25519') return noKeys('its algorithm is not Ed25519')
  const byId = new Map<string, PublishedKey>()
  for (const entry of value['keys'] as readonly unknown[]) {
    if (!isObject(entry)) return noKeys('one of its keys is no object')
    // A set may contain keys of other kinds, which are ignored (RFC 7517, section 5).
    if (isKeySet && !(entry['kty'] === 'OKP' && entry['crv'] === 'Ed25519')) continue
    const key = isKeySet ? keyOfSet(entry) : keyOfDocument(entry)
    if (isDoubt(key)) return key
    if (byId.has(key.id)) return noKeys(`the key id ${shown(key.id)} appears twice`)
    byId.set(key.id, key)
  }
  if (byId.size === 0) return noKeys('it holds no Ed25519 key')
  const inUse = byId.get(String(value['key_id']))
  if (!isKeySet && (inUse === undefined || inUse.publicKey !== value['public_key']))
    return noKeys('its public_key is not the key that its key_id names')
  return { service, byId }
}

function keyOfDocument(entry: JsonObject): PublishedKey | Doubt {
  const { key_id, public_key, status } = entry
  const key = publishedKey(key_id, public_key, entry)
  if (isDoubt(key)) return key
  if ((status === 'revoked') !== (key.revokedAt !== null))
    return noKeys(`its key ${shown(key.id)} is revoked without a date, or has one and is not`)
  return { ...key, isRetired: status === 'retired' }
}

/** RFC 8037, section 2. */
function keyOfSet(entry: JsonObject): PublishedKey | Doubt {
  const { kid, x, alg, use } = entry
  const raw = typeof x === 'string' ? bytesOfBase64(x, 'base64url') : null
  if (alg !== undefined && alg !== 'EdDSA') return noKeys('one of its keys is not for EdDSA')
  if (use !== undefined && use !== 'sig') return noKeys('one of its keys is not for signatures')
  return publishedKey(kid, raw?.toString('base64'), entry)
}

function publishedKey(id: unknown, publicKey: unknown, entry: JsonObject): PublishedKey | Doubt {
  if (typeof id !== 'string' || id === '') return noKeys('one of its keys has no id')
  const key = typeof publicKey === 'string' ? publicKeyFromRaw(publicKey) : null
  if (typeof publicKey !== 'string' || key === null)
    return noKeys(`its key ${shown(id)} is not the base64 of 32 bytes`)
  if (isWeakKey(Buffer.from(publicKey, 'base64')))
    return noKeys(`its key ${shown(id)} is no safe one: anybody can sign for it`)
  const { active_from, retired_at, revoked_at } = entry
  const [activeFrom, retiredAt, revokedAt] = [active_from, retired_at, revoked_at].map(timeFrom)
  if (activeFrom === undefined || retiredAt === undefined || revokedAt === undefined)
    return noKeys(`a date of its key ${shown(id)} is none`)
  return { id, publicKey, key, isRetired: false, activeFrom, retiredAt, revokedAt }
}

/** null for an absent date; undefined for a text that is no date. */
function timeFrom(value: unknown): number | null | undefined {
  if (value === null || value === undefined) return null
  return typeof value === 'string' && isTimestamp(value) ? Date.parse(value) : undefined
}

function noKeys(because: string): Doubt {
  return unclear(`the key document cannot be used, because ${because}; ${HOW}`)
}

/** The key that a signed object names, if it is a key of this service. */
export function keyFor(
  { issuer, key_id }: { readonly issuer: string; readonly key_id: string },
  { service, byId }: PublishedKeys,
): PublishedKey | Doubt {
  if (service !== null && service !== issuer) {
    return unclear(
      `it says that ${shown(issuer)} issued it, and the key document is ${shown(service)}’s; fetch the key document of ${shown(issuer)}`,
    )
  }
  const key = byId.get(key_id)
  if (key !== undefined) return key
  return unclear(
    `it names the key ${shown(key_id)}, which is not in the key document; fetch the document again, or that of the right service`,
  )
}

/** Statements about the key for the result, such as that it is retired. */
export function aboutKey({ id, isRetired, revokedAt }: PublishedKey): string[] {
  if (revokedAt !== null)
    return [`the key ${shown(id)} is revoked since ${new Date(revokedAt).toISOString()}`]
  return isRetired ? [`the key ${shown(id)} is retired: it signs nothing new, what it signed stays good`] : []
}
