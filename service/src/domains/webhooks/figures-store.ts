import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'

/** The number of waiting and failed webhooks of all platforms. */
export interface WebhookFigures {
  readonly pending: number
  readonly failed: number
  /** Events of payments that wait for their first attempt. */
  readonly backlogEvents: number
  /** Queued commits of payments and other events that are not fanned out yet. */
  readonly queueRows: number
  /** The oldest undelivered event whose receiver is not gone. */
  readonly oldestId: Uuid | null
}

/** Undelivered rows have a partial index, and the oldest of each platform is the first of an index. */
const SELECT_FIGURES = `
  select
    (select count(*)::float8 from webhook_deliveries where status = 'pending') as pending,
    (select count(*)::float8 from webhook_deliveries where status = 'failed') as failed,
    (select coalesce(sum(cardinality(event_ids)), 0)::float8 from webhook_backlog) as "backlogEvents",
    ((select count(*) from payment_events) + (select count(*) from events where queued))::float8 as "queueRows",
    (select oldest.id
      from webhook_endpoints e
      join platforms p on p.id = e.platform_id and p.webhook_disabled_at is null
      cross join lateral (
        (select d.id from webhook_deliveries d where d.platform_id = e.platform_id and d.status = 'pending'
          order by d.id limit 1)
        union all
        (select b.id from webhook_backlog b where b.platform_id = e.platform_id order by b.id limit 1)) oldest
      order by oldest.id limit 1) as "oldestId"`

export async function selectFigures(db: Queryable): Promise<WebhookFigures> {
  const [figures] = await db.query<WebhookFigures>(SELECT_FIGURES, [])
  return figures ?? { pending: 0, failed: 0, backlogEvents: 0, queueRows: 0, oldestId: null }
}
