import type { EventName } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Verdict } from '../sending/attempt.ts'

/** A delivery whose time has come. */
export interface DueDelivery {
  readonly id: Uuid
  readonly event: EventName
  readonly attempts: number
}

/** Deliveries of a platform that are due, the longest due first, but those that are at work. */
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

/** What one attempt came to. */
export interface Outcome {
  readonly id: Uuid
  readonly event: EventName
  readonly url: string | null
  readonly endedAt: Date
  readonly verdict: Verdict
  /** Whether a request was made, or the event was given up without one. */
  readonly wasTried: boolean
}

/**
 * Writes what attempts came to; a payment's event gets its row here. Somebody may have had a delivery sent meanwhile:
 * what was delivered stays so.
 */
export async function writeOutcomes(
  tx: Queryable,
  platformId: Uuid,
  outcomes: readonly Outcome[],
): Promise<void> {
  if (outcomes.length === 0) return
  await tx.query(
    `insert into webhook_deliveries as d (platform_id, id, event, url, status, attempts, response_status, last_error,
       next_attempt_at, delivered_at)
     select $1, id, event, url, status, attempts, response_status, last_error, next_attempt_at, delivered_at
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::text[], $8::timestamptz[],
       $9::timestamptz[], $10::int4[])
       v(id, event, url, status, response_status, last_error, next_attempt_at, delivered_at, attempts)
     on conflict (platform_id, id) do update set url = excluded.url, attempts = d.attempts + excluded.attempts,
       response_status = excluded.response_status, last_error = excluded.last_error,
       status = case d.status when 'delivered' then d.status else excluded.status end,
       next_attempt_at = case d.status when 'delivered' then null else excluded.next_attempt_at end,
       delivered_at = coalesce(d.delivered_at, excluded.delivered_at)`,
    [
      platformId,
      arrayLiteral(outcomes.map(({ id }) => id)),
      arrayLiteral(outcomes.map(({ event }) => event)),
      textArrayLiteral(outcomes.map(({ url }) => url)),
      arrayLiteral(outcomes.map(({ verdict }) => verdict.status)),
      arrayLiteral(outcomes.map(({ verdict }) => verdict.responseStatus)),
      textArrayLiteral(outcomes.map(({ verdict }) => ('error' in verdict ? verdict.error : null))),
      textArrayLiteral(
        outcomes.map(({ verdict }) =>
          verdict.status === 'pending' ? verdict.nextAttemptAt.toISOString() : null,
        ),
      ),
      textArrayLiteral(
        outcomes.map(({ verdict, endedAt }) =>
          verdict.status === 'delivered' ? endedAt.toISOString() : null,
        ),
      ),
      arrayLiteral(outcomes.map(({ wasTried }) => (wasTried ? 1 : 0))),
    ],
  )
}
