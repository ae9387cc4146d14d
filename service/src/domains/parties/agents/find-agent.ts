import type { Queryable } from '../../../db/database.ts'
import type { MaybePromise } from '../../../http/caller.ts'
import { boundedMap } from '../../../kernel/bounded-map.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
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

// ASCII is required before lower-casing: lower-casing first would turn the Kelvin sign into a plain k and so accept a
// look-alike.
const WRITTEN_HANDLE = /^@?[A-Za-z][A-Za-z0-9_-]{2,31}$/

/** A handle in its stored form, from any case and with or without `@`; null if it is not valid. */
export function normaliseHandle(written: string): string | null {
  if (!WRITTEN_HANDLE.test(written)) return null
  const handle = (written.startsWith('@') ? written.slice(1) : written).toLowerCase()
  // Routes that accept a handle accept an id too, so a handle that reads as an id could be mistaken for another agent.
  return parseId('agt', handle) === null ? handle : null
}
