import type { AdminCaller, OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import { formatId } from '../../../kernel/ids.ts'
import { type Actor, actorOf, type Fact, type FactData } from '../../../operations/facts.ts'

type Holder = OwnerCaller | AdminCaller | PlatformCaller

export function startedFact(holder: Holder, expiresAt: Date): Fact {
  const data = { ...scopeOf(holder), expires_at: expiresAt.toISOString() }
  return { ...whoseSession(holder), agentId: null, action: 'session.started', data }
}

export function endedFact(holder: Holder): Fact {
  return { ...whoseSession(holder), agentId: null, action: 'session.ended', data: scopeOf(holder) }
}

/**
 * The target is the holder: the first of the owners with the phone, the administrator, or the platform.
 */
function whoseSession(holder: Holder): { readonly actor: Actor; readonly target: string } {
  const actor = actorOf(holder)
  return { actor, target: actor.id }
}

/** One audit event for each login, however many owners share the phone. */
function scopeOf(holder: Holder): FactData {
  return holder.kind === 'owner' ? { owner_ids: holder.ownerIds.map(id => formatId('own', id)) } : {}
}
