import type { Act, Actor } from '../../../operations/act.ts'
import type { StoredKey } from './store.ts'

/** The log has the key's public half, so that one put in its place later does not pass for it. */
export function createdAct(actor: Actor, { id, publicKey, activeFrom }: StoredKey): Act {
  const data = { public_key: publicKey, active_from: activeFrom.toISOString() }
  return { agentId: null, actor, action: 'signing_key.created', target: id, data }
}

export function revokedAct(
  actor: Actor,
  { keyId, revokedAt }: { readonly keyId: string; readonly revokedAt: Date },
): Act {
  const data = { revoked_at: revokedAt.toISOString() }
  return { agentId: null, actor, action: 'signing_key.revoked', target: keyId, data }
}
