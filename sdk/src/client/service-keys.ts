import type { ServiceKeys as KeyDocument } from '../api/types.ts'
import { within } from './timeouts.ts'

/** One public key of the service. */
export interface ServiceKey {
  /** The name of the service, which is the issuer in its signatures. */
  readonly issuer: string
  /** Imported once. It rejects if the platform has no Ed25519. */
  readonly key: Promise<CryptoKey>
  /** The period (Unix milliseconds) in which its signatures are dated. */
  readonly from: number
  readonly until: number
  readonly isRevoked: boolean
}

/** A key as it was found: `isFresh` if the document with it is recent enough that a revocation would be in it. */
export type FoundKey = ServiceKey & { readonly isFresh: boolean }

/** The service's keys, fetched when they are first needed and kept. */
export interface ServiceKeys {
  /**
   * The key of this id; `unknownForMs` if the service has not published it; null if the key document cannot be fetched.
   */
  find(
    keyId: string,
    signal: AbortSignal | undefined,
  ): Promise<FoundKey | { readonly unknownForMs: number } | null>
  /** Fetches the document again if it is too old to be relied on. It throws if there is none. */
  refresh(): Promise<void>
}

/** The minimum time between fetches for unknown keys, which anyone can name. */
const ASKED_EVERY_MS = 10_000
/** After this time the document is fetched again, while its keys are still used. */
const FRESH_FOR_MS = 5 * 60_000
/** After this time it is waited for, and without it no key is fresh: a revocation is known after this at the latest. */
const RELIED_ON_FOR_MS = 15 * 60_000

export function createServiceKeys(fetchKeys: () => Promise<KeyDocument>, now: () => number): ServiceKeys {
  let keys: ReadonlyMap<string, ServiceKey> | null = null
  let failure: unknown = null
  let asking: Promise<void> | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let readAt = Number.NEGATIVE_INFINITY

  async function read(): Promise<void> {
    askedAt = now()
    try {
      keys = keysIn(await fetchKeys())
      readAt = askedAt
    } catch (error) {
      // The known keys stay; a request for another one gets none.
      failure = error
    } finally {
      asking = null
    }
  }
  const isOlderThan = (ms: number) => Math.abs(now() - readAt) > ms
  const mayAsk = () => Math.abs(now() - askedAt) >= ASKED_EVERY_MS

  return {
    async find(keyId, signal) {
      const isKnown = keys?.has(keyId) === true
      if ((!isKnown || isOlderThan(FRESH_FOR_MS)) && mayAsk()) asking ??= read()
      const reading = asking
      const isNeeded = !isKnown || isOlderThan(RELIED_ON_FOR_MS)
      if (isNeeded && reading !== null) await within(Number.POSITIVE_INFINITY, signal, () => reading)
      if (keys === null) return null
      const key = keys.get(keyId)
      if (key === undefined) return { unknownForMs: Math.max(0, askedAt + ASKED_EVERY_MS - now()) }
      return { ...key, isFresh: !isOlderThan(RELIED_ON_FOR_MS) }
    },
    async refresh() {
      if (keys === null || (isOlderThan(FRESH_FOR_MS) && mayAsk())) asking ??= read()
      await asking
      if (keys === null) throw failure
    },
  }
}

function keysIn({ platform: issuer, keys }: KeyDocument): ReadonlyMap<string, ServiceKey> {
  return new Map(
    keys.map(({ key_id, public_key, active_from, retired_at, revoked_at }) => {
      const key = imported(public_key)
      // Fetched later, when it is needed.
      key.catch(() => {})
      const span = { from: timeOf(active_from, 0), until: timeOf(retired_at, Number.POSITIVE_INFINITY) }
      return [key_id, { issuer, key, ...span, isRevoked: (revoked_at ?? null) !== null }]
    }),
  )
}

function timeOf(text: string | null | undefined, otherwise: number): number {
  return typeof text === 'string' ? Date.parse(text) : otherwise
}

async function imported(publicKey: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(atob(publicKey), character => character.charCodeAt(0))
  return crypto.subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify'])
}

/** A signed text, with its key and date. */
export interface SignedText {
  readonly text: string
  readonly signature: Uint8Array<ArrayBuffer> | null
  readonly issuer: unknown
  readonly date: unknown
}

/**
 * Whether a key has signed a text. `uncertain`: it has, but the key is revoked or was not in use at that time, so it
 * may have been stolen. `unsupported`: this platform has no Ed25519.
 */
export async function checkSignature(
  { key: importing, issuer, from, until, isRevoked }: ServiceKey,
  signed: SignedText,
): Promise<'genuine' | 'forged' | 'uncertain' | 'unsupported'> {
  const key = await importing.catch(() => null)
  if (key === null) return 'unsupported'
  const { signature, text } = signed
  if (signature === null || signed.issuer !== issuer) return 'forged'
  const bytes = new TextEncoder().encode(text)
  if (!(await crypto.subtle.verify('Ed25519', key, signature, bytes))) return 'forged'
  const date = Date.parse(String(signed.date))
  return !isRevoked && date >= from && date <= until ? 'genuine' : 'uncertain'
}
