import type { ServiceKeys as KeyDocument } from '../api/types.ts'
import { within } from '../client/patience.ts'
import type { Deadline } from './deadline.ts'
import type { PaymentService } from './payment-service.ts'

/** One public key of the service. */
export interface ServiceKey {
  /** The name of the service, which is the issuer of what it signs. */
  readonly issuer: string
  /** Imported once. It rejects where the platform has no Ed25519. */
  readonly key: Promise<CryptoKey>
  /** Between which moments (Unix milliseconds) what it signed is dated. */
  readonly from: number
  readonly until: number
  readonly isRevoked: boolean
}

/**
 * The key of this id; `unknown` when the service has published no such key, or not yet; null when its key document
 * cannot be had.
 */
export type FindKey = (
  keyId: string,
  deadline: Deadline,
) => Promise<ServiceKey | { readonly unknownForMs: number } | null>

/** Strangers name keys that there are not: the document is fetched no more often for them. */
const ASKED_EVERY_MS = 10_000
/** A key that is revoked is refused after so long at the latest. */
const FRESH_FOR_MS = 5 * 60_000

/** The service's keys, fetched when they are first needed and kept. */
export function createServiceKeys(
  service: Pick<PaymentService, 'getServiceKeys'>,
  timeoutMs: number,
  now: () => number,
): FindKey {
  let keys: ReadonlyMap<string, ServiceKey> | null = null
  let asking: Promise<void> | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let readAt = Number.NEGATIVE_INFINITY

  async function read(): Promise<void> {
    askedAt = now()
    try {
      keys = keysIn(await service.getServiceKeys({}, { timeoutMs, maxRetries: 0 }))
      readAt = askedAt
    } catch {
      // The known keys stay; a request for another one gets none.
    } finally {
      asking = null
    }
  }
  return async (keyId, deadline) => {
    const isKnown = keys?.has(keyId) === true
    const isStale = Math.abs(now() - readAt) > FRESH_FOR_MS
    if ((!isKnown || isStale) && Math.abs(now() - askedAt) >= ASKED_EVERY_MS) asking ??= read()
    const reading = asking
    if (!isKnown && reading !== null) {
      await within(Number.POSITIVE_INFINITY, deadline.signal, () => reading)
    }
    if (keys === null) return null
    return keys.get(keyId) ?? { unknownForMs: Math.max(0, askedAt + ASKED_EVERY_MS - now()) }
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
