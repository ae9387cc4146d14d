import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

/**
 * Leases go by the database's time, which is one for all nodes and which a moved sandbox clock does not move. A node that
 * is stopped for longer than this may deliver beside its successor: twice, never not at all.
 */
const LEASE = `interval '30 seconds'`

/** There is something to do for these platforms at that moment. Whoever delivers for one meanwhile finds it by itself. */
export async function scheduleWork(tx: Queryable, platformIds: readonly Uuid[], at: Date): Promise<void> {
  if (platformIds.length === 0) return
  await tx.query(
    `insert into webhook_endpoints as e (platform_id, work_at)
     select id, $2 from unnest($1::uuid[]) v(id) order by id
     on conflict (platform_id) do update set work_at = least(e.work_at, excluded.work_at)`,
    [arrayLiteral(platformIds), at],
  )
}

/** The address was set anew, or removed: what waits is due at once, whatever the one before had asked for. */
export async function wakeEndpoint(tx: Queryable, platformId: Uuid, now: Date): Promise<void> {
  await tx.query(
    `insert into webhook_endpoints as e (platform_id, work_at) values ($1, $2)
     on conflict (platform_id) do update
       set work_at = least(e.work_at, excluded.work_at), paused_until = null, failing_since = null`,
    [platformId, now],
  )
  // Under the endpoint's lock, as whoever delivers writes them.
  await tx.query(
    `update webhook_deliveries set next_attempt_at = $2
     where platform_id = $1 and status = 'pending' and next_attempt_at > $2`,
    [platformId, now],
  )
}

/** A platform for which this node alone delivers now. */
export interface TakenEndpoint {
  readonly platformId: Uuid
  readonly failingSince: Date | null
}

export interface Taking {
  readonly node: Uuid
  readonly now: Date
  /** Whether the last attempt failed: such receivers have slots of their own, so that they take up nobody else's. */
  readonly failing: boolean
  readonly limit: number
}

/** Takes endpoints with something to do that no living node has, those that wait longest first. */
export async function takeEndpoints(
  db: Queryable,
  { node, now, failing, limit }: Taking,
): Promise<TakenEndpoint[]> {
  if (limit <= 0) return []
  return db.query<TakenEndpoint>(
    `with due as (
       select platform_id from webhook_endpoints
       where work_at <= $1 and (paused_until is null or paused_until <= $1)
         and (leased_until is null or leased_until <= clock_timestamp())
         and (failing_since is not null) = $2
       order by work_at limit $3 for update skip locked)
     update webhook_endpoints e set leased_by = $4, leased_until = clock_timestamp() + ${LEASE}
     from due where e.platform_id = due.platform_id
     returning e.platform_id as "platformId", e.failing_since as "failingSince"`,
    [now, failing, limit, node],
  )
}

/** Locks an endpoint that this node has and renews its lease; false: another node has taken it over. */
export async function holdEndpoint(tx: Queryable, platformId: Uuid, node: Uuid): Promise<boolean> {
  const rows = await tx.query(
    `update webhook_endpoints set leased_until = clock_timestamp() + ${LEASE}
     where platform_id = $1 and leased_by = $2 returning 1 as held`,
    [platformId, node],
  )
  return rows.length === 1
}

export interface Release {
  readonly platformId: Uuid
  readonly node: Uuid
  readonly now: Date
  /** Whom the rest speaks of: what one receiver did is not held against the next one. */
  readonly url: string | null
  readonly failingSince: Date | null
  readonly pausedUntil: Date | null
}

/**
 * Lets an endpoint go with the moment of its next work, or without one while its receiver is gone. The lock comes first,
 * in a statement of its own: so whatever was dealt out before is seen, and what comes later brings its moment itself.
 */
export async function releaseEndpoint(tx: Queryable, release: Release): Promise<void> {
  const { platformId, node, now, url, failingSince, pausedUntil } = release
  if (!(await holdEndpoint(tx, platformId, node))) return
  await tx.query(
    `update webhook_endpoints e set leased_by = null, leased_until = null,
       failing_since = case when p.webhook_url is not distinct from $3 then $4::timestamptz end,
       paused_until = case when p.webhook_url is not distinct from $3 then $5::timestamptz end,
       work_at = case when p.webhook_disabled_at is null then least(
         (select $2::timestamptz where exists (select 1 from webhook_backlog where platform_id = $1)),
         (select min(next_attempt_at) from webhook_deliveries where platform_id = $1 and status = 'pending')) end
     from platforms p where e.platform_id = $1 and p.id = $1`,
    [platformId, now, url, failingSince, pausedUntil],
  )
}
