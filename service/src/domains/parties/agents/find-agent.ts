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
 * An id is only read, not looked up: whoever uses it learns whether it exists. A handle never changes hands, so what
 * was once found is remembered and answered without a promise; what was not found may be taken later and is not.
 */
export function openHandleCache(db: Queryable, vault: Vault): FindAgent {
  const holders = boundedMap<string, Uuid>(KEPT_HANDLES)

  async function ask(handle: string): Promise<Uuid | null> {
    const holder = await selectHandleHolder(db, vault, handle)
    if (holder !== null) holders.set(handle, holder)
    return holder
  }
  return idOrHandle => {
    const id = parseId('agt', idOrHandle)
    if (id !== null) return id
    const handle = normaliseHandle(idOrHandle)
    return handle === null ? null : (holders.get(handle) ?? ask(handle))
  }
}
