import type { WebhookDeliveryDetails } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { PlatformCaller } from '../../http/caller.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { readWebhookTarget } from '../parties/index.ts'
import type { WebhooksContext } from './context.ts'
import { signedHeaders } from './delivering/attempt.ts'
import { firstAttemptOf } from './delivery-list-store.ts'
import { type Delivery, deliveryRecord } from './delivery-record.ts'
import { DELIVERY_COLUMNS } from './delivery-store.ts'
import { readEvents } from './events/read-events.ts'
import { requireEvent } from './retry.ts'

/** A delivery with its attempts. */
interface DeliveryWithAttempts extends Delivery {
  /** null: it was never tried, or given up without a request, or tried before attempts were kept. */
  readonly attemptedAt: Date | null
  readonly signedAt: Date | null
  readonly durationMs: number | null
  readonly earlierAttempts: readonly EarlierAttempt[] | null
}

interface EarlierAttempt {
  readonly at: string
  readonly ms: number
  readonly status: number | null
  readonly error: string | null
}

const NOT_TRIED = { attemptedAt: null, signedAt: null, durationMs: null, earlierAttempts: null } as const

/** One delivery of a platform, with what was sent and what the receiver responded each time. */
export async function readDelivery(
  { database, vault, clock }: WebhooksContext,
  { platformId }: PlatformCaller,
  deliveryId: string,
): Promise<WebhookDeliveryDetails> {
  const event = await requireEvent({ database }, platformId, deliveryId)
  const [stored, bodies, target] = await Promise.all([
    selectWithAttempts(database, platformId, event.id),
    readEvents(database, vault, platformId, [event]),
    readWebhookTarget(database, vault, platformId, clock.now()),
  ])
  if (target === null) throw new AppError('not_found', 'There is no delivery with this id')
  const delivery = stored ?? { ...firstAttemptOf(event.id), ...NOT_TRIED }
  const body = bodies.get(event.id)
  const realNow = new Date(clock.now().getTime() - clock.offsetMs())
  return {
    ...deliveryRecord(delivery, target.url),
    attempt_history: attemptsOf(delivery),
    request:
      body === undefined
        ? null
        : {
            headers: signedHeaders(
              target.secrets,
              formatId('evt', event.id),
              body,
              delivery.signedAt ?? realNow,
            ),
            body,
          },
  }
}

async function selectWithAttempts(
  db: Queryable,
  platformId: Uuid,
  id: Uuid,
): Promise<DeliveryWithAttempts | null> {
  const [delivery] = await db.query<DeliveryWithAttempts>(
    `select ${DELIVERY_COLUMNS}, d.attempted_at as "attemptedAt", d.signed_at as "signedAt",
       d.duration_ms as "durationMs", d.earlier_attempts as "earlierAttempts"
     from webhook_deliveries d where d.platform_id = $1 and d.id = $2`,
    [platformId, id],
  )
  return delivery ?? null
}

/** Newest first. */
function attemptsOf(delivery: DeliveryWithAttempts): WebhookDeliveryDetails['attempt_history'] {
  const { attemptedAt, durationMs, earlierAttempts, responseStatus, lastError } = delivery
  const earlier = (earlierAttempts ?? []).map(({ at, ms, status, error }) => ({
    at: new Date(at).toISOString(),
    duration_ms: ms,
    response_status: status,
    error,
  }))
  const last = {
    at: attemptedAt?.toISOString() ?? '',
    duration_ms: durationMs ?? 0,
    response_status: responseStatus,
    error: lastError,
  }
  return [...earlier, ...(attemptedAt === null ? [] : [last])].toReversed()
}
