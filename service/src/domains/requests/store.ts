import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Database, Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { SLOTS, slotOf } from './half-days.ts'

/** A request as the log has it. */
export interface ListedRequest {
  readonly id: Uuid
  readonly platformId: Uuid
  /** The connected app that made it; null: a secret or a key did. */
  readonly appId: Uuid | null
  readonly minute: number
  readonly method: string
  readonly route: string
  readonly status: number
  /** Empty: the response was no error. */
  readonly code: string
  readonly durationMs: number
}

/** The number of a platform's requests of one minute that are alike, and how many of them are listed. */
export interface CountedRequests extends Omit<ListedRequest, 'id' | 'appId' | 'durationMs'> {
  readonly requests: number
  readonly listed: number
}

/** One statement, so that what is counted as listed is listed. */
const WRITE = `
  with listed as (
    insert into request_log (slot, platform_id, id, method, route, status, code, duration_ms, app_id)
    select * from unnest($1::int2[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::int2[], $7::text[],
      $8::float4[], $18::uuid[]))
  insert into request_log_counts as c (slot, platform_id, minute, route, method, status, code, requests, listed)
  select * from unnest($9::int2[], $10::uuid[], $11::int4[], $12::text[], $13::text[], $14::int2[], $15::text[],
    $16::int4[], $17::int4[]) v(slot, platform_id, minute, route, method, status, code, requests, listed)
  -- All nodes lock the rows in one order.
  order by platform_id, minute, route, method, status, code
  on conflict (platform_id, minute, route, method, status, code, slot) do update set
    requests = c.requests + excluded.requests, listed = c.listed + excluded.listed`

export async function writeRequests(
  db: Queryable,
  listed: readonly ListedRequest[],
  counted: readonly CountedRequests[],
): Promise<void> {
  const common = (rows: readonly Omit<ListedRequest, 'id' | 'appId' | 'durationMs'>[]) => ({
    slots: arrayLiteral(rows.map(({ minute }) => slotOf(minute))),
    platforms: arrayLiteral(rows.map(({ platformId }) => platformId)),
    methods: textArrayLiteral(rows.map(({ method }) => method)),
    routes: textArrayLiteral(rows.map(({ route }) => route)),
    statuses: arrayLiteral(rows.map(({ status }) => status)),
    codes: textArrayLiteral(rows.map(({ code }) => code)),
  })
  const each = common(listed)
  const sums = common(counted)
  await db.query(WRITE, [
    ...[each.slots, each.platforms, arrayLiteral(listed.map(({ id }) => id)), each.methods, each.routes],
    ...[each.statuses, each.codes, arrayLiteral(listed.map(({ durationMs }) => durationMs))],
    ...[sums.slots, sums.platforms, arrayLiteral(counted.map(({ minute }) => minute)), sums.routes],
    ...[sums.methods, sums.statuses, sums.codes],
    arrayLiteral(counted.map(({ requests }) => requests)),
    arrayLiteral(counted.map(({ listed: count }) => count)),
    arrayLiteral(listed.map(({ appId }) => appId)),
  ])
}

/** Empties the partitions that these half days are the next to use. `prepared`: what this node has prepared before. */
export async function prepareSlots(
  database: Database,
  halfDays: ReadonlySet<number>,
  prepared: Map<number, number>,
): Promise<void> {
  for (const halfDay of halfDays) {
    const slot = halfDay % SLOTS
    if (prepared.get(slot) === halfDay) continue
    await database.inTransaction(async tx => {
      const [used] = await tx.query<{ halfDay: number }>(
        `select half_day as "halfDay" from request_log_slots where slot = $1 for update`,
        [slot],
      )
      if (used === undefined || used.halfDay >= halfDay) return
      await empty(tx, slot, halfDay)
    })
    prepared.set(slot, halfDay)
  }
}

/** Empties the partitions of half days that ended before this one began. Returns their number. */
export async function emptyOldSlots(database: Database, firstHalfDay: number): Promise<number> {
  const old = `select slot from request_log_slots where half_day >= 0 and half_day < $1`
  // Without the lock first, so that usually nothing is locked.
  if ((await database.query(old, [firstHalfDay])).length === 0) return 0
  return database.inTransaction(async tx => {
    const rows = await tx.query<{ slot: number }>(`${old} order by slot for update`, [firstHalfDay])
    for (const { slot } of rows) await empty(tx, slot, -1)
    return rows.length
  })
}

async function empty(tx: Queryable, slot: number, nextHalfDay: number): Promise<void> {
  await tx.query(`truncate request_log_${slot}, request_log_counts_${slot}`)
  await tx.query(`update request_log_slots set half_day = $2 where slot = $1`, [slot, nextHalfDay])
}
