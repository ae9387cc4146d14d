import type { Actor, Fact } from '../../../operations/facts.ts'
import type { StoredKey } from './store.ts'

/** The log holds the public key, so that a key that replaces it in the table later does not verify as this one. */
export function createdFact(actor: Actor, { id, publicKey, activeFrom }: StoredKey): Fact {
  const data = { public_key: publicKey, active_from: activeFrom.toISOString() }
  return { agentId: null, actor, action: 'signing_key.created', target: id, data }
}

export function revokedFact(
  actor: Actor,
  { keyId, revokedAt }: { readonly keyId: string; readonly revokedAt: Date },
): Fact {
  const data = { revoked_at: revokedAt.toISOString() }
  return { agentId: null, actor, action: 'signing_key.revoked', target: keyId, data }
}
