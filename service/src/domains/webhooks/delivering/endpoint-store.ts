import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

/**
 * Unlike a claim of due work, a lease belongs to a named node, which renews it for as long as it delivers. It uses the
 * database's time, which all nodes share and which the sandbox's test clock does not move. If a node is suspended for
 * longer than this, it and its successor may both deliver an event: twice, never not at all.
 */
const LEASE = `interval '30 seconds'`

/** Schedules the next work of these platforms' endpoints for that moment, or leaves an earlier one. */
export async function scheduleWork(tx: Queryable, platformIds: readonly Uuid[], at: Date): Promise<void> {
  if (platformIds.length === 0) return
  await tx.query(
    `insert into webhook_endpoints as e (platform_id, work_at)
     select id, $2 from unnest($1::uuid[]) v(id) order by id
     on conflict (platform_id) do update set work_at = least(e.work_at, excluded.work_at)`,
    [arrayLiteral(platformIds), at],
  )
}

/** After the address was set again or removed: pending deliveries are due at once, and a pause of the previous one ends. */
export async function wakeEndpoint(tx: Queryable, platformId: Uuid, now: Date): Promise<void> {
  await tx.query(
    `insert into webhook_endpoints as e (platform_id, work_at) values ($1, $2)
     on conflict (platform_id) do update
       set work_at = least(e.work_at, excluded.work_at), paused_until = null, failing_since = null`,
    [platformId, now],
  )
  // Under the endpoint's lock, as in `writeAttempts`.
  await tx.query(
    `update webhook_deliveries set next_attempt_at = $2
     where platform_id = $1 and status = 'pending' and next_attempt_at > $2`,
    [platformId, now],
  )
}

/** An endpoint that this node has leased. */
export interface LeasedEndpoint {
  readonly platformId: Uuid
  readonly failingSince: Date | null
}

export interface LeaseRequest {
  readonly node: Uuid
  readonly now: Date
  /** Whether to lease endpoints whose last attempt failed, or the others. */
  readonly failing: boolean
  readonly limit: number
}

/** Leases endpoints that have due work and no unexpired lease, those that have waited longest first. */
export async function leaseEndpoints(
  db: Queryable,
  { node, now, failing, limit }: LeaseRequest,
): Promise<LeasedEndpoint[]> {
  if (limit <= 0) return []
  return db.query<LeasedEndpoint>(
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

/** Locks an endpoint and renews this node's lease; false if another node has leased it since. */
export async function renewLease(tx: Queryable, platformId: Uuid, node: Uuid): Promise<boolean> {
  const rows = await tx.query(
    `update webhook_endpoints set leased_until = clock_timestamp() + ${LEASE}
     where platform_id = $1 and leased_by = $2 returning 1 as renewed`,
    [platformId, node],
  )
  return rows.length === 1
}

export interface Release {
  readonly platformId: Uuid
  readonly node: Uuid
  readonly now: Date
  /** The receiver that `failingSince` and `pausedUntil` are about; they are not stored if the address has changed. */
  readonly url: string | null
  readonly failingSince: Date | null
  readonly pausedUntil: Date | null
}

/**
 * Releases the lease and sets the moment of the next work, or none while the receiver is gone. The lock is taken first,
 * in a statement of its own: events fanned out before it are seen, and a later fan-out sets the moment itself.
 */
export async function releaseEndpoint(tx: Queryable, release: Release): Promise<void> {
  const { platformId, node, now, url, failingSince, pausedUntil } = release
  if (!(await renewLease(tx, platformId, node))) return
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
