import type { EventName, WebhookDelivery } from '@batua/contract'
import type { PlatformCaller } from '../../http/caller.ts'
import { AppError } from '../../kernel/app-error.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { recordFacts } from '../../operations/facts.ts'
import { paymentEventName } from '../../operations/payment-fact.ts'
import type { WebhooksContext } from './context.ts'
import { deliveryRecord } from './delivery-record.ts'
import { isInBacklog, selectDelivery } from './delivery-store.ts'
import { readEvents } from './events/read-events.ts'
import { retriedFact } from './facts.ts'
import {
  claimForAttempt,
  type Receiver,
  type RequestedAttempts,
  requireReceiver,
  sendNow,
} from './send-now.ts'

/** Sends the event of a delivery again at once; returns the delivery after the attempt. */
export async function retryDelivery(
  context: RequestedAttempts,
  caller: PlatformCaller,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const { platformId } = caller
  const event = await requireEvent(context, platformId, deliveryId)
  const receiver = await requireReceiver(context, platformId)
  return context.slots.withSlot(platformId, async signal => {
    const body = await requireBody(context, platformId, event)
    const attempts = await claim(context, caller, receiver, event)
    const delivery = await sendNow({ ...context, signal }, receiver, { ...event, body, attempts })
    if (delivery === null) throw deliveryNotFound()
    return deliveryRecord(delivery, receiver.url)
  })
}

interface DeliveredEvent {
  readonly id: Uuid
  readonly name: EventName
}

/** The event of one of this platform's deliveries. A payment's event has no row before its first attempt. */
export async function requireEvent(
  { database }: Pick<WebhooksContext, 'database'>,
  platformId: Uuid,
  deliveryId: string,
): Promise<DeliveredEvent> {
  const id = parseId('whd', deliveryId)
  if (id === null) throw deliveryNotFound()
  const delivery = await selectDelivery(database, platformId, id)
  if (delivery !== null) return { id, name: delivery.event }
  if (await isInBacklog(database, platformId, id)) return { id, name: paymentEventName(id) }
  // It may have moved from the backlog to a row in between.
  const tried = await selectDelivery(database, platformId, id)
  if (tried === null) throw deliveryNotFound()
  return { id, name: tried.event }
}

function deliveryNotFound(): AppError {
  return new AppError('not_found', 'There is no delivery with this id')
}

async function requireBody(
  { database, vault }: WebhooksContext,
  platformId: Uuid,
  event: DeliveredEvent,
): Promise<string> {
  const bodies = await readEvents(database, vault, platformId, [event])
  const body = bodies.get(event.id)
  if (body !== undefined) return body
  throw new AppError(
    'conflict',
    'The event failed verification, so it is not sent; contact the operator of the service',
  )
}

/** One commit claims the delivery and records the audit event, so every requested attempt is in the log. */
async function claim(
  { database, vault, clock }: WebhooksContext,
  caller: PlatformCaller,
  receiver: Receiver,
  event: DeliveredEvent,
): Promise<number> {
  const now = clock.now()
  return database.inTransaction(async tx => {
    const attempts = await claimForAttempt(tx, receiver, event, now)
    await recordFacts(tx, vault, now, [retriedFact(caller, receiver, event)])
    return attempts
  })
}
