import type { Queryable } from '../../../db/database.ts'
import { recordFacts, service } from '../../../operations/facts.ts'
import { resignCheckpoint } from '../../audit/index.ts'
import type { KeysContext } from './context.ts'
import { createdFact, revokedFact } from './facts.ts'
import type { MadeKey } from './rotate-signing-key.ts'
import { keyInForce, newStoredKey, openKeys, revokedKey } from './signing-key.ts'
import { insertKey, lockKeys, type SelectedKey, selectKeys, updateKey } from './store.ts'

export interface Revocation {
  readonly keyId: string
  /** From this time on the key may be compromised. */
  readonly revokedAt: Date
}

/** Why a key cannot be revoked, in words for the operator. */
export class RevocationRefused extends Error {}

/**
 * Revokes a key that may be compromised and destroys its private key. If no valid key follows it, a new one becomes
 * active at once; nodes read it within a second. The log's checkpoint is signed again in the same commit, so that no
 * node accepts a checkpoint by the revoked key any more. Returns the new key, or null when another key follows.
 */
export async function revokeSigningKey(
  { database, vault }: Pick<KeysContext, 'database' | 'vault'>,
  now: Date,
  revocation: Revocation,
): Promise<MadeKey | null> {
  return database.inTransaction(async tx => {
    await lockKeys(tx)
    const stored = await selectKeys(tx)
    const key = refuseUnlessRevocable(stored, revocation, now)
    const isFollowed = stored.slice(stored.indexOf(key) + 1).some(({ revokedAt }) => revokedAt === null)
    // The new key starts after the revoked one, even after one that is published ahead and has never signed.
    const activeFrom = new Date(Math.max(now.getTime(), key.activeFrom.getTime() + 1))
    const made = isFollowed ? null : newStoredKey(vault, now, activeFrom)
    const publicKeys = stored.filter(({ revokedAt }) => revokedAt === null).map(({ publicKey }) => publicKey)
    if (made !== null) await insertKey(tx, made)
    await updateKey(tx, revokedKey(vault, key, revocation.revokedAt))
    const actor = service('revocation')
    const facts = made === null ? [] : [createdFact(actor, made)]
    await recordFacts(tx, vault, now, [revokedFact(actor, revocation), ...facts])
    await resignCheckpoint(tx, publicKeys, await signerNow(tx, vault, now), now)
    return made
  })
}

function refuseUnlessRevocable(
  stored: readonly SelectedKey[],
  { keyId, revokedAt }: Revocation,
  now: Date,
): SelectedKey {
  const key = stored.find(({ id }) => id === keyId)
  if (key === undefined) throw new RevocationRefused(`there is no signing key ${keyId}`)
  if (key.revokedAt !== null)
    throw new RevocationRefused(`${keyId} is revoked already, since ${key.revokedAt.toISOString()}`)
  if (revokedAt > now) throw new RevocationRefused(`--at must not be after now, ${now.toISOString()}`)
  return key
}

async function signerNow(tx: Queryable, vault: KeysContext['vault'], now: Date) {
  return keyInForce(openKeys(vault, await selectKeys(tx)), now)
}
