import type { Evidence } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Actor, Fact } from '../../../operations/facts.ts'
import type { Passkey } from './store.ts'

function factOf(actor: Actor, id: Uuid) {
  return { agentId: null, actor, target: formatId('pky', id) }
}

/** The entry has the public key, so that what the passkey signs later can be verified offline. */
export function enrolledFact(
  actor: Actor,
  { id, publicKey, effectiveAt }: Passkey,
  { holder, rpId }: { readonly holder: string; readonly rpId: string },
): Fact {
  const public_key = publicKey.toString('base64url')
  const data = { holder, public_key, rp_id: rpId, effective_at: effectiveAt.toISOString() }
  return { ...factOf(actor, id), action: 'passkey.enrolled', data }
}

export function removedFact(actor: Actor, id: Uuid, removedAt: Date): Fact {
  return { ...factOf(actor, id), action: 'passkey.removed', data: { removed_at: removedAt.toISOString() } }
}

export function keptFact(actor: Actor, id: Uuid): Fact {
  return { ...factOf(actor, id), action: 'passkey.kept', data: {} }
}

/** A passkey confirmed a request; what the request did has an entry of its own. */
export function usedFact(
  actor: Actor,
  id: Uuid,
  { action, evidence }: { readonly action: string; readonly evidence: Evidence },
): Fact {
  return { ...factOf(actor, id), action: 'passkey.used', data: { action, evidence: { ...evidence } } }
}
