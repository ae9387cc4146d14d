import { textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { FIRST_UUID, type Uuid } from '../../kernel/ids.ts'
import type { LogFault } from './check-log-faults.ts'

/** The position of a round of the check. */
export interface LogPosition {
  readonly round: number
  readonly phase: 'tiles' | 'entries' | 'payments'
  readonly nextTile: number
  /** How many tiles this round checks; null before its first slice. */
  readonly tilesEnd: number | null
  /** The last entry or payment that was checked. */
  readonly doneThrough: Uuid
  /** Payments up to this one were made before the log existed. */
  readonly beginsAfter: Uuid
}

interface Claim {
  readonly token: Uuid
  readonly now: Date
  readonly until: Date
  readonly dueBefore: Date
}

const atBeginning = (first: string, later: string) =>
  `case when round_started_at is null then ${first} else ${later} end`

/** Leases the next slice; null while another node has the lease, or no round is due. A round begins with its first slice. */
export async function claimSlice(db: Queryable, claim: Claim): Promise<LogPosition | null> {
  const [row] = await db.query<LogPosition>(
    `update audit_check set leased_by = $1, leased_until = $3, round_started_at = coalesce(round_started_at, $2),
       round = ${atBeginning('round + 1', 'round')}, phase = ${atBeginning(`'tiles'`, 'phase')},
       next_tile = ${atBeginning('0', 'next_tile')}, tiles_end = ${atBeginning('null', 'tiles_end')},
       done_through = ${atBeginning(`'${FIRST_UUID}'`, 'done_through')}
     where (leased_until is null or leased_until <= $2)
       and (round_started_at is not null or last_started_at is null or last_started_at <= $4)
     returning round::float8 as round, phase, next_tile::float8 as "nextTile", tiles_end::float8 as "tilesEnd",
       done_through as "doneThrough", begins_after as "beginsAfter"`,
    [claim.token, claim.now, claim.until, claim.dueBefore],
  )
  return row ?? null
}

/** Stores the position and releases the lease; false if another node has the lease by now. */
export async function keepPosition(tx: Queryable, token: Uuid, position: LogPosition): Promise<boolean> {
  const { phase, nextTile, tilesEnd, doneThrough } = position
  const rows = await tx.query(
    `update audit_check set leased_by = null, leased_until = null, phase = $2, next_tile = $3, tiles_end = $4,
       done_through = $5
     where leased_by = $1 returning only_row`,
    [token, phase, nextTile, tilesEnd, doneThrough],
  )
  return rows.length === 1
}

/** Ends the round. Faults that the round did not find again are marked as healed. */
export async function endRound(tx: Queryable, round: number, now: Date): Promise<void> {
  await tx.query(
    `update audit_check set last_started_at = round_started_at, round_started_at = null, checked_at = $1`,
    [now],
  )
  await tx.query(`update audit_faults set healed_at = $2 where healed_at is null and seen_round < $1`, [
    round,
    now,
  ])
}

/** Bounds the table of faults and the service's log if large parts of the log are damaged. */
const MAX_OPEN = 1_000

/** Stores the faults that were found; returns those that are new. */
export async function keepFaults(
  tx: Queryable,
  faults: readonly LogFault[],
  { round, now }: { readonly round: number; readonly now: Date },
): Promise<LogFault[]> {
  if (faults.length === 0) return []
  const known = await tx.query<Pick<LogFault, 'subject' | 'kind'>>(
    `select subject, kind from audit_faults where healed_at is null`,
    [],
  )
  const isKnown = (fault: LogFault) =>
    known.some(({ subject, kind }) => subject === fault.subject && kind === fault.kind)
  const fresh = faults.filter(fault => !isKnown(fault)).slice(0, Math.max(0, MAX_OPEN - known.length))
  const kept = [...faults.filter(isKnown), ...fresh]
  await tx.query(
    `insert into audit_faults as f (subject, kind, detail, found_at, seen_round)
     select distinct on (v.subject, v.kind) v.subject, v.kind, v.detail, $4::timestamptz, $5::int8
     from unnest($1::text[], $2::text[], $3::text[]) v(subject, kind, detail)
     on conflict (subject, kind) do update set detail = excluded.detail, seen_round = excluded.seen_round,
       healed_at = null, found_at = case when f.healed_at is null then f.found_at else excluded.found_at end`,
    [
      textArrayLiteral(kept.map(fault => fault.subject)),
      textArrayLiteral(kept.map(fault => fault.kind)),
      textArrayLiteral(kept.map(fault => fault.detail)),
      now,
      round,
    ],
  )
  return fresh
}

/** When the last complete round ended (null before the first), and the number of open faults. */
export interface LogCheck {
  readonly checkedAt: Date | null
  readonly faults: number
}

export async function readLogCheck(db: Queryable): Promise<LogCheck> {
  const [row] = await db.query<LogCheck>(
    `select checked_at as "checkedAt",
       (select count(*) from audit_faults where healed_at is null)::float8 as faults
     from audit_check`,
    [],
  )
  return row ?? { checkedAt: null, faults: 0 }
}
