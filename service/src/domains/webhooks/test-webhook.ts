import type { WebhookDelivery } from '@batua/contract'
import type { PlatformCaller } from '../../http/caller.ts'
import { assert } from '../../kernel/assert.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'
import { recordFacts } from '../../operations/facts.ts'
import type { WebhooksContext } from './context.ts'
import { deliveryRecord } from './delivery-record.ts'
import { readEvents } from './events/read-events.ts'
import { testedFact } from './facts.ts'
import {
  claimForAttempt,
  type Receiver,
  type RequestedAttempts,
  requireReceiver,
  sendNow,
} from './send-now.ts'

const NAME = 'webhook.test'

/** Sends a platform a test event; returns its delivery after the first attempt. */
export async function testWebhook(
  context: RequestedAttempts,
  caller: PlatformCaller,
): Promise<WebhookDelivery> {
  const { database, vault, slots } = context
  const { platformId } = caller
  const receiver = await requireReceiver(context, platformId)
  return slots.withSlot(platformId, async signal => {
    const id = await recordTest(context, caller, receiver)
    const body = (await readEvents(database, vault, platformId, [{ id, name: NAME }])).get(id)
    assert(body !== undefined, 'an event can be read once it is recorded')
    const delivery = await sendNow({ ...context, signal }, receiver, { id, name: NAME, body, attempts: 0 })
    assert(delivery !== null, 'a delivery is kept for longer than an attempt takes')
    return deliveryRecord(delivery, receiver.url)
  })
}

/** Records the event with its delivery. If this node crashes before it sends the event, the deliverer does. */
async function recordTest(
  { database, vault, clock }: WebhooksContext,
  caller: PlatformCaller,
  receiver: Receiver,
): Promise<Uuid> {
  const now = clock.now()
  const id = newUuid(now)
  await database.inTransaction(async tx => {
    await recordFacts(tx, vault, now, [testedFact(caller, receiver, id)])
    await claimForAttempt(tx, receiver, { id, name: NAME }, now)
  })
  return id
}
