import type { DeliveryStatus, EventName } from '@batua/contract'
import { DELIVERY_COLUMNS } from './delivery-store.ts'

/** Which deliveries a list shows. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus | null
  readonly event: EventName | null
}

const IS_SENT = `get_byte(uuid_send(e.id), 15) & 1 = 0`
const IS_RECEIVED = `get_byte(uuid_send(e.id), 15) & 1 = 1`
const OF_PAYMENTS = `d.event in ('agent.payment.sent', 'agent.payment.received')`
/** Events in a chunk are in the order of their ids, except those of the same moment. */
const NEWEST_OF_CHUNK = 'b.event_ids[cardinality(b.event_ids)]'

/** The status is part of the statement's text, so that the partial index of undelivered rows can be used. */
function rowsOf({ status, event }: DeliveryFilter, eventParameter: number): string {
  const ofStatus = status === null ? '' : ` and d.status = '${status}'`
  const ofEvent = event === null ? '' : ` and d.event = $${eventParameter}`
  return `webhook_deliveries d where d.platform_id = $1${ofStatus}${ofEvent}`
}

/** The condition for the side of payments that a filter includes; null: it includes no payments. */
function sideOf({ status, event }: DeliveryFilter): string | null {
  if (status !== null && status !== 'pending') return null
  if (event === null) return 'true'
  if (event === 'agent.payment.sent') return IS_SENT
  return event === 'agent.payment.received' ? IS_RECEIVED : null
}

export function hasBacklog(filter: DeliveryFilter): boolean {
  return sideOf(filter) !== null
}

/** $1 the platform, $2 the id before which the page ends, $3 how many to skip, $4 to read, $5 the event if there is one. */
export function selectRows(filter: DeliveryFilter): string {
  return `select ${DELIVERY_COLUMNS} from ${rowsOf(filter, 5)} and d.id < $2
    order by d.id desc offset $3 limit $4`
}

/**
 * The same with the events that wait for their first attempt, of which only the id is stored. $5 the id from which on
 * chunks are read, $6 the id before which they begin, $7 the event if there is one. An event with a row is listed once.
 */
export function selectRowsAndBacklog(filter: DeliveryFilter): string {
  return `
    with with_row as materialized (
      select d.id from webhook_deliveries d
      where d.platform_id = $1 and ${OF_PAYMENTS} and d.id >= $5 and d.id < $2),
    waiting as (
      select e.id from webhook_backlog b cross join lateral unnest(b.event_ids) e(id)
      where b.platform_id = $1 and b.id < $6 and ${NEWEST_OF_CHUNK} >= $5 and e.id < $2
        and ${sideOf(filter) ?? 'false'} and not exists (select 1 from with_row where with_row.id = e.id)
      order by e.id desc limit $3::int8 + $4::int8),
    stored as (
      select d.id from ${rowsOf(filter, 7)} and d.id < $2 order by d.id desc limit $3::int8 + $4::int8),
    listed as (
      select id from (select id from waiting union all select id from stored) both_kinds
      order by id desc offset $3 limit $4)
    select listed.id, d.event, d.url, d.status, d.attempts, d.response_status as "responseStatus",
      d.last_error as "lastError", d.next_attempt_at as "nextAttemptAt", d.delivered_at as "deliveredAt"
    from listed left join webhook_deliveries d on d.platform_id = $1 and d.id = listed.id
    order by listed.id desc`
}

/** The bounds of a platform's chunks: the first of all; of the $3 newest that begin before $2, their number and the first. */
export const SELECT_BACKLOG_BOUNDS = `
  with newest as (
    select b.id from webhook_backlog b where b.platform_id = $1 and b.id < $2
    order by ${NEWEST_OF_CHUNK} desc limit $3)
  select (select b.id from webhook_backlog b where b.platform_id = $1 order by b.id limit 1) as "oldestId",
    (select count(*) from newest) as "newestCount", (select id from newest order by id limit 1) as "newestFrom"`

/** The newest of a payment's rows from $2 on. */
export const SELECT_NEWEST_ROW = `
  select d.id
  from (values ('agent.payment.sent'), ('agent.payment.received')) v(event)
  cross join lateral (
    select d.id from webhook_deliveries d where d.platform_id = $1 and d.event = v.event and d.id >= $2
    order by d.id desc limit 1) d
  order by d.id desc limit 1`

/** Deliveries with a row. $2 the event if there is one. Delivered rows have no index: they are all rows less the others. */
export function countRows({ status, event }: DeliveryFilter): string {
  const all = `select count(*) from ${rowsOf({ status: null, event }, 2)}`
  if (status === null) return `select (${all}) as count`
  if (status !== 'delivered') return `select count(*) as count from ${rowsOf({ status, event }, 2)}`
  return `select (${all}) - (${all} and d.status <> 'delivered') as count`
}

/**
 * Waiting events, without those that have a row already: $2 the id from which on payments' rows may be of events in the
 * backlog, $3 the id up to which chunks may contain such an event.
 */
export function countBacklog(filter: DeliveryFilter): string {
  const side = sideOf(filter) ?? 'false'
  const all =
    side === 'true'
      ? 'select coalesce(sum(cardinality(b.event_ids)), 0) from webhook_backlog b where b.platform_id = $1'
      : `select count(*) from webhook_backlog b cross join lateral unnest(b.event_ids) e(id)
         where b.platform_id = $1 and ${side}`
  return `
    with with_row as materialized (
      select d.id from webhook_deliveries d where d.platform_id = $1 and ${OF_PAYMENTS} and d.id >= $2)
    select (${all}) - (
      select count(*) from webhook_backlog b cross join lateral unnest(b.event_ids) e(id)
      where b.platform_id = $1 and b.id <= $3 and ${side} and exists (select 1 from with_row where with_row.id = e.id))
      as count`
}
