import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import { FIRST_UUID, firstUuidAt, LAST_UUID, momentOf, type Uuid } from '../../kernel/ids.ts'
import { paymentEventName } from '../../operations/payment-fact.ts'
import {
  countBacklog,
  countRows,
  type DeliveryFilter,
  hasBacklog,
  SELECT_BACKLOG_BOUNDS,
  SELECT_NEWEST_ROW,
  selectRows,
  selectRowsAndBacklog,
} from './delivery-list-sql.ts'
import type { Delivery } from './delivery-record.ts'

/** Ids of about the same moment may be in any order, within a chunk and across chunks; no further apart than this. */
const DISORDER_MS = 1_000

/** A page of a platform's deliveries, newest first, including those that wait for their first attempt. */
export async function selectDeliveries(
  db: Queryable,
  platformId: Uuid,
  filter: DeliveryFilter,
  request: PageRequest,
): Promise<Delivery[]> {
  const { offset, fetch } = request
  const before = request.before ?? LAST_UUID
  const event = filter.event === null ? [] : [filter.event]
  const bounds = hasBacklog(filter) ? await selectBounds(db, platformId, before, offset + fetch) : null
  if (bounds === null) {
    return db.query<Delivery>(selectRows(filter), [platformId, before, offset, fetch, ...event])
  }
  const select = async (from: Uuid) => {
    const values = [platformId, before, offset, fetch, from, bounds.until, ...event]
    return (await db.query<ListedDelivery>(selectRowsAndBacklog(filter), values)).map(withFirstAttempt)
  }
  const listed = await select(bounds.newestFrom)
  const last = listed[fetch - 1]
  // Chunks older than those that were read may contain events of this page.
  const isWhole = bounds.newestFrom === FIRST_UUID || (last !== undefined && last.id >= bounds.newestFrom)
  return isWhole ? listed : select(FIRST_UUID)
}

interface BacklogBounds {
  /** No waiting event is older. */
  readonly from: Uuid
  /** Usually a page's events are in chunks that end after this; the first of all ids if they may be in any chunk. */
  readonly newestFrom: Uuid
  /** Chunks that begin later contain no event of the page. */
  readonly until: Uuid
}

/** null: no event waits. Every chunk has at least one event, so a page reads at most as many chunks as it has entries. */
async function selectBounds(
  db: Queryable,
  platformId: Uuid,
  before: Uuid,
  chunks: number,
): Promise<BacklogBounds | null> {
  const until = before === LAST_UUID ? LAST_UUID : shifted(before, DISORDER_MS)
  const [row] = await db.query<{ oldestId: Uuid | null; newestCount: bigint; newestFrom: Uuid | null }>(
    SELECT_BACKLOG_BOUNDS,
    [platformId, until, chunks],
  )
  if (row === undefined || row.oldestId === null) return null
  const isAll = row.newestFrom === null || row.newestCount < BigInt(chunks)
  return {
    from: shifted(row.oldestId, -DISORDER_MS),
    newestFrom: isAll ? FIRST_UUID : shifted(row.newestFrom ?? FIRST_UUID, -DISORDER_MS),
    until,
  }
}

/** The smallest id of the moment `ms` later than that of this id. */
function shifted(id: Uuid, ms: number): Uuid {
  return firstUuidAt(new Date(momentOf(id).getTime() + ms))
}

type ListedDelivery = Delivery | WaitingEvent

/** An event that has no row yet: only its id is stored. */
interface WaitingEvent extends Pick<Delivery, 'id'> {
  readonly status: null
}

function withFirstAttempt(listed: ListedDelivery): Delivery {
  return listed.status === null ? firstAttemptOf(listed.id) : listed
}

/** The delivery of a payment's event that waits for its first attempt. */
export function firstAttemptOf(id: Uuid): Delivery {
  return {
    id,
    event: paymentEventName(id),
    url: null,
    status: 'pending',
    attempts: 0,
    responseStatus: null,
    lastError: null,
    nextAttemptAt: momentOf(id),
    deliveredAt: null,
  }
}

/** How many there are on all pages. */
export async function countDeliveries(
  db: Queryable,
  platformId: Uuid,
  filter: DeliveryFilter,
): Promise<bigint> {
  const values = filter.event === null ? [platformId] : [platformId, filter.event]
  const [rows, waiting] = await Promise.all([
    countOf(db, countRows(filter), values),
    hasBacklog(filter) ? countWaiting(db, platformId, filter) : 0n,
  ])
  return rows + waiting
}

async function countWaiting(db: Queryable, platformId: Uuid, filter: DeliveryFilter): Promise<bigint> {
  const bounds = await selectBounds(db, platformId, LAST_UUID, 1)
  if (bounds === null) return 0n
  const [newest] = await db.query<{ id: Uuid }>(SELECT_NEWEST_ROW, [platformId, bounds.from])
  const until = newest === undefined ? FIRST_UUID : shifted(newest.id, DISORDER_MS)
  return countOf(db, countBacklog(filter), [platformId, bounds.from, until])
}

async function countOf(db: Queryable, statement: string, values: readonly unknown[]): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(statement, values)
  return row?.count ?? 0n
}
