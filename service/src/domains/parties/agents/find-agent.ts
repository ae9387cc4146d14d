import type { Queryable } from '../../../db/database.ts'
import type { MaybePromise } from '../../../http/caller.ts'
import { boundedMap } from '../../../kernel/bounded-map.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { normaliseHandle } from './handle.ts'
import { selectHandleHolder } from './store.ts'

const KEPT_HANDLES = 50_000

/** Finds the agent that a caller names by id or handle. */
export type FindAgent = (idOrHandle: string) => MaybePromise<Uuid | null>

/**
 * An id is only parsed, not looked up: its use shows whether it exists. A handle never moves to another agent, so a
 * found handle is cached and returned without a promise. An unknown handle may be taken later and is not cached.
 */
export function openHandleCache(db: Queryable, vault: Vault): FindAgent {
  const holders = boundedMap<string, Uuid>(KEPT_HANDLES)

  async function lookUp(handle: string): Promise<Uuid | null> {
    const holder = await selectHandleHolder(db, vault, handle)
    if (holder !== null) holders.set(handle, holder)
    return holder
  }
  return idOrHandle => {
    const id = parseId('agt', idOrHandle)
    if (id !== null) return id
    const handle = normaliseHandle(idOrHandle)
    return handle === null ? null : (holders.get(handle) ?? lookUp(handle))
  }
}
