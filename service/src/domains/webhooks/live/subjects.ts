import type { EventName } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { type BoundedMap, boundedMap } from '../../../kernel/bounded-map.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { isGenuineAgent, type StoredIdentity } from '../../parties/index.ts'
import type { Audience, SubjectColumns } from './store.ts'

/** The owner and the platform that an event concerns; a platform's own event has no owner. */
export interface Concerned {
  readonly ownerId: Uuid | null
  readonly platformId: Uuid
}

/** Finds out whom events concern. An agent never changes its owner or platform, nor an owner its platform. */
export interface Subjects {
  load(subjects: readonly SubjectColumns[]): Promise<void>
  /** Null when the agent or owner is not as the service created it. Call it after `load`. */
  of(subject: SubjectColumns): Concerned | null
}

const REMEMBERED = 100_000

export function openSubjects(database: Queryable, vault: Vault): Subjects {
  const agents = boundedMap<Uuid, Concerned | null>(REMEMBERED)
  const owners = boundedMap<Uuid, Concerned | null>(REMEMBERED)
  return {
    async load(subjects) {
      await Promise.all([
        loadUnknown(agents, ids(subjects, 'agentId'), unknown => loadAgents(database, vault, unknown)),
        loadUnknown(owners, ids(subjects, 'ownerId'), unknown => loadOwners(database, unknown)),
      ])
    },
    of({ agentId, ownerId, platformId }) {
      if (agentId !== null) return agents.get(agentId) ?? null
      if (ownerId !== null) return owners.get(ownerId) ?? null
      return platformId === null ? null : { ownerId: null, platformId }
    },
  }
}

function ids(subjects: readonly SubjectColumns[], column: keyof SubjectColumns): Set<Uuid> {
  return new Set(subjects.flatMap(subject => subject[column] ?? []))
}

async function loadUnknown(
  known: BoundedMap<Uuid, Concerned | null>,
  wanted: ReadonlySet<Uuid>,
  load: (ids: readonly Uuid[]) => Promise<ReadonlyMap<Uuid, Concerned>>,
): Promise<void> {
  const unknown = [...wanted].filter(id => known.get(id) === undefined)
  if (unknown.length === 0) return
  const loaded = await load(unknown)
  for (const id of unknown) known.set(id, loaded.get(id) ?? null)
}

async function loadAgents(
  database: Queryable,
  vault: Vault,
  wanted: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Concerned>> {
  const rows = await database.query<StoredIdentity>(
    `select id, handle, platform_id as "platformId", owner_id as "ownerId", public_key as "publicKey",
       created_at as "createdAt", seal as mac
     from agents where id = any($1::uuid[])`,
    [arrayLiteral(wanted)],
  )
  return new Map(rows.filter(row => isGenuineAgent(vault, row)).map(row => [row.id, row]))
}

async function loadOwners(
  database: Queryable,
  wanted: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Concerned>> {
  const rows = await database.query<{ id: Uuid; platformId: Uuid }>(
    `select id, platform_id as "platformId" from owners where id = any($1::uuid[])`,
    [arrayLiteral(wanted)],
  )
  return new Map(rows.map(({ id, platformId }) => [id, { ownerId: id, platformId }]))
}

/** Risk alerts are for those who review them, and test events for the receiver that is tested. */
const NOT_FOR_OWNERS: ReadonlySet<EventName> = new Set(['risk.alert.opened', 'webhook.test'])

/** Whether an audience gets an event that concerns these. */
export function isFor(audience: Audience, name: EventName, { ownerId, platformId }: Concerned): boolean {
  switch (audience.kind) {
    case 'admin':
      return true
    case 'platform':
      return platformId === audience.platformId
    case 'owner':
      return ownerId !== null && audience.ownerIds.includes(ownerId) && !NOT_FOR_OWNERS.has(name)
  }
}
