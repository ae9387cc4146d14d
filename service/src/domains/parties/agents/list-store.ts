import { type AgentStatus, SEARCHED_AGENTS } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { FIRST_UUID, formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { AGENT_COLUMNS, type Agent, type AgentRow, agentFromRow } from './store.ts'

/** The agents that a caller may list. */
export type AgentScope =
  | { readonly kind: 'platform'; readonly platformId: Uuid }
  | { readonly kind: 'owners'; readonly ownerIds: readonly Uuid[] }
  | { readonly kind: 'all' }

export interface AgentFilter {
  readonly scope: AgentScope
  readonly status: AgentStatus | null
  readonly ownerId: Uuid | null
  readonly handle: string | null
  /** A part of the name or the handle; absent: all. */
  readonly search?: string | undefined
}

const IN_SCOPE = {
  platform: 'a.platform_id = $1::uuid',
  owners: 'a.owner_id = any($1::uuid[])',
  all: '$1::uuid is null',
} as const satisfies Record<AgentScope['kind'], string>

const MATCHES = `($2::text is null or a.status = $2) and ($3::uuid is null or a.owner_id = $3)
  and ($4::text is null or a.handle = $4)`

/** The agents that the filter selects: $1 to $5. A search goes through the newest of them only. */
function matching({ scope, search }: AgentFilter): string {
  const inScope = `${IN_SCOPE[scope.kind]} and ${MATCHES} and $5::text is null`
  if (search === undefined) return `select a.id from agents a where ${inScope}`
  return `select a.id from (
      select a.id, a.name, a.handle from agents a
      where ${IN_SCOPE[scope.kind]} and ${MATCHES} order by a.id desc limit ${SEARCHED_AGENTS}
    ) a where strpos(lower(a.name), lower($5)) > 0 or strpos(a.handle, lower($5)) > 0`
}

function filterValues({ scope, status, ownerId, handle, search }: AgentFilter): unknown[] {
  return [
    scope.kind === 'platform' ? scope.platformId : scope.kind === 'owners' ? scope.ownerIds : null,
    status,
    ownerId,
    handle,
    search ?? null,
  ]
}

/**
 * A page of agents, newest first: those before `before` if it is given, skipping `offset`. Only the ids of skipped
 * agents are read.
 */
export async function selectAgents(db: Queryable, filter: AgentFilter, page: PageRequest): Promise<Agent[]> {
  const rows = await db.query<AgentRow>(
    `select ${AGENT_COLUMNS} from (
       select a.id from (${matching(filter)}) a where $6::uuid is null or a.id < $6
       order by a.id desc limit $7 offset $8
     ) listed join agents a on a.id = listed.id join owners o on o.id = a.owner_id
     order by a.id desc`,
    [...filterValues(filter), page.before, page.fetch, page.offset],
  )
  return rows.map(agentFromRow)
}

export async function countAgents(db: Queryable, filter: AgentFilter): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from (${matching(filter)}) a`,
    filterValues(filter),
  )
  return Number(row?.count ?? 0)
}

const AGENTS_AT_ONCE = 5_000

/** An index-only scan reads each of these. */
export const SELECT_AGENTS = `select id from agents where owner_id = $1 and id > $2 order by id limit $3`
export const SELECT_PLATFORM_AGENTS = `select id from agents where platform_id = $1 and id > $2 order by id limit $3`

/** All agents of these owners, including deactivated ones. */
export async function selectAgentsOf(db: Queryable, ownerIds: readonly Uuid[]): Promise<Uuid[]> {
  const ids: Uuid[] = []
  for (const ownerId of ownerIds) await collectAgents(db, SELECT_AGENTS, ownerId, ids)
  return ids
}

/** All agents of a platform, including deactivated ones. */
export async function selectAgentsOfPlatform(db: Queryable, platformId: Uuid): Promise<Uuid[]> {
  const ids: Uuid[] = []
  await collectAgents(db, SELECT_PLATFORM_AGENTS, platformId, ids)
  return ids
}

async function collectAgents(db: Queryable, statement: string, of: Uuid, ids: Uuid[]): Promise<void> {
  let after: Uuid | undefined = FIRST_UUID
  while (after !== undefined) {
    const rows: { id: Uuid }[] = await db.query(statement, [of, after, AGENTS_AT_ONCE])
    for (const { id } of rows) ids.push(id)
    after = rows.length === AGENTS_AT_ONCE ? rows.at(-1)?.id : undefined
  }
}

export async function isOfOwners(db: Queryable, agentId: Uuid, ownerIds: readonly Uuid[]): Promise<boolean> {
  const rows = await db.query(`select id from agents where id = $1 and owner_id = any($2::uuid[])`, [
    agentId,
    ownerIds,
  ])
  return rows.length === 1
}

/** All agents of a caller, or the named one if it is one of them. */
export async function selectListedAgents(
  db: Queryable,
  caller: OwnerCaller | PlatformCaller,
  address: string | undefined,
): Promise<readonly Uuid[]> {
  if (address === undefined) {
    return caller.kind === 'owner'
      ? selectAgentsOf(db, caller.ownerIds)
      : selectAgentsOfPlatform(db, caller.platformId)
  }
  const id = parseId('agt', address)
  if (id === null) return []
  const isTheirs =
    caller.kind === 'owner'
      ? await isOfOwners(db, id, caller.ownerIds)
      : (await db.query(`select id from agents where id = $1 and platform_id = $2`, [id, caller.platformId]))
          .length === 1
  return isTheirs ? [id] : []
}

/** The public facts about these agents. */
export async function selectNamed(
  db: Queryable,
  ids: readonly Uuid[],
): Promise<{ agent_id: string; handle: string; name: string; status: AgentStatus }[]> {
  const rows = await db.query<{ id: Uuid; handle: string; name: string; status: AgentStatus }>(
    `select id, handle, name, status from agents where id = any($1::uuid[]) order by id`,
    [ids],
  )
  return rows.map(({ id, ...facts }) => ({ agent_id: formatId('agt', id), ...facts }))
}

/** What people know these agents by. */
export async function selectAgentNames(
  db: Queryable,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, { readonly name: string; readonly handle: string }>> {
  const rows = await db.query<{ id: Uuid; name: string; handle: string }>(
    `select id, name, handle from agents where id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
  return new Map(rows.map(row => [row.id, row]))
}
