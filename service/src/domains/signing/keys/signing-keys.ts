import { recordFacts, service } from '../../../operations/facts.ts'
import type { KeysContext } from './context.ts'
import { createdFact } from './facts.ts'
import {
  boundToRow,
  inUseFirst,
  keyInForce,
  newStoredKey,
  openKeys,
  type ServiceKey,
  type SigningKey,
} from './signing-key.ts'
import { insertKey, lockKeys, selectKeys, updateKey } from './store.ts'

/** The keys that the service signs with, cached in memory. */
export interface SigningKeys {
  /** The active key. */
  current(): Promise<SigningKey>
  /**
   * The key that signs a document of a given time, whenever the call is made: the key active at that time or, when that
   * one is revoked, the first key after it that is not revoked.
   */
  at(moment: Date): Promise<SigningKey>
  byId(id: string): Promise<ServiceKey | null>
  /** All keys, the active one first. */
  all(): Promise<readonly ServiceKey[]>
}

/**
 * The maximum age of the cache. A new key becomes active only some seconds after it was stored (see
 * rotateSigningKey), so by then every node has read it. A revoked key is used no longer than this.
 */
const REMEMBERED_MS = 1_000

/** Decrypts the keys, and creates the first one where there is none. */
export async function openSigningKeys(context: KeysContext): Promise<SigningKeys> {
  const { database, vault, clock } = context
  await prepareKeys(context)
  let keys: readonly ServiceKey[] = []
  let fingerprint = ''
  let readAtMs = 0
  let reading: Promise<void> | null = null

  async function readKeys(): Promise<void> {
    const startedMs = clock.now().getTime()
    const stored = await selectKeys(database)
    const read = JSON.stringify(stored)
    if (read !== fingerprint) keys = openKeys(vault, stored)
    fingerprint = read
    readAtMs = startedMs
  }

  /** Callers that arrive while the keys are being read wait for the same read. */
  function refresh(): Promise<void> {
    reading ??= readKeys().finally(() => {
      reading = null
    })
    return reading
  }

  // Measured by the service's clock: when a sandbox clock jumps ahead, a key that was not read yet may be active.
  async function recent(): Promise<readonly ServiceKey[]> {
    if (Math.abs(clock.now().getTime() - readAtMs) > REMEMBERED_MS) await refresh()
    return keys
  }

  await refresh()
  return {
    current: async () => keyInForce(await recent(), clock.now()),
    at: async moment => keyInForce(await recent(), moment),
    all: async () => inUseFirst(await recent(), clock.now()),
    async byId(id) {
      const known = await recent()
      if (!known.some(key => key.id === id)) await refresh()
      return keys.find(key => key.id === id) ?? null
    },
  }
}

/**
 * Creates the first key where there is none, and encrypts private keys again that were encrypted before contexts named
 * the row. Nodes that start at the same time create one key, because the lock lets one of them read at a time.
 */
async function prepareKeys({ database, vault, clock }: KeysContext): Promise<void> {
  await database.inTransaction(async tx => {
    await lockKeys(tx)
    const stored = await selectKeys(tx)
    for (const key of stored) {
      const bound = boundToRow(vault, key)
      if (bound !== null) await updateKey(tx, bound)
    }
    if (stored.length > 0) return
    const now = clock.now()
    const key = newStoredKey(vault, now, now)
    await insertKey(tx, key)
    await recordFacts(tx, vault, now, [createdFact(service('start'), key)])
  })
}
