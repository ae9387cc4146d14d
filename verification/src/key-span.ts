import type { PublishedKey, PublishedKeys } from './published-keys.ts'
import { type Doubt, forged, shown, unclear } from './verification-result.ts'

/** The tolerance of dates on either side, because the clocks of nodes differ. */
export const CLOCKS_DIFFER_MS = 5 * 60_000

/**
 * Why a key cannot have signed an object with this date; null when it can. A retired key may be stolen one day, and its
 * thief can sign anything; dates at which the key was not in use are refused.
 */
export function datedOutside(
  what: string,
  date: string,
  key: PublishedKey,
  keys: PublishedKeys,
): Doubt | null {
  const time = Date.parse(date)
  const from = earliestDate(key, keys)
  if (from !== null && time < from - CLOCKS_DIFFER_MS)
    return forged(
      `this ${what} is dated ${date}, and the key ${shown(key.id)} signs what is dated from ${isoTime(from)} on`,
    )
  if (key.retiredAt !== null && time > key.retiredAt + CLOCKS_DIFFER_MS)
    return forged(
      `this ${what} is dated ${date}, and the key ${shown(key.id)} signs nothing that is dated after ${isoTime(key.retiredAt)}`,
    )
  if (key.revokedAt !== null && time >= key.revokedAt)
    return forged(
      `this ${what} is dated ${date}, and the key ${shown(key.id)} is revoked since ${isoTime(key.revokedAt)}`,
    )
  return null
}

/** The next key that is not revoked signs again what revoked keys signed, so its span begins where theirs began. */
function earliestDate(key: PublishedKey, { byId }: PublishedKeys): number | null {
  if (key.activeFrom === null) return null
  let earliest = key.activeFrom
  const before = [...byId.values()]
    .filter(other => other.activeFrom !== null && other.activeFrom < earliest)
    .toSorted((a, b) => (b.activeFrom ?? 0) - (a.activeFrom ?? 0))
  for (const { activeFrom, revokedAt } of before) {
    if (activeFrom === null || revokedAt === null) break
    earliest = activeFrom
  }
  return earliest
}

/** Why an object is valid only with a proof; null when its key is not revoked. */
export function needsProof(what: string, { id, revokedAt }: PublishedKey): Doubt | null {
  if (revokedAt === null) return null
  return unclear(
    `the key ${shown(id)} is revoked since ${isoTime(revokedAt)}, and a thief of the key can choose the date of what it signs; ask the service for the ${what} again, or prove that the log has it with --proof`,
  )
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
