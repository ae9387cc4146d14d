import { type PayDocument, UPTIME_DAYS } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { LAST_UUID, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { leasedRows } from '../../../operations/due-work.ts'
import { wordsOf } from './document.ts'

/** An origin that is listed, with its document as it was last read without an error. */
export interface StoredListing {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly origin: string
  readonly document: PayDocument
  readonly createdAt: Date
  readonly checkedAt: Date
  readonly failingSince: Date | null
  /** Of the last days; null: there was no check. */
  readonly uptime: number | null
}

/** A listing as everybody finds it. Its place in the list is that of its last check. */
export interface FoundSeller extends Omit<StoredListing, 'createdAt'> {
  readonly handle: string
}

/** A listing whose document has to be read again. */
export interface DueListing {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly handle: string
  readonly status: string
  readonly origin: string
  /** Whether it is one of the agent's origins. */
  readonly isOrigin: boolean
  readonly failingSince: Date | null
}

/** Longer than a document is read. */
const LEASE = `interval '2 minutes'`

export const dueListings = leasedRows<DueListing, DueListing>({
  table: 'listings',
  key: ['id'],
  due: 'due_at',
  lease: LEASE,
  atOnce: 20,
  selected: `r.id, r.agent_id as "agentId", r.origin, r.failing_since as "failingSince", a.handle, a.status,
    coalesce(r.origin = any(o.origins), false) as "isOrigin"`,
  joins: `join agents a on a.id = r.agent_id left join agent_origins o on o.agent_id = r.agent_id`,
  proven: (_vault, row) => row,
})

interface DocumentText {
  readonly document: string
}

type Stored<Row> = Omit<Row, 'document'> & DocumentText

function parsed<Row extends DocumentText>(
  row: Row,
): Omit<Row, 'document'> & { readonly document: PayDocument } {
  return { ...row, document: JSON.parse(row.document) as PayDocument }
}

function uptimeSince(parameter: string): string {
  return `(select (sum(d.checks - d.failures)::float8 / nullif(sum(d.checks), 0)) from listing_days d
    where d.listing_id = l.id and d.day > ${parameter}) as uptime`
}

const COLUMNS = `l.id, l.agent_id as "agentId", l.origin, l.document, l.checked_at as "checkedAt",
  l.failing_since as "failingSince"`

function dayOf(now: Date): number {
  return Math.floor(now.getTime() / DAY_MS)
}

/** Stores what was read at an origin; returns the listing's id, and whether it is new. */
export async function putListing(
  tx: Queryable,
  { agentId, origin, document }: Pick<StoredListing, 'agentId' | 'origin' | 'document'>,
  { now, dueAt }: { readonly now: Date; readonly dueAt: Date },
): Promise<{ readonly id: Uuid; readonly isNew: boolean }> {
  const id = newUuid(now)
  const [row] = await tx.query<{ id: Uuid }>(
    `insert into listings (id, agent_id, origin, document, words, created_at, check_id, checked_at, due_at)
     values ($1, $2, $3, $4, $5, $6, $7, $6, $8)
     on conflict (agent_id, origin) do update set document = excluded.document, words = excluded.words,
       check_id = excluded.check_id, checked_at = excluded.checked_at, failing_since = null, due_at = excluded.due_at
     returning id`,
    [id, agentId, origin, JSON.stringify(document), wordsOf(document), now, newUuid(now), dueAt],
  )
  const stored = row?.id ?? id
  await countCheck(tx, stored, now, 0)
  return { id: stored, isNew: stored === id }
}

/** A check that read the document. */
export async function noteRead(
  tx: Queryable,
  id: Uuid,
  document: PayDocument,
  { now, dueAt }: { readonly now: Date; readonly dueAt: Date },
): Promise<void> {
  const changed = await tx.query(
    `update listings set document = $2, words = $3, check_id = $4, checked_at = $5, failing_since = null, due_at = $6
     where id = $1 returning id`,
    [id, JSON.stringify(document), wordsOf(document), newUuid(now), now, dueAt],
  )
  if (changed.length > 0) await countCheck(tx, id, now, 0)
}

/** A check that failed. */
export async function noteFailure(
  tx: Queryable,
  id: Uuid,
  { now, dueAt }: { readonly now: Date; readonly dueAt: Date },
): Promise<void> {
  const changed = await tx.query(
    `update listings set failing_since = coalesce(failing_since, $2), due_at = $3 where id = $1 returning id`,
    [id, now, dueAt],
  )
  if (changed.length > 0) await countCheck(tx, id, now, 1)
}

async function countCheck(tx: Queryable, id: Uuid, now: Date, failures: 0 | 1): Promise<void> {
  const today = dayOf(now)
  await tx.query(
    `insert into listing_days (listing_id, day, checks, failures) values ($1, $2, 1, $3)
     on conflict (listing_id, day) do update
     set checks = listing_days.checks + 1, failures = listing_days.failures + excluded.failures`,
    [id, today, failures],
  )
  await tx.query(`delete from listing_days where listing_id = $1 and day <= $2`, [id, today - UPTIME_DAYS])
}

export async function postponeCheck(db: Queryable, id: Uuid, dueAt: Date): Promise<void> {
  await db.query(`update listings set due_at = $2 where id = $1`, [id, dueAt])
}

/** Its origin; null: there is none of this agent with this id. */
export async function deleteListing(
  tx: Queryable,
  { id, agentId }: Pick<StoredListing, 'id' | 'agentId'>,
): Promise<string | null> {
  const [row] = await tx.query<{ origin: string }>(
    `delete from listings where id = $1 and agent_id = $2 returning origin`,
    [id, agentId],
  )
  if (row === undefined) return null
  await tx.query(`delete from listing_days where listing_id = $1`, [id])
  return row.origin
}

export async function selectListings(
  db: Queryable,
  agentId: Uuid,
  now: Date,
  { before, offset, fetch }: PageRequest,
): Promise<{ readonly rows: readonly StoredListing[]; readonly total: number }> {
  const [rows, [counted]] = await Promise.all([
    db.query<Stored<StoredListing>>(
      `select ${COLUMNS}, l.created_at as "createdAt", ${uptimeSince('$2')} from listings l
       where l.agent_id = $1 and l.id < $3 order by l.id desc offset $4 limit $5`,
      [agentId, dayOf(now) - UPTIME_DAYS, before ?? LAST_UUID, offset, fetch],
    ),
    db.query<{ total: number }>(`select count(*)::int4 as total from listings where agent_id = $1`, [
      agentId,
    ]),
  ])
  return { rows: rows.map(parsed), total: counted?.total ?? 0 }
}

export async function selectListing(db: Queryable, id: Uuid, now: Date): Promise<StoredListing | null> {
  const [row] = await db.query<Stored<StoredListing>>(
    `select ${COLUMNS}, l.created_at as "createdAt", ${uptimeSince('$2')} from listings l where l.id = $1`,
    [id, dayOf(now) - UPTIME_DAYS],
  )
  return row === undefined ? null : parsed(row)
}

/** The listings of active agents at their present origins. */
const FOUND = `from listings l join agents a on a.id = l.agent_id join agent_origins o on o.agent_id = l.agent_id
  where a.status = 'active' and l.origin = any(o.origins)`

/** Two statements, so that a search uses its index, and a list without one that of its order. */
function sellersSql(hasWords: boolean): string {
  const matching = hasWords ? `and l.search @@ websearch_to_tsquery('english', $5)` : ''
  return `select ${COLUMNS}, l.check_id as place, a.handle, ${uptimeSince('$1')} ${FOUND} ${matching}
    and l.check_id < $2 order by l.check_id desc offset $3 limit $4`
}

export async function selectSellers(
  db: Queryable,
  words: string | null,
  now: Date,
  { before, offset, fetch }: PageRequest,
): Promise<{ readonly rows: readonly FoundSeller[]; readonly total: number }> {
  const searched = words === null ? [] : [words]
  const matching = words === null ? '' : `and l.search @@ websearch_to_tsquery('english', $1)`
  const [rows, [counted]] = await Promise.all([
    db.query<Stored<FoundSeller> & { place: Uuid }>(sellersSql(words !== null), [
      ...[dayOf(now) - UPTIME_DAYS, before ?? LAST_UUID, offset, fetch],
      ...searched,
    ]),
    db.query<{ total: number }>(`select count(*)::int4 as total ${FOUND} ${matching}`, searched),
  ])
  return { rows: rows.map(row => ({ ...parsed(row), id: row.place })), total: counted?.total ?? 0 }
}
