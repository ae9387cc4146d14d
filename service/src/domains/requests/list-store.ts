import type { ErrorCode, StatusClass } from '@batua/contract'
import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import { firstUuidAt, LAST_UUID, momentOf, type Uuid } from '../../kernel/ids.ts'
import { firstMinuteKept, MINUTE_MS, minuteOf, slotOf, slotsSince } from './half-days.ts'
import type { ListedRequest } from './store.ts'

/** Which requests a list shows. */
export interface RequestFilter {
  readonly platformId: Uuid
  readonly statusClass: StatusClass | null
  readonly method: string | null
  readonly route: string | null
  readonly code: ErrorCode | null
  readonly now: Date
}

/** $1 the platform; $2 to $5 the filters, null for none. */
const MATCHES = `r.platform_id = $1 and ($2::int4 is null or r.status / 100 = $2)
  and ($3::text is null or r.method = $3) and ($4::text is null or r.route = $4)
  and ($5::text is null or r.code = $5)`

/** $6 the partitions, $7 the first minute. */
const COUNTS = `request_log_counts r where ${MATCHES} and r.slot = any($6::int2[]) and r.minute >= $7`

function matching({ platformId, statusClass, method, route, code, now }: RequestFilter): unknown[] {
  const first = firstMinuteKept(now)
  const ofClass = statusClass === null ? null : Number(statusClass[0])
  return [platformId, ofClass, method, route, code, arrayLiteral(slotsSince(first, now)), first]
}

/** How many are listed on all pages. */
export async function countListed(db: Queryable, filter: RequestFilter): Promise<bigint> {
  const [row] = await db.query<{ total: bigint }>(
    `select coalesce(sum(r.listed), 0)::int8 as total from ${COUNTS}`,
    matching(filter),
  )
  return row?.total ?? 0n
}

/**
 * The minutes that a page is in, the newest first: $8 the last minute, $9 how many rows to skip, $10 to read. Of the
 * minute of a cursor, some requests are before the cursor, so it does not count.
 */
const SELECT_MINUTES = `
  with matching as (
    select r.minute, sum(r.listed) as listed from ${COUNTS} and r.minute <= $8 group by r.minute
    having sum(r.listed) > 0),
  numbered as (select minute, listed, sum(listed) over (order by minute desc) as until from matching)
  select minute, (until - listed)::float8 as skipped from numbered
  where until > $9
    and until - listed < $9::int8 + $10::int8 + coalesce((select listed from matching where minute = $11), 0)
  order by minute desc`

/** $6 partitions, $7 and $8 the ids from and before which a minute is; $9 how many rows to skip, $10 to read. */
const SELECT_ROWS = `
  select found.* from unnest($6::int2[], $7::uuid[], $8::uuid[]) m(slot, from_id, until_id) cross join lateral (
    select r.id, r.method, r.route, r.status, r.code, r.duration_ms::float8 as "durationMs", r.app_id as "appId" from request_log r
    where ${MATCHES} and r.slot = m.slot and r.id >= m.from_id and r.id < m.until_id
    order by r.id desc limit $9::int8 + $10::int8) found
  order by found.id desc offset $9 limit $10`

export type RequestRow = Omit<ListedRequest, 'platformId' | 'minute'>

/** A page of requests, newest first. Minutes without such requests, and minutes that are skipped, are not read. */
export async function selectRequests(
  db: Queryable,
  filter: RequestFilter,
  { before, offset, fetch }: PageRequest,
): Promise<RequestRow[]> {
  const last = minuteOf((before === null ? filter.now : momentOf(before)).getTime())
  const ofCursor = before === null ? null : last
  const values = matching(filter)
  const minutes = await db.query<{ minute: number; skipped: number }>(SELECT_MINUTES, [
    ...values,
    ...[last, offset, fetch, ofCursor],
  ])
  const [first] = minutes
  if (first === undefined) return []
  const until = before ?? LAST_UUID
  return db.query<RequestRow>(SELECT_ROWS, [
    ...values.slice(0, 5),
    arrayLiteral(minutes.map(({ minute }) => slotOf(minute))),
    arrayLiteral(minutes.map(({ minute }) => firstIdOf(minute))),
    arrayLiteral(minutes.map(({ minute }) => earlier(firstIdOf(minute + 1), until))),
    offset - first.skipped,
    fetch,
  ])
}

function firstIdOf(minute: number): Uuid {
  return firstUuidAt(new Date(minute * MINUTE_MS))
}

function earlier(left: Uuid, right: Uuid): Uuid {
  return left < right ? left : right
}

/** The numbers of one minute, code or route. */
export interface Counted {
  readonly requests: number
  readonly failed: number
}

export interface Usage {
  readonly minutes: readonly (Counted & { readonly minute: number })[]
  readonly codes: readonly { readonly code: ErrorCode; readonly status: number; readonly requests: number }[]
  readonly routes: readonly (Counted & { readonly method: string; readonly route: string })[]
}

const NUMBERS = `sum(r.requests)::float8 as requests,
  coalesce(sum(r.requests) filter (where r.status >= 400), 0)::float8 as failed`
const SINCE = `request_log_counts r where r.platform_id = $1 and r.slot = any($2::int2[]) and r.minute >= $3`
const ROUTES_SHOWN = 50

/** What a platform's requests were from this minute on. */
export async function selectUsage(
  db: Queryable,
  platformId: Uuid,
  firstMinute: number,
  now: Date,
): Promise<Usage> {
  const values = [platformId, arrayLiteral(slotsSince(firstMinute, now)), firstMinute]
  const [minutes, codes, routes] = await Promise.all([
    db.query<Usage['minutes'][number]>(
      `select r.minute, ${NUMBERS} from ${SINCE} group by r.minute order by r.minute desc`,
      values,
    ),
    db.query<Usage['codes'][number]>(
      `select r.code, r.status, sum(r.requests)::float8 as requests from ${SINCE} and r.code <> ''
       group by r.code, r.status order by requests desc, r.code, r.status`,
      values,
    ),
    db.query<Usage['routes'][number]>(
      `select r.method, r.route, ${NUMBERS} from ${SINCE} group by r.method, r.route
       order by requests desc, r.route, r.method limit ${ROUTES_SHOWN}`,
      values,
    ),
  ])
  return { minutes, codes, routes }
}
