import { recordActs, service } from '../audit/index.ts'
import { createdAct } from './acts.ts'
import type { KeysContext } from './context.ts'
import { inUseFirst, keyInForce, newStoredKey, openKey, type SigningKey } from './signing-key.ts'
import { insertKey, lockKeys, selectKeys } from './store.ts'

/** The keys that the service signs with, from memory. */
export interface SigningKeys {
  /** The key in use. */
  current(): Promise<SigningKey>
  /** The key that was in force at a moment: what happened then is signed with it, whenever that is asked for. */
  at(moment: Date): Promise<SigningKey>
  byId(id: string): Promise<SigningKey | null>
  /** All keys, the one in use first. */
  all(): Promise<readonly SigningKey[]>
}

/**
 * How old what is remembered may get. A new key is in force only some seconds after it was stored (see
 * rotateSigningKey), so by then every node has read it.
 */
const REMEMBERED_MS = 1_000

/** Opens the keys, and makes the first one where there is none. */
export async function openSigningKeys(context: KeysContext): Promise<SigningKeys> {
  const { database, vault, clock } = context
  await makeFirstKey(context)
  let keys: readonly SigningKey[] = []
  let readAtMs = 0
  let reading: Promise<void> | null = null

  async function readKeys(): Promise<void> {
    const startedMs = clock.now().getTime()
    const stored = await selectKeys(database)
    keys = stored.map(row => keys.find(key => key.id === row.id) ?? openKey(vault, row))
    readAtMs = startedMs
  }

  /** Whoever asks while the keys are being read waits for the same answer. */
  function refresh(): Promise<void> {
    reading ??= readKeys().finally(() => {
      reading = null
    })
    return reading
  }

  // Measured by the service's clock: when a sandbox clock jumps ahead, a key that was not read yet may be in force.
  async function recent(): Promise<readonly SigningKey[]> {
    if (Math.abs(clock.now().getTime() - readAtMs) > REMEMBERED_MS) await refresh()
    return keys
  }

  await refresh()
  return {
    current: async () => keyInForce(await recent(), clock.now()),
    at: async moment => keyInForce(await recent(), moment),
    all: async () => inUseFirst(await recent(), clock.now()),
    async byId(id) {
      if (!keys.some(key => key.id === id)) await refresh()
      return keys.find(key => key.id === id) ?? null
    },
  }
}

/** Nodes that start at once make one key: the lock lets one look at a time. */
async function makeFirstKey({ database, vault, clock }: KeysContext): Promise<void> {
  await database.inTransaction(async tx => {
    await lockKeys(tx)
    if ((await selectKeys(tx)).length > 0) return
    const now = clock.now()
    const key = newStoredKey(vault, now, now)
    await insertKey(tx, key)
    await recordActs(tx, vault, now, [createdAct(service('start'), key)])
  })
}
