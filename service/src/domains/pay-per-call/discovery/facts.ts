import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Actor, type Fact, service } from '../../../operations/facts.ts'

interface Registered {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly origin: string
}

export function registeredFact(actor: Actor, { id, agentId, origin }: Registered): Fact {
  const target = formatId('lst', id)
  return { agentId, actor, action: 'listing.created', target, data: { origin } }
}

/** Why an origin is no longer listed. */
export type EndedBecause = 'removed' | 'document_failed' | 'origin_removed' | 'agent_deactivated'

export function endedFact(actor: Actor, { id, agentId, origin }: Registered, reason: EndedBecause): Fact {
  const target = formatId('lst', id)
  return { agentId, actor, action: 'listing.ended', target, data: { origin, reason } }
}

export const CHECKS = service('discovery')
