import { SETTLEMENT_SKIP_REASONS, type SettlementSkipReason } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { BEFORE_ALL_WALLETS } from './wallets-store.ts'

/** The number of wallets that were skipped, by reason; a missing reason means none. */
export type SkipCounts = { readonly [Reason in SettlementSkipReason]?: number }

export interface LeasedRun {
  readonly day: number
  readonly doneThrough: Uuid | null
  readonly skipped: SkipCounts
}

/**
 * Takes or renews the lease of a day's run, and creates the run if there is none; null: it is finished, or another
 * node has it. An unfinished run of an earlier day ends here, because this one checks every wallet too.
 */
export async function leaseRun(
  db: Database,
  {
    day,
    holder,
    now,
    until,
  }: { readonly day: number; readonly holder: Uuid; readonly now: Date; readonly until: Date },
): Promise<LeasedRun | null> {
  await db.query(BEGIN_RUN, [day, now])
  const [run] = await db.query<LeasedRun>(
    `update settlement_runs set leased_by = $2, leased_until = $4
     where day = $1 and finished_at is null and (leased_by = $2 or leased_until is null or leased_until <= $3)
     returning day, done_through as "doneThrough", skipped`,
    [day, holder, now, until],
  )
  return run ?? null
}

/**
 * One statement, so that no crash leaves an earlier run open for ever. The payouts of that run are counted again: its
 * node may have crashed between paying a slice out and counting it.
 */
const BEGIN_RUN = `
  with begun as (
    insert into settlement_runs (day, started_at) values ($1, $2) on conflict do nothing returning day)
  update settlement_runs r set finished_at = $2, (paid_count, paid_paise) = (
      select count(*)::int4, coalesce(sum(p.amount_paise), 0)::int8 from payouts p where p.settlement_day = r.day)
  from begun b where r.day < b.day and r.finished_at is null`

export interface Skip {
  readonly agentId: Uuid
  readonly reason: SettlementSkipReason
  readonly balancePaise: Paise
}

export interface DoneSlice {
  readonly run: LeasedRun
  readonly holder: Uuid
  /** The last wallet that was checked; null: none was left. */
  readonly through: Uuid | null
  readonly skips: readonly Skip[]
  readonly finished: boolean
  readonly now: Date
}

/**
 * Records that a slice is done. Its payouts are counted from the payouts table, so that each is counted once, whichever
 * node made it. Returns false if another node has taken over the run, which then counts the slice itself.
 */
export function finishSlice(database: Database, slice: DoneSlice): Promise<boolean> {
  const { run, holder, through, skips, finished, now } = slice
  return database.inTransaction(async tx => {
    const done = await tx.query(
      `update settlement_runs r set done_through = coalesce($4, r.done_through),
         paid_count = r.paid_count + c.paid, paid_paise = r.paid_paise + c.paise, skipped = $5::jsonb,
         finished_at = case when $6 then $7::timestamptz end
       from (select count(*)::int4 as paid, coalesce(sum(amount_paise), 0)::int8 as paise from payouts
             where settlement_day = $1 and agent_id > $3 and agent_id <= $8) c
       where r.day = $1 and r.leased_by = $2 and r.finished_at is null and r.done_through is not distinct from $9
       returning r.day`,
      [
        run.day,
        holder,
        run.doneThrough ?? BEFORE_ALL_WALLETS,
        through,
        JSON.stringify(counted(run.skipped, skips)),
        finished,
        now,
        finished ? LAST_UUID : through,
        run.doneThrough,
      ],
    )
    if (done.length === 0) return false
    if (skips.length > 0) await insertSkips(tx, run.day, skips)
    return true
  })
}

function counted(before: SkipCounts, skips: readonly Skip[]): SkipCounts {
  const counts: Partial<Record<SettlementSkipReason, number>> = { ...before }
  for (const { reason } of skips) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

async function insertSkips(tx: Queryable, day: number, skips: readonly Skip[]): Promise<void> {
  await tx.query(
    `insert into settlement_skips (day, agent_id, reason, balance_paise)
     select $1, v.agent_id, v.reason, v.balance
     from unnest($2::uuid[], $3::text[], $4::int8[]) v(agent_id, reason, balance)
     on conflict do nothing`,
    [
      day,
      arrayLiteral(skips.map(skip => skip.agentId)),
      arrayLiteral(skips.map(skip => skip.reason)),
      arrayLiteral(skips.map(skip => skip.balancePaise)),
    ],
  )
}

/** Skipped wallets older than this remain only in the runs' counts. */
export async function forgetSkips(db: Queryable, beforeDay: number): Promise<void> {
  await db.query(`delete from settlement_skips where day < $1`, [beforeDay])
}

export interface Run {
  readonly day: number
  readonly paidCount: number
  readonly paidPaise: Paise
  readonly skipped: SkipCounts
  readonly startedAt: Date
  readonly finishedAt: Date | null
}

export interface RunPage {
  readonly fetch: number
  readonly offset: number
  /** Only days before this one; null: from the latest on. */
  readonly beforeDay: number | null
}

export function selectRuns(db: Queryable, { fetch, offset, beforeDay }: RunPage): Promise<Run[]> {
  return db.query<Run>(
    `select day, paid_count as "paidCount", paid_paise as "paidPaise", skipped, started_at as "startedAt",
       finished_at as "finishedAt"
     from settlement_runs where $1::int4 is null or day < $1 order by day desc limit $2 offset $3`,
    [beforeDay, fetch, offset],
  )
}

export async function countRuns(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(`select count(*) as count from settlement_runs`, [])
  return row?.count ?? 0n
}

export async function selectSkipCounts(db: Queryable, day: number): Promise<SkipCounts | null> {
  const [row] = await db.query<{ skipped: SkipCounts }>(
    `select skipped from settlement_runs where day = $1`,
    [day],
  )
  return row?.skipped ?? null
}

export interface ListedSkip extends Skip {
  /** The agent's id, which is the cursor of the list. */
  readonly id: Uuid
  readonly agentName: string
  readonly ownerId: Uuid
}

export interface SkipFilter {
  readonly day: number
  readonly reason: SettlementSkipReason | null
}

export function selectSkips(
  db: Queryable,
  { day, reason }: SkipFilter,
  {
    fetch,
    offset,
    before,
  }: { readonly fetch: number; readonly offset: number; readonly before: Uuid | null },
): Promise<ListedSkip[]> {
  return db.query<ListedSkip>(
    `select s.agent_id as id, s.agent_id as "agentId", a.name as "agentName", a.owner_id as "ownerId", s.reason,
       s.balance_paise as "balancePaise"
     from settlement_skips s join agents a on a.id = s.agent_id
     where s.day = $1 and ($2::text is null or s.reason = $2) and ($3::uuid is null or s.agent_id < $3)
     order by s.agent_id desc limit $4 offset $5`,
    [day, reason, before, fetch, offset],
  )
}

export function countSkips(counts: SkipCounts, reason: SettlementSkipReason | null): number {
  const reasons: readonly SettlementSkipReason[] = reason === null ? SETTLEMENT_SKIP_REASONS : [reason]
  return reasons.reduce((sum, each) => sum + (counts[each] ?? 0), 0)
}
