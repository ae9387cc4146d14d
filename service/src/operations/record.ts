import { arrayLiteral, textArrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import type { RowVersion } from '../db/row-mac.ts'
import { assert } from '../kernel/assert.ts'
import { typeidSuffix } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import { canonicalJson } from '../kernel/signing.ts'
import type { LedgerBatch, Transfer, Writer } from '../ledger/index.ts'
import type { Act } from './act.ts'
import { type Leaf, leafOf, newEntry, paymentLeaf, type StoredEntry } from './audit-entry.ts'
import { emit, recordEvents } from './record-events.ts'

const entryWriter: Writer<StoredEntry> = {
  name: 'audit entries',
  write: (tx, entries) => insertEntries(tx, entries),
  async wasWritten(tx, { id }) {
    return (await tx.query(`select from audit_entries where id = $1`, [id])).length === 1
  },
}

const leafWriter: Writer<Leaf> = {
  name: 'audit leaves',
  write: (tx, leaves, vault) => queueLeaves(tx, vault, leaves),
}

/** Records an act in the commit of its batch: its entry, its leaf, and the events of the platforms concerned. */
export function record(batch: LedgerBatch, act: Act): void {
  const entry = newEntry(act, new Date(batch.nowMs))
  batch.write(entryWriter, entry)
  batch.write(leafWriter, leafOf(entry))
  for (const event of act.events ?? []) emit(batch, event)
}

/** Records a payment, whose transfer is its entry. */
export function recordPayment(batch: LedgerBatch, transfer: Transfer): void {
  batch.write(leafWriter, paymentLeaf(transfer))
}

/**
 * Records acts in a transaction outside the ledger. `versions` are those of the rows that the acts changed (`writeMacs`).
 * The entries hold them, so that an older version of a row is refused when it is put back with its old MAC.
 */
export async function recordFacts(
  tx: Queryable,
  vault: Vault,
  now: Date,
  acts: readonly Act[],
  versions: readonly RowVersion[] = [],
): Promise<void> {
  if (acts.length === 0) return
  const entries = withVersions(acts, versions).map(act => newEntry(act, now))
  const events = acts.flatMap(act => act.events ?? [])
  await Promise.all([
    insertEntries(tx, entries),
    queueLeaves(tx, vault, entries.map(leafOf)),
    recordEvents(tx, vault, now, events),
  ])
}

/** Adds each version to the act on its row, or to an act of the same agent, or to any act that has none yet. */
function withVersions(acts: readonly Act[], versions: readonly RowVersion[]): readonly Act[] {
  if (versions.length === 0) return acts
  const versioned = [...acts]
  const byTarget = new Map(
    acts.map(({ target }, place) => [target.slice(target.lastIndexOf('_') + 1), place]),
  )
  const byAgent = new Map(acts.map(({ agentId }, place) => [agentId, place]))
  const free = new Set(versioned.keys())
  for (const { id, row, version } of versions) {
    const [any] = free
    const wanted = [byTarget.get(id.length === UUID_LENGTH ? typeidSuffix(id) : id), byAgent.get(id), any]
    const place = wanted.find(each => each !== undefined && free.has(each))
    const act = place === undefined ? undefined : versioned[place]
    if (place === undefined || act === undefined) continue
    versioned[place] = { ...act, data: { ...act.data, row, row_version: version } }
    free.delete(place)
  }
  return versioned
}

const UUID_LENGTH = 36

export async function insertEntries(tx: Queryable, entries: readonly StoredEntry[]): Promise<void> {
  await tx.query(
    `insert into audit_entries (id, agent_id, actor_type, actor_id, action, target, data, created_at)
     select v.id, v.agent_id, v.actor_type, v.actor_id, v.action, v.target, v.data, v.created_at
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::timestamptz[]) v(id, agent_id, actor_type, actor_id, action, target, data, created_at)`,
    [
      arrayLiteral(entries.map(entry => entry.id)),
      arrayLiteral(entries.map(entry => entry.agentId)),
      textArrayLiteral(entries.map(entry => entry.actor.type)),
      textArrayLiteral(entries.map(entry => entry.actor.id)),
      textArrayLiteral(entries.map(entry => entry.action)),
      textArrayLiteral(entries.map(entry => entry.target)),
      textArrayLiteral(entries.map(entry => canonicalJson(entry.data))),
      textArrayLiteral(entries.map(entry => entry.createdAt.toISOString())),
    ],
  )
}

/**
 * Queues the leaves of a commit as one row, which keeps the path of a payment short; a job adds them to the tree. The
 * row's id is the first leaf's, which no other commit has.
 */
export async function queueLeaves(tx: Queryable, vault: Vault, leaves: readonly Leaf[]): Promise<void> {
  const [first] = leaves
  assert(first !== undefined, 'a commit that is recorded has a leaf')
  const ids = arrayLiteral(leaves.map(leaf => leaf.id))
  const hashes = leaves.map(leaf => leaf.hash).join('')
  await tx.query(`insert into audit_queue (id, ids, hashes, seal) values ($1, $2, $3, $4)`, [
    first.id,
    ids,
    Buffer.from(hashes, 'hex'),
    queueMac(vault, ids, hashes),
  ])
}

/** The MAC of a queued row, which proves that the service queued it. `ids` is an array literal, `hashes` is hex. */
export function queueMac(vault: Vault, ids: string, hashes: string): Buffer {
  return vault.mac(`audit leaves ${ids} ${hashes}`)
}
