import type { DifferenceKind } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import type { OpenDifference, Outcome } from './difference.ts'

const COLUMNS = `id, kind, about, gateway, subject, item, agent_id as "agentId", ours, theirs,
  amount_paise as "amountPaise", happened_at as "happenedAt", found_at as "foundAt"`

/** Records what was found. What is open already keeps the moment when it was first seen. */
export async function keepFound(
  tx: Queryable,
  runId: Uuid,
  outcomes: readonly Outcome[],
  now: Date,
): Promise<void> {
  const rows = distinct(outcomes)
  if (rows.length === 0) return
  await tx.query(KEEP, [
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
}

/** One statement must not touch a row twice. In the order of the index, so that two runs never wait for each other. */
function distinct(outcomes: readonly Outcome[]) {
  const rows = outcomes.flatMap(({ subject, found }) => found.map(one => ({ ...subject, ...one })))
  const byKey = new Map(rows.map(row => [JSON.stringify([row.subject, row.kind, row.item]), row]))
  return [...byKey].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)
}

const KEEP = `
  insert into reconciliation_differences as d (id, kind, about, gateway, subject, item, agent_id, ours, theirs,
    amount_paise, happened_at, found_at, last_seen_at, seen_by)
  select id, kind, about, gateway, subject, item, agent_id, ours, theirs, amount, happened_at, $12, $12, $13
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[],
    $9::text[], $10::int8[], $11::timestamptz[])
    v(id, kind, about, gateway, subject, item, agent_id, ours, theirs, amount, happened_at)
  on conflict (subject, kind, item) where closed_at is null
  do update set about = excluded.about, gateway = excluded.gateway, agent_id = excluded.agent_id,
    ours = excluded.ours, theirs = excluded.theirs, amount_paise = excluded.amount_paise,
    last_seen_at = excluded.last_seen_at, seen_by = excluded.seen_by`

/** Ends differences that a comparison found gone. */
export async function closeDifferences(tx: Queryable, ids: readonly Uuid[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await tx.query(
    `update reconciliation_differences set closed_at = $2 where id = any($1::uuid[]) and closed_at is null`,
    [arrayLiteral(ids), now],
  )
}

/** Open differences that this run has not seen, in the order of their ids. */
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

/** A page of what is open, newest first. */
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
