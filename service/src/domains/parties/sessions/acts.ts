import type { AdminCaller, OwnerCaller } from '../../../http/caller.ts'
import { formatId } from '../../../kernel/ids.ts'
import { type Act, type Actor, actorOf, type Facts } from '../../../operations/act.ts'

type Holder = OwnerCaller | AdminCaller

export function startedAct(holder: Holder, expiresAt: Date): Act {
  const data = { ...scopeOf(holder), expires_at: expiresAt.toISOString() }
  return { ...whoseSession(holder), agentId: null, action: 'session.started', data }
}

export function endedAct(holder: Holder): Act {
  return { ...whoseSession(holder), agentId: null, action: 'session.ended', data: scopeOf(holder) }
}

/**
 * A session has no public id, so the target is its holder: the first of the owners with the phone, or the
 * administrator.
 */
function whoseSession(holder: Holder): { readonly actor: Actor; readonly target: string } {
  const actor = actorOf(holder)
  return { actor, target: actor.id }
}

/** One audit event for each login, however many owners share the phone. */
function scopeOf(holder: Holder): Facts {
  return holder.kind === 'admin' ? {} : { owner_ids: holder.ownerIds.map(id => formatId('own', id)) }
}
