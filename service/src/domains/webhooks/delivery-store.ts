import type { EventName } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { DeliveryOutcome } from './delivering/attempt.ts'
import type { Delivery } from './delivery-record.ts'

export const DELIVERY_COLUMNS = `d.id, d.event, d.url, d.status, d.attempts, d.response_status as "responseStatus",
  d.last_error as "lastError", d.next_attempt_at as "nextAttemptAt", d.delivered_at as "deliveredAt"`

export async function selectDelivery(db: Queryable, platformId: Uuid, id: Uuid): Promise<Delivery | null> {
  const [delivery] = await db.query<Delivery>(
    `select ${DELIVERY_COLUMNS} from webhook_deliveries d where d.platform_id = $1 and d.id = $2`,
    [platformId, id],
  )
  return delivery ?? null
}

/** Whether a payment's event waits for its first attempt. Searches the platform's chunks, 128 ids each. */
export async function isInBacklog(db: Queryable, platformId: Uuid, id: Uuid): Promise<boolean> {
  const [row] = await db.query(
    `select 1 as found from webhook_backlog where platform_id = $1 and $2 = any (event_ids) limit 1`,
    [platformId, id],
  )
  return row !== undefined
}

export interface Claim {
  readonly id: Uuid
  readonly event: EventName
  readonly url: string
  /** Until when the deliverer does not retry it. By then this attempt's outcome is written, or the node has crashed. */
  readonly until: Date
}

/**
 * Claims a delivery for an attempt; inserts the row of a payment's event that has none yet. Returns how many attempts
 * were made before.
 */
export async function claimDelivery(
  tx: Queryable,
  platformId: Uuid,
  { id, event, url, until }: Claim,
): Promise<number> {
  const [row] = await tx.query<{ attempts: number }>(
    `insert into webhook_deliveries as d (platform_id, id, event, url, status, next_attempt_at)
     values ($1, $2, $3, $4, 'pending', $5)
     on conflict (platform_id, id) do update set next_attempt_at =
       case d.status when 'pending' then greatest(d.next_attempt_at, excluded.next_attempt_at) end
     returning d.attempts`,
    [platformId, id, event, url, until],
  )
  return row?.attempts ?? 0
}

/** When an attempt was made, and how long it took. */
export interface AttemptTiming {
  readonly startedAt: Date
  /** The real time in its signature. */
  readonly signedAt: Date
  readonly durationMs: number
}

export interface ManualAttempt {
  readonly id: Uuid
  readonly url: string
  readonly outcome: DeliveryOutcome
  readonly endedAt: Date
  readonly timing: AttemptTiming
}

/** How many attempts are kept besides the last one. There are ten by themselves, and any number on request. */
const MOST_EARLIER = 20

/** The earlier attempts of a row `d`, with the one that was the last. One from before attempts were kept has no time. */
export const EARLIER_ATTEMPTS = `case when d.attempted_at is null then d.earlier_attempts else
  (case when jsonb_array_length(d.earlier_attempts) >= ${MOST_EARLIER} then d.earlier_attempts - 0
    else coalesce(d.earlier_attempts, '[]') end) || jsonb_build_object('at', d.attempted_at,
    'ms', d.duration_ms, 'status', d.response_status, 'error', d.last_error) end`

/**
 * Writes the outcome of a requested attempt. A delivery worker may have written meanwhile: a delivered delivery stays
 * delivered, and this attempt starts no new retries of a failed one. null: the delivery was deleted meanwhile.
 */
export async function writeAttempt(
  tx: Queryable,
  platformId: Uuid,
  { id, url, outcome, endedAt, timing }: ManualAttempt,
): Promise<Delivery | null> {
  const [delivery] = await tx.query<Delivery>(
    `update webhook_deliveries d set url = $3, attempts = d.attempts + 1, response_status = $4, last_error = $5,
       status = case when $6 = 'delivered' or d.status = 'pending' then $6 else d.status end,
       next_attempt_at = case when d.status = 'pending' then $7::timestamptz end,
       delivered_at = coalesce(d.delivered_at, $8), attempted_at = $9, signed_at = $10, duration_ms = $11,
       earlier_attempts = ${EARLIER_ATTEMPTS}
     where d.platform_id = $1 and d.id = $2
     returning ${DELIVERY_COLUMNS}`,
    [
      platformId,
      id,
      url,
      outcome.responseStatus,
      outcome.status === 'delivered' ? null : outcome.error,
      outcome.status,
      outcome.status === 'pending' ? outcome.nextAttemptAt : null,
      outcome.status === 'delivered' ? endedAt : null,
      timing.startedAt,
      timing.signedAt,
      Math.round(timing.durationMs),
    ],
  )
  return delivery ?? null
}

/** The number of deliveries that failed for good. */
export async function countFailedDeliveries(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from webhook_deliveries where status = 'failed'`,
    [],
  )
  return Number(row?.count ?? 0n)
}
