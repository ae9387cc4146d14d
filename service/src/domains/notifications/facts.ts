import { formatId, type Uuid } from '../../kernel/ids.ts'
import { type Actor, type Fact, type FactData, service } from '../../operations/facts.ts'

/** The target is the first of the owners with the phone, as of sessions. */
export function settingsFact(actor: Actor, data: FactData): Fact {
  return { agentId: null, actor, action: 'notifications.changed', target: actor.id, data }
}

export function subscribedFact(actor: Actor, id: Uuid): Fact {
  const target = formatId('psub', id)
  return { agentId: null, actor, action: 'push_subscription.created', target, data: {} }
}

/** Why a browser is no longer notified. */
export type EndedBy = 'owner' | 'logout' | 'another_person' | 'push_service'

export function unsubscribedFact(actor: Actor, id: Uuid, by: EndedBy): Fact {
  const target = formatId('psub', id)
  return { agentId: null, actor, action: 'push_subscription.ended', target, data: { by } }
}

export const PUSH_SERVICE = service('push service')
