import { arrayLiteral } from '../db/array-literal.ts'
import { HOUR_MS, istDay } from '../kernel/clock.ts'
import type { Paise } from '../kernel/money.ts'
import type { Account } from './accounts.ts'
import type { Writer } from './ledger-batch.ts'

/**
 * Releases of a payer to payees that the hold did not name. The amounts count in its windows since the hold. The payees
 * are known only since the release, so these sums are added to the bounds on counterparties.
 */
export interface ReleaseBounds {
  readonly lastMs: number
  /** The sum released on the IST day of the last release. */
  readonly dayPaise: Paise
  /** An upper bound on the number of releases within the hour before the last one. */
  readonly hourCount: number
}

/** The bounds at a given time; null when no window includes them any more. */
export function releasesAt(bounds: ReleaseBounds, nowMs: number): ReleaseBounds | null {
  const { lastMs, dayPaise, hourCount } = bounds
  const isToday = istDay(new Date(lastMs)) === istDay(new Date(nowMs))
  const isRecent = lastMs > nowMs - HOUR_MS
  if (isToday && isRecent) return bounds
  if (!isToday && !isRecent) return null
  return { lastMs, dayPaise: (isToday ? dayPaise : 0n) as Paise, hourCount: isRecent ? hourCount : 0 }
}

/** Adds a release at `nowMs`. `releasesWriter` stores it. */
export function addRelease(account: Account, amountPaise: Paise, nowMs: number): void {
  const { dayPaise, hourCount } = account.releases ?? { dayPaise: 0n, hourCount: 0 }
  account.releases = {
    lastMs: nowMs,
    dayPaise: (dayPaise + amountPaise) as Paise,
    hourCount: Math.min(hourCount + 1, MOST_RELEASES),
  }
}

/** More than any limit on recipients allows, and far from where a column overflows. */
const MOST_RELEASES = 2_000_000

/** A separate statement, so that the update of every payment does not need these columns. */
export const releasesWriter: Writer<Account> = {
  name: 'release bounds',
  write: (tx, rows) => {
    const accounts = [...new Set(rows)]
    return tx.query(
      `update accounts a set last_release_ms = v.last_ms, day_released_paise = v.paise, hour_releases = v.count
       from unnest($1::uuid[], $2::int8[], $3::int8[], $4::int4[]) v(id, last_ms, paise, count)
       where a.id = v.id`,
      [
        arrayLiteral(accounts.map(account => account.id)),
        arrayLiteral(accounts.map(account => account.releases?.lastMs ?? null)),
        arrayLiteral(accounts.map(account => account.releases?.dayPaise ?? null)),
        arrayLiteral(accounts.map(account => account.releases?.hourCount ?? null)),
      ],
    )
  },
}
