import { kindOfEvent } from '@batua/contract/codes'
import { arrayLiteral, textArrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { assert } from '../kernel/assert.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import { canonicalJson } from '../kernel/signing.ts'
import type { Writer } from '../ledger/index.ts'
import { type Leaf, queueMac, type StoredEntry } from './audit-entry.ts'
import { eventMacText, type NewEvent, subjectIdOf } from './event.ts'

export const entryWriter: Writer<StoredEntry> = {
  name: 'audit entries',
  write: (tx, entries) => insertEntries(tx, entries),
  async wasWritten(tx, { id }) {
    return (await tx.query(`select from audit_entries where id = $1`, [id])).length === 1
  },
}

export const leafWriter: Writer<Leaf> = {
  name: 'audit leaves',
  write: (tx, leaves, vault) => queueLeaves(tx, vault, leaves),
}

export type StoredEvent = NewEvent & {
  readonly id: Uuid
  readonly createdAt: Date
  /** The sequence of the agent's wallet; null: the stored one at the time of the insert. */
  readonly sequence: bigint | null
  /** Whether the fan-out takes it. */
  readonly queued: boolean
}

export const eventWriter: Writer<StoredEvent> = {
  name: 'events',
  write: (tx, events, vault) => insertEvents(tx, vault, events),
}

export async function insertEntries(tx: Queryable, entries: readonly StoredEntry[]): Promise<void> {
  await tx.query(
    `insert into audit_entries (id, agent_id, actor_type, actor_id, actor_name, action, target, data, created_at)
     select v.id, v.agent_id, v.actor_type, v.actor_id, v.actor_name, v.action, v.target, v.data, v.created_at
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::timestamptz[]) v(id, agent_id, actor_type, actor_id, actor_name, action, target, data, created_at)`,
    [
      arrayLiteral(entries.map(entry => entry.id)),
      arrayLiteral(entries.map(entry => entry.agentId)),
      textArrayLiteral(entries.map(entry => entry.actor.type)),
      textArrayLiteral(entries.map(entry => entry.actor.id)),
      textArrayLiteral(entries.map(entry => entry.actor.name ?? null)),
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

/** Inserts events, and queues those that owners may be notified of. */
export async function insertEvents(
  tx: Queryable,
  vault: Vault,
  events: readonly StoredEvent[],
): Promise<void> {
  const forOwners = events.filter(({ name }) => kindOfEvent(name) !== null)
  await Promise.all([
    insertRows(tx, vault, events),
    forOwners.length > 0 &&
      tx.query(`insert into owner_events (id) select unnest($1::uuid[])`, [
        arrayLiteral(forOwners.map(({ id }) => id)),
      ]),
  ])
}

/**
 * Agents and owners never change their platform, so the insert looks it up: by a subquery for each event, so that no
 * plan reads all agents.
 */
async function insertRows(tx: Queryable, vault: Vault, events: readonly StoredEvent[]): Promise<void> {
  await tx.query(
    `insert into events (id, agent_id, owner_id, platform_id, name, data, sequence, created_at, seal, queued)
     select v.id, v.agent_id, v.owner_id,
       coalesce(v.platform_id, (select a.platform_id from agents a where a.id = v.agent_id),
         (select o.platform_id from owners o where o.id = v.owner_id)),
       v.name, v.data::jsonb,
       coalesce(v.sequence, (select w.sequence from accounts w where w.id = v.agent_id)),
       v.created_at, decode(v.mac, 'hex'), v.queued
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::int8[],
       $8::timestamptz[], $9::text[], $10::boolean[])
       v(id, agent_id, owner_id, platform_id, name, data, sequence, created_at, mac, queued)`,
    [
      arrayLiteral(events.map(event => event.id)),
      arrayLiteral(events.map(event => ('agentId' in event ? event.agentId : null))),
      arrayLiteral(events.map(event => ('ownerId' in event ? event.ownerId : null))),
      arrayLiteral(events.map(event => ('platformId' in event ? event.platformId : null))),
      arrayLiteral(events.map(event => event.name)),
      textArrayLiteral(events.map(event => JSON.stringify(event.data))),
      arrayLiteral(events.map(event => event.sequence)),
      textArrayLiteral(events.map(event => event.createdAt.toISOString())),
      arrayLiteral(
        events.map(event => vault.macHex(eventMacText({ ...event, subjectId: subjectIdOf(event) }))),
      ),
      arrayLiteral(events.map(event => String(event.queued))),
    ],
  )
}
