import type { EventName, WebhookDelivery } from '@batua/contract'
import type { PlatformCaller } from '../../http/caller.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { actorOf } from '../../operations/act.ts'
import { paymentEventName } from '../../operations/payment-event.ts'
import { recordFacts } from '../../operations/record.ts'
import type { WebhooksContext } from './context.ts'
import { deliveryRecord } from './delivery-record.ts'
import { isInBacklog, selectDelivery } from './delivery-store.ts'
import { readEvents } from './events/read-events.ts'
import {
  holdForAttempt,
  type Receiver,
  type RequestedAttempts,
  requireReceiver,
  sendNow,
} from './send-now.ts'

/** Sends the event of a delivery once more, now; answers the delivery after that. */
export async function retryDelivery(
  context: RequestedAttempts,
  caller: PlatformCaller,
  address: string,
): Promise<WebhookDelivery> {
  const { platformId } = caller
  const event = await requireEvent(context, platformId, address)
  const receiver = await requireReceiver(context, platformId)
  return context.slots.hold(platformId, async givesWay => {
    const body = await requireBody(context, platformId, event)
    const attempts = await hold(context, caller, receiver, event)
    const delivery = await sendNow({ ...context, givesWay }, receiver, { ...event, body, attempts })
    if (delivery === null) throw deliveryNotFound()
    return deliveryRecord(delivery, receiver.url)
  })
}

interface DeliveredEvent {
  readonly id: Uuid
  readonly name: EventName
}

/** The event of a delivery of this platform's; one of a payment that was not tried yet has its delivery to come. */
async function requireEvent(
  { database }: WebhooksContext,
  platformId: Uuid,
  address: string,
): Promise<DeliveredEvent> {
  const id = parseId('whd', address)
  if (id === null) throw deliveryNotFound()
  const delivery = await selectDelivery(database, platformId, id)
  if (delivery !== null) return { id, name: delivery.event }
  if (await isInBacklog(database, platformId, id)) return { id, name: paymentEventName(id) }
  // It may have got its row, and left the backlog, in between.
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
    'The event is not as the service recorded it, so it is not sent; ask for help',
  )
}

/** The act and the hold are one commit: whatever is sent on request is in the log. */
async function hold(
  { database, vault, clock }: WebhooksContext,
  caller: PlatformCaller,
  receiver: Receiver,
  event: DeliveredEvent,
): Promise<number> {
  const now = clock.now()
  const act = {
    agentId: null,
    actor: actorOf(caller),
    action: 'webhook.retried',
    target: formatId('whd', event.id),
    data: { event: event.name, webhook_host: new URL(receiver.url).host },
  } as const
  return database.inTransaction(async tx => {
    const attempts = await holdForAttempt(tx, receiver, event, now)
    await recordFacts(tx, vault, now, [act])
    return attempts
  })
}
