import type { EventName } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type AttemptTiming, EARLIER_ATTEMPTS } from '../delivery-store.ts'
import type { DeliveryOutcome } from './attempt.ts'

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: Uuid
  readonly event: EventName
  /** How many attempts were made before. */
  readonly attempts: number
}

/** Deliveries of a platform that are due, the longest due first, without those in `but`. */
export async function selectDue(
  db: Queryable,
  platformId: Uuid,
  { now, but, limit }: { readonly now: Date; readonly but: readonly Uuid[]; readonly limit: number },
): Promise<DueDelivery[]> {
  return db.query<DueDelivery>(
    `select id, event, attempts from webhook_deliveries
     where platform_id = $1 and status = 'pending' and next_attempt_at <= $2 and id <> all ($3::uuid[])
     order by next_attempt_at limit $4`,
    [platformId, now, arrayLiteral(but), limit],
  )
}

/** The outcome of one attempt. */
export interface EndedAttempt {
  readonly id: Uuid
  readonly event: EventName
  readonly url: string | null
  readonly endedAt: Date
  readonly outcome: DeliveryOutcome
  /** null: the event was given up without a request. */
  readonly timing: AttemptTiming | null
}

/**
 * Writes the outcomes of attempts; a payment's event gets its row here. A retry by hand may have succeeded meanwhile: a
 * delivered delivery stays delivered.
 */
export async function writeAttempts(
  tx: Queryable,
  platformId: Uuid,
  attempts: readonly EndedAttempt[],
): Promise<void> {
  if (attempts.length === 0) return
  await tx.query(
    `insert into webhook_deliveries as d (platform_id, id, event, url, status, attempts, response_status, last_error,
       next_attempt_at, delivered_at, attempted_at, signed_at, duration_ms)
     select $1, id, event, url, status, attempts, response_status, last_error, next_attempt_at, delivered_at,
       attempted_at, signed_at, duration_ms
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::text[], $8::timestamptz[],
       $9::timestamptz[], $10::int4[], $11::timestamptz[], $12::timestamptz[], $13::int4[])
       v(id, event, url, status, response_status, last_error, next_attempt_at, delivered_at, attempts, attempted_at,
         signed_at, duration_ms)
     on conflict (platform_id, id) do update set url = excluded.url, attempts = d.attempts + excluded.attempts,
       response_status = excluded.response_status, last_error = excluded.last_error,
       status = case d.status when 'delivered' then d.status else excluded.status end,
       next_attempt_at = case d.status when 'delivered' then null else excluded.next_attempt_at end,
       delivered_at = coalesce(d.delivered_at, excluded.delivered_at), attempted_at = excluded.attempted_at,
       signed_at = excluded.signed_at, duration_ms = excluded.duration_ms, earlier_attempts = ${EARLIER_ATTEMPTS}`,
    [
      platformId,
      arrayLiteral(attempts.map(({ id }) => id)),
      arrayLiteral(attempts.map(({ event }) => event)),
      textArrayLiteral(attempts.map(({ url }) => url)),
      arrayLiteral(attempts.map(({ outcome }) => outcome.status)),
      arrayLiteral(attempts.map(({ outcome }) => outcome.responseStatus)),
      textArrayLiteral(attempts.map(({ outcome }) => ('error' in outcome ? outcome.error : null))),
      textArrayLiteral(
        attempts.map(({ outcome }) =>
          outcome.status === 'pending' ? outcome.nextAttemptAt.toISOString() : null,
        ),
      ),
      textArrayLiteral(
        attempts.map(({ outcome, endedAt }) =>
          outcome.status === 'delivered' ? endedAt.toISOString() : null,
        ),
      ),
      arrayLiteral(attempts.map(({ timing }) => (timing === null ? 0 : 1))),
      textArrayLiteral(attempts.map(({ timing }) => timing?.startedAt.toISOString() ?? null)),
      textArrayLiteral(attempts.map(({ timing }) => timing?.signedAt.toISOString() ?? null)),
      arrayLiteral(attempts.map(({ timing }) => (timing === null ? null : Math.round(timing.durationMs)))),
    ],
  )
}
