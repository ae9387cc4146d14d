import type { DifferenceKind } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import type { SettlementSums } from './compare-record.ts'
import type { OpenDifference, Outcome } from './difference.ts'
import { type Run, type SettlementPart, TOTAL_NAMES, type Totals } from './run.ts'

export interface LastRuns {
  /** Up to where the gateway's records were last read without a gap; null: never. */
  readonly listedTo: Date | null
  /** From where they could not be read since; null: nothing is missing. */
  readonly unlistedFrom: Date | null
}

export async function selectLastRuns(db: Queryable): Promise<LastRuns> {
  const [row] = await db.query<LastRuns>(
    `select max(to_at) filter (where listed) as "listedTo",
       min(from_at) filter (where not listed and day > coalesce(
         (select max(l.day) from reconciliation_runs l where l.listed), 0)) as "unlistedFrom"
     from reconciliation_runs where day is not null`,
    [],
  )
  return row ?? { listedTo: null, unlistedFrom: null }
}

/** Inserts a run when it is complete. What it has read of settlements is of no further use. */
export async function insertRun(tx: Queryable, run: Run, finishedAt: Date): Promise<void> {
  const { id, day, from, to, totals, listed, startedAt } = run
  await tx.query(
    `insert into reconciliation_runs (id, day, from_at, to_at, totals, listed, started_at, finished_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (day) do nothing`,
    [id, day, from, to, storedTotals(totals), listed, startedAt, finishedAt],
  )
  await tx.query(`delete from reconciliation_settlements where run_id = $1`, [id])
}

/** Counts and sums as an operator reads them; sums are paise in decimal digits. */
function storedTotals(totals: Totals): string {
  const stored = TOTAL_NAMES.map(name => {
    const { count, oursPaise, theirsPaise } = totals[name]
    return [name, [count, String(oursPaise), String(theirsPaise)]]
  })
  return JSON.stringify(Object.fromEntries(stored))
}

export async function selectLastFinishedAt(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    `select max(finished_at) as at from reconciliation_runs`,
    [],
  )
  return row?.at ?? null
}

const COLUMNS = `id, kind, about, gateway, subject, item, agent_id as "agentId", ours, theirs,
  amount_paise as "amountPaise", happened_at as "happenedAt", found_at as "foundAt"`

/** A difference that was not open before. */
export type NewDifference = Pick<OpenDifference, 'kind' | 'subject' | 'ours' | 'theirs'>

/** Records what a page found. A difference that is open already keeps the time at which it was first found. */
export async function recordDifferences(
  tx: Queryable,
  runId: Uuid,
  outcomes: readonly Outcome[],
  now: Date,
): Promise<readonly NewDifference[]> {
  const rows = distinct(outcomes)
  if (rows.length === 0) return []
  const recorded = await tx.query<NewDifference & { isNew: boolean }>(RECORD, [
    arrayLiteral(rows.map(() => newUuid(now))),
    textArrayLiteral(rows.map(row => row.kind)),
    textArrayLiteral(rows.map(row => row.about)),
    textArrayLiteral(rows.map(row => row.gateway)),
    textArrayLiteral(rows.map(row => row.subject)),
    textArrayLiteral(rows.map(row => row.item)),
    arrayLiteral(rows.map(row => row.agentId)),
    textArrayLiteral(rows.map(row => row.ours)),
    textArrayLiteral(rows.map(row => row.theirs)),
    arrayLiteral(rows.map(row => row.amountPaise)),
    textArrayLiteral(rows.map(row => row.happenedAt.toISOString())),
    now,
    runId,
  ])
  return recorded.filter(({ isNew }) => isNew)
}

/** One statement must not touch a row twice. In the order of the index, so that two runs never wait for each other. */
function distinct(outcomes: readonly Outcome[]) {
  const rows = outcomes.flatMap(({ subject, found }) => found.map(one => ({ ...subject, ...one })))
  const byKey = new Map(rows.map(row => [JSON.stringify([row.subject, row.kind, row.item]), row]))
  return [...byKey].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)
}

/** A row that the statement inserted has the id that was made for it. */
const RECORD = `
  insert into reconciliation_differences as d (id, kind, about, gateway, subject, item, agent_id, ours, theirs,
    amount_paise, happened_at, found_at, last_seen_at, seen_by)
  select id, kind, about, gateway, subject, item, agent_id, ours, theirs, amount, happened_at, $12, $12, $13
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[],
    $9::text[], $10::int8[], $11::timestamptz[])
    v(id, kind, about, gateway, subject, item, agent_id, ours, theirs, amount, happened_at)
  on conflict (subject, kind, item) where closed_at is null
  do update set about = excluded.about, gateway = excluded.gateway, agent_id = excluded.agent_id,
    ours = excluded.ours, theirs = excluded.theirs, amount_paise = excluded.amount_paise,
    last_seen_at = excluded.last_seen_at, seen_by = excluded.seen_by
  returning kind, subject, ours, theirs, id = any($1::uuid[]) as "isNew"`

/** Closes differences that a comparison found resolved. */
export async function closeDifferences(tx: Queryable, ids: readonly Uuid[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `update reconciliation_differences set closed_at = $2 where id = any($1::uuid[]) and closed_at is null`,
    [arrayLiteral(ids), now],
  )
}

/** Open differences that this run has not found, in the order of their ids. */
export function selectUnseen(
  db: Queryable,
  runId: Uuid,
  after: Uuid,
  limit: number,
): Promise<OpenDifference[]> {
  return db.query<OpenDifference>(
    `select ${COLUMNS} from reconciliation_differences
     where closed_at is null and id > $1 and seen_by <> $2 order by id limit $3`,
    [after, runId, limit],
  )
}

/** A page of open differences, newest first. */
export function selectOpen(
  db: Queryable,
  kind: DifferenceKind | null,
  page: Pick<PageRequest, 'fetch' | 'offset' | 'before'>,
): Promise<OpenDifference[]> {
  return db.query<OpenDifference>(
    `select ${COLUMNS} from reconciliation_differences
     where closed_at is null and ($1::text is null or kind = $1) and ($2::uuid is null or id < $2)
     order by id desc limit $3 offset $4`,
    [kind, page.before, page.fetch, page.offset],
  )
}

export async function countOpen(db: Queryable, kind: DifferenceKind | null): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from reconciliation_differences
     where closed_at is null and ($1::text is null or kind = $1)`,
    [kind],
  )
  return Number(row?.count ?? 0)
}

/** Adds what a page of records says of settlements; each of them is at most once in the list. */
export async function addSettlementParts(
  tx: Queryable,
  runId: Uuid,
  parts: readonly SettlementPart[],
): Promise<void> {
  if (parts.length === 0) return
  await tx.query(
    `insert into reconciliation_settlements as s (run_id, gateway, id, settled_at, settled_paise, charges_paise,
       parts, parts_paise)
     select $1, gateway, id, settled_at, settled, charges, parts, parts_paise
     from unnest($2::text[], $3::text[], $4::timestamptz[], $5::int8[], $6::int8[], $7::int4[], $8::int8[])
       v(gateway, id, settled_at, settled, charges, parts, parts_paise)
     on conflict (run_id, gateway, id) do update set settled_at = coalesce(excluded.settled_at, s.settled_at),
       settled_paise = s.settled_paise + excluded.settled_paise,
       charges_paise = s.charges_paise + excluded.charges_paise,
       parts = s.parts + excluded.parts, parts_paise = s.parts_paise + excluded.parts_paise`,
    [
      runId,
      textArrayLiteral(parts.map(part => part.gateway)),
      textArrayLiteral(parts.map(part => part.id)),
      textArrayLiteral(parts.map(part => part.settledAt?.toISOString() ?? null)),
      arrayLiteral(parts.map(part => part.settledPaise)),
      arrayLiteral(parts.map(part => part.chargesPaise)),
      arrayLiteral(parts.map(part => part.parts)),
      arrayLiteral(parts.map(part => part.partsPaise)),
    ],
  )
}

/** A page of the settlements that were paid from a moment on, after an id. */
export function selectSettlements(
  db: Queryable,
  runId: Uuid,
  from: Date,
  after: string,
  limit: number,
): Promise<SettlementSums[]> {
  return db.query<SettlementSums>(
    `select id, gateway, settled_at as "settledAt", settled_paise as "settledPaise",
       charges_paise as "chargesPaise", parts, parts_paise as "partsPaise"
     from reconciliation_settlements
     where run_id = $1 and settled_at >= $2 and id > $3 order by id limit $4`,
    [runId, from, after, limit],
  )
}
