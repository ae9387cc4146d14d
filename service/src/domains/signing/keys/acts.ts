import type { Act, Actor } from '../../../operations/act.ts'
import type { StoredKey } from './store.ts'

/** The log holds the public key, so that a key that replaces it in the table later does not verify as this one. */
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
