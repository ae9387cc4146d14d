import { recordFacts, service } from '../../../operations/facts.ts'
import type { KeysContext } from './context.ts'
import { createdFact } from './facts.ts'
import { newStoredKey } from './signing-key.ts'
import { insertKey, lockKeys, type StoredKey } from './store.ts'

/**
 * How long a new key is published before it signs. By then every node has read it, also where clocks differ a little.
 */
const PUBLISHED_AHEAD_MS = 10_000

export type MadeKey = Pick<StoredKey, 'id' | 'publicKey' | 'activeFrom'>

/**
 * Creates the key that signs from shortly after `now` on. The old keys stay published, and what they signed stays
 * valid. `now` is the service's time, a moved sandbox clock included.
 */
export async function rotateSigningKey(
  { database, vault }: Pick<KeysContext, 'database' | 'vault'>,
  now: Date,
): Promise<MadeKey> {
  const key = newStoredKey(vault, now, new Date(now.getTime() + PUBLISHED_AHEAD_MS))
  await database.inTransaction(async tx => {
    await lockKeys(tx)
    await insertKey(tx, key)
    await recordFacts(tx, vault, now, [createdFact(service('rotation'), key)])
  })
  return { id: key.id, publicKey: key.publicKey, activeFrom: key.activeFrom }
}
