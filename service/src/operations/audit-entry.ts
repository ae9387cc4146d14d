import type { AuditEntry } from '@batua/contract'
import { leafHash } from '@batua/verification/tree-hashes'
import { formatId, newUuid, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import { canonicalJson } from '../kernel/signing.ts'
import type { Fact } from './facts.ts'

export { leafHash } from '@batua/verification/tree-hashes'

/** A stored fact. Its id contains the time. */
export interface StoredEntry extends Fact {
  readonly id: Uuid
  readonly createdAt: Date
}

/** The hashed content: the entry without its hash (contract section 7). */
export type EntryContent = Omit<AuditEntry, 'hash'>

/** A leaf of the tree before it has an index. */
export interface Leaf {
  readonly id: Uuid
  /** Lower-case hex of the RFC 6962 leaf hash. */
  readonly hash: string
}

export function newEntry(fact: Fact, now: Date): StoredEntry {
  return { ...fact, id: newUuid(now), createdAt: now }
}

export function entryContent({
  id,
  agentId,
  actor,
  action,
  target,
  data,
  createdAt,
}: StoredEntry): EntryContent {
  return {
    audit_id: formatId('aud', id),
    agent_id: agentId === null ? null : formatId('agt', agentId),
    actor: { type: actor.type, id: actor.id, ...(actor.name !== undefined && { name: actor.name }) },
    action,
    target,
    data,
    created_at: createdAt.toISOString(),
  }
}

export function leafOf(entry: StoredEntry): Leaf {
  return { id: entry.id, hash: leafHash(canonicalJson(entryContent(entry))) }
}

/** The MAC of a row of queued leaves, which proves that the service queued it. `ids` is an array literal, `hashes` is hex. */
export function queueMac(vault: Vault, ids: string, hashes: string): Buffer {
  return vault.mac(`audit leaves ${ids} ${hashes}`)
}
