import type { Queryable } from '../../db/database.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { deleteTraces } from '../../ledger/index.ts'
import type { Job } from '../../operations/jobs.ts'
import type { WebhooksContext } from './context.ts'

const KEPT_MS = 30 * DAY_MS
const FORGETTING_MS = HOUR_MS
const DELIVERIES_AT_ONCE = 1_000
const CHUNKS_AT_ONCE = 100

/**
 * Deletes deliveries 30 days after their events. A waiting event is kept, however far the test clock was moved, unless
 * its receiver has been gone for as long.
 */
export function webhookJobs({ database }: Pick<WebhooksContext, 'database'>): Job[] {
  return [
    {
      name: 'old webhook deliveries',
      everyMs: FORGETTING_MS,
      async run(now) {
        const goneBefore = new Date(now.getTime() - KEPT_MS)
        const old = { before: firstUuidAt(goneBefore), goneBefore }
        const deliveries = await deleteDeliveries(database, { ...old, limit: DELIVERIES_AT_ONCE })
        const chunks = await deleteBacklog(database, { ...old, limit: CHUNKS_AT_ONCE })
        return deliveries + chunks + (await deleteTraces(database, goneBefore))
      },
    },
  ]
}

/** Which rows of one kind are deleted. */
export interface Forgetting {
  /** Those of events before this id, which contains their moment. */
  readonly before: Uuid
  /** Waiting events are deleted only for platforms whose receiver has been gone since then. */
  readonly goneBefore: Date
  readonly limit: number
}

/** Deletes deliveries without further attempts; returns their number. */
export async function deleteDeliveries(db: Queryable, forgetting: Forgetting): Promise<number> {
  const { before, goneBefore, limit } = forgetting
  const rows = await db.query(
    `with old as (
       select d.platform_id, d.id
       from webhook_endpoints e join platforms p on p.id = e.platform_id cross join lateral (
         select d.platform_id, d.id from webhook_deliveries d
         where d.platform_id = e.platform_id and d.id < $1
           and (d.status <> 'pending' or p.webhook_disabled_at < $2)
         order by d.id limit $3 for update skip locked) d
       limit $3)
     delete from webhook_deliveries d using old where d.platform_id = old.platform_id and d.id = old.id
     returning 1 as gone`,
    [before, goneBefore, limit],
  )
  return rows.length
}

/** Deletes payments' events that had no attempt: whole chunks, whose last event is older too. Returns their number. */
export async function deleteBacklog(db: Queryable, forgetting: Forgetting): Promise<number> {
  const { before, goneBefore, limit } = forgetting
  const rows = await db.query(
    `with old as (
       select b.platform_id, b.id
       from webhook_endpoints e
       join platforms p on p.id = e.platform_id and p.webhook_disabled_at < $2 cross join lateral (
         select b.platform_id, b.id from webhook_backlog b
         where b.platform_id = e.platform_id and b.id < $1 and b.event_ids[cardinality(b.event_ids)] < $1
         order by b.id limit $3 for update skip locked) b
       limit $3)
     delete from webhook_backlog b using old where b.platform_id = old.platform_id and b.id = old.id
     returning 1 as gone`,
    [before, goneBefore, limit],
  )
  return rows.length
}
