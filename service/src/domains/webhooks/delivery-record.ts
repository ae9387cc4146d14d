import type { DeliveryStatus, EventName, WebhookDelivery } from '@batua/contract'
import { formatId, momentOf, type Uuid } from '../../kernel/ids.ts'

/** A delivery as it is stored. */
export interface Delivery {
  readonly id: Uuid
  readonly event: EventName
  /** The URL of the last attempt. */
  readonly url: string | null
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly responseStatus: number | null
  readonly lastError: string | null
  readonly nextAttemptAt: Date | null
  readonly deliveredAt: Date | null
}

/** The delivery on the wire. A pending one shows the platform's current webhook_url. */
export function deliveryRecord(delivery: Delivery, presentUrl: string | null): WebhookDelivery {
  const { id, status, url } = delivery
  return {
    delivery_id: formatId('whd', id),
    event_id: formatId('evt', id),
    event: delivery.event,
    url: status === 'pending' ? (presentUrl ?? url) : url,
    status,
    attempts: delivery.attempts,
    response_status: delivery.responseStatus,
    last_error: delivery.lastError,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: momentOf(id).toISOString(),
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
  }
}
