import type { EventName } from '@batua/contract'
import type { PlatformCaller } from '../../http/caller.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { actorOf, type Fact, type FactData } from '../../operations/facts.ts'
import type { Receiver } from './send-now.ts'

/** A platform had a test event sent, whose delivery has the event's id. */
export function testedFact(caller: PlatformCaller, receiver: Receiver, id: Uuid): Fact {
  const { platformId } = caller
  const data = { platform_id: formatId('plt', platformId) }
  return {
    ...deliveryFact(caller, 'webhook.tested', receiver, id),
    events: [{ name: 'webhook.test', platformId, data, deliveredAs: id }],
  }
}

/** A platform had a delivery tried again. */
export function retriedFact(
  caller: PlatformCaller,
  receiver: Receiver,
  { id, name }: { readonly id: Uuid; readonly name: EventName },
): Fact {
  return deliveryFact(caller, 'webhook.retried', receiver, id, { event: name })
}

function deliveryFact(
  caller: PlatformCaller,
  action: 'webhook.tested' | 'webhook.retried',
  { url }: Receiver,
  id: Uuid,
  more: FactData = {},
): Fact {
  const data = { ...more, webhook_host: new URL(url).host }
  return { agentId: null, actor: actorOf(caller), action, target: formatId('whd', id), data }
}
