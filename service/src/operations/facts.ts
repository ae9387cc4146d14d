import type { ActorType, AuditAction } from '@batua/contract'
import type { Queryable } from '../db/database.ts'
import { type KeyedRead, rowsOfAll } from '../db/gathered.ts'
import type { RowVersion } from '../db/row-mac.ts'
import type { AppIdentity, Caller } from '../http/caller.ts'
import { assert, unreachable } from '../kernel/assert.ts'
import { formatId, newUuid, typeidSuffix, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import { slicesOf } from '../kernel/slices.ts'
import type { LedgerBatch } from '../ledger/index.ts'
import { leafOf, newEntry } from './audit-entry.ts'
import type { NewEvent } from './event.ts'
import {
  entryWriter,
  eventWriter,
  insertEntries,
  insertEvents,
  leafWriter,
  queueLeaves,
  type StoredEvent,
} from './fact-store.ts'

/** The actor of an audit entry. */
export interface Actor {
  readonly type: ActorType
  readonly id: string
  /** The name of a connected app; absent for every other actor. */
  readonly name?: string
}

/** The actor, the time and the vault for use cases that record facts in their caller's transaction. */
export interface Recording {
  readonly actor: Actor
  readonly vault: Vault
  readonly now: Date
}

/** The data of an audit entry: JSON, amounts in INR. It holds no secret, phone, PAN or bank account. */
export type FactData = { readonly [name: string]: Json }
type Json = string | number | boolean | null | readonly Json[] | FactData

/**
 * One change, as it is recorded: its audit entry, the entry's leaf in the log's tree, and its webhook events. No event is
 * sent without one.
 */
export interface Fact {
  /** The agent whose trail has the entry; null: none. */
  readonly agentId: Uuid | null
  readonly actor: Actor
  readonly action: AuditAction
  /** The public id of what was changed. */
  readonly target: string
  readonly data: FactData
  /** The webhook events for the platforms concerned. */
  readonly events?: readonly NewEvent[]
}

/**
 * The actor of a caller. A session may cover owners on several platforms: `ownerId` is the owner whose record is
 * changed.
 */
export function actorOf(caller: Caller, ownerId: Uuid | null = null): Actor {
  switch (caller.kind) {
    case 'platform':
      return { type: 'platform', id: formatId('plt', caller.platformId) }
    case 'agent':
      return actorFor(caller.agentId, caller.app ?? null)
    case 'owner':
      return { type: 'owner', id: formatId('own', ownerId ?? caller.ownerIds[0] ?? caller.sessionId) }
    case 'admin':
      return { type: 'admin', id: maskedPhone(caller.phone) }
    case 'public':
      return { type: 'public', id: 'anonymous' }
    default:
      return unreachable(caller)
  }
}

/** The actor for an agent id. */
export function agentActor(agentId: Uuid): Actor {
  return { type: 'agent', id: formatId('agt', agentId) }
}

/** The actor for a connected app. */
export function appActor({ id, name }: AppIdentity): Actor {
  return { type: 'app', id: formatId('app', id), name }
}

/** The actor of what is done for an agent: by the agent itself (null), or by a connected app. */
export function actorFor(agentId: Uuid, app: AppIdentity | null): Actor {
  return app === null ? agentActor(agentId) : appActor(app)
}

/** The actor for the service itself, by the part that acts: `escrow timeouts`, `settlement`, `payment gateway`. */
export function service(part: string): Actor {
  return { type: 'service', id: part }
}

/** An administrator's phone, masked for the log (contract section 8). */
function maskedPhone(phone: string): string {
  return `xxxxxx${phone.slice(-4)}`
}

/** Records a fact in the commit of its batch. Call it after the transfer was posted: events hold the wallet's sequence. */
export function record(batch: LedgerBatch, fact: Fact): void {
  const now = new Date(batch.nowMs)
  const entry = newEntry(fact, now)
  batch.write(entryWriter, entry)
  batch.write(leafWriter, leafOf(entry))
  for (const event of fact.events ?? []) {
    const sequence = 'agentId' in event ? (batch.account(event.agentId)?.sequence ?? null) : null
    batch.write(eventWriter, storedEvent(event, now, sequence))
  }
}

/**
 * Records facts in a transaction outside the ledger. `versions` are those of the rows that the facts changed (`writeMacs`).
 * The entries hold them, so that an older version of a row is refused when it is put back with its old MAC.
 */
export async function recordFacts(
  tx: Queryable,
  vault: Vault,
  now: Date,
  facts: readonly Fact[],
  versions: readonly RowVersion[] = [],
): Promise<void> {
  const versioned = withVersions(facts, versions)
  if (facts.length === 0) return
  const entries = versioned.map(fact => newEntry(fact, now))
  const events = facts.flatMap(fact => fact.events ?? [])
  await Promise.all([
    insertEntries(tx, entries),
    queueLeaves(tx, vault, entries.map(leafOf)),
    recordEvents(tx, vault, now, events),
  ])
}

/** Adds each version to the fact on its row, or to a fact of the same agent, or to any fact that has none yet. */
function withVersions(facts: readonly Fact[], versions: readonly RowVersion[]): readonly Fact[] {
  const versioned = [...facts]
  const byTarget = new Map(
    facts.map(({ target }, place) => [target.slice(target.lastIndexOf('_') + 1), place]),
  )
  const byAgent = new Map(facts.map(({ agentId }, place) => [agentId, place]))
  const free = new Set(versioned.keys())
  for (const { id, row, version } of versions) {
    const [any] = free
    const wanted = [byTarget.get(id.length === UUID_LENGTH ? typeidSuffix(id) : id), byAgent.get(id), any]
    const place = wanted.find(each => each !== undefined && free.has(each))
    const fact = place === undefined ? undefined : versioned[place]
    assert(place !== undefined && fact !== undefined, 'every changed row has a fact that records it')
    versioned[place] = { ...fact, data: { ...fact.data, row, row_version: version } }
    free.delete(place)
  }
  return versioned
}

const UUID_LENGTH = 36

/** Bounds the MACs made at once, so that a change of all agents of a platform does not block the event loop for long. */
const MOST_AT_ONCE = 2_500

async function recordEvents(
  tx: Queryable,
  vault: Vault,
  now: Date,
  events: readonly NewEvent[],
): Promise<void> {
  for (const slice of slicesOf(events, MOST_AT_ONCE)) {
    await insertEvents(
      tx,
      vault,
      slice.map(event => storedEvent(event, now, null)),
    )
  }
}

function storedEvent(event: NewEvent, createdAt: Date, sequence: bigint | null): StoredEvent {
  const { deliveredAs } = event
  const id = deliveredAs ?? newUuid(createdAt)
  return { ...event, id, createdAt, sequence, queued: deliveredAs === undefined }
}

type ReadAction = 'context.recorded' | 'approval.approved'
type Recorded = { target: string; data: unknown }

const recordedOf = (action: ReadAction): KeyedRead<Recorded> => ({
  text: `select e.target, e.data::jsonb as data from audit_entries e
    where e.target = any($1::text[]) and e.action = '${action}'`,
  keyOf: ({ target }) => target,
})

const RECORDED: Readonly<Record<ReadAction, KeyedRead<Recorded>>> = {
  'context.recorded': recordedOf('context.recorded'),
  'approval.approved': recordedOf('approval.approved'),
}

/** The data of the entries of an action on these targets. An index of the action's entries by target serves it. */
export async function readRecorded<Data>(
  db: Queryable,
  action: ReadAction,
  targets: readonly string[],
): Promise<ReadonlyMap<string, Data>> {
  const rows = await rowsOfAll(db, RECORDED[action], targets)
  return new Map(rows.map(({ target, data }) => [target, data as Data]))
}
