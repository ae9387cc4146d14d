import { arrayLiteral, textArrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { LedgerBatch, Writer } from '../ledger/index.ts'
import { eventMacText, type NewEvent, subjectIdOf } from './event.ts'

type StoredEvent = NewEvent & {
  readonly id: Uuid
  readonly createdAt: Date
  /** The sequence of the agent's wallet; null: the stored one at the time of the insert. */
  readonly sequence: bigint | null
}

const eventWriter: Writer<StoredEvent> = {
  name: 'events',
  write: (tx, rows, vault) => insertEvents(tx, vault, rows),
}

/** Records an event in the commit of a batch. Call it after the transfer was posted, because it holds the sequence. */
export function emit(batch: LedgerBatch, event: NewEvent): void {
  const createdAt = new Date(batch.nowMs)
  const sequence = 'agentId' in event ? (batch.account(event.agentId)?.sequence ?? null) : null
  batch.write(eventWriter, { ...event, id: newUuid(createdAt), createdAt, sequence })
}

/** Bounds the MACs made at once, so that a change of all agents of a platform does not block the event loop for long. */
const MOST_AT_ONCE = 2_500

/** Records events in a transaction outside the ledger. */
export async function recordEvents(
  tx: Queryable,
  vault: Vault,
  now: Date,
  events: readonly NewEvent[],
): Promise<void> {
  for (let at = 0; at < events.length; at += MOST_AT_ONCE) {
    const slice = events.slice(at, at + MOST_AT_ONCE)
    const stored = slice.map(event => ({ ...event, id: newUuid(now), createdAt: now, sequence: null }))
    await insertEvents(tx, vault, stored)
  }
}

/** Records an event without fan-out; the caller delivers it. Returns its id. */
export async function recordUnqueued(tx: Queryable, vault: Vault, now: Date, event: NewEvent): Promise<Uuid> {
  const id = newUuid(now)
  await insertEvents(tx, vault, [{ ...event, id, createdAt: now, sequence: null }], false)
  return id
}

/**
 * Agents and owners never change their platform, so the insert looks it up: by a subquery for each event, so that no plan
 * reads all agents.
 */
async function insertEvents(
  tx: Queryable,
  vault: Vault,
  events: readonly StoredEvent[],
  queued = true,
): Promise<void> {
  await tx.query(
    `insert into events (id, agent_id, owner_id, platform_id, name, data, sequence, created_at, seal, queued)
     select v.id, v.agent_id, v.owner_id,
       coalesce(v.platform_id, (select a.platform_id from agents a where a.id = v.agent_id),
         (select o.platform_id from owners o where o.id = v.owner_id)),
       v.name, v.data::jsonb,
       coalesce(v.sequence, (select w.sequence from accounts w where w.id = v.agent_id)),
       v.created_at, decode(v.seal, 'hex'), $10
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::int8[],
       $8::timestamptz[], $9::text[])
       v(id, agent_id, owner_id, platform_id, name, data, sequence, created_at, seal)`,
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
      queued,
    ],
  )
}
