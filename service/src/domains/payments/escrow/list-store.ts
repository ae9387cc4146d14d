import type { EscrowStatus } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { lastSkippedInParts, newestInParts } from '../../../http/list-in-parts.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { FIRST_UUID, LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { slicesOf } from '../../../kernel/slices.ts'
import type { Selected } from '../../../operations/entity.ts'
import type { Escrow } from './escrow.ts'
import { escrows } from './store.ts'

/** Which escrows a list shows: of the money of these agents, with this status. */
export interface EscrowFilter {
  readonly agentIds: readonly Uuid[]
  readonly status: EscrowStatus | null
}

/** The status is part of the text, so that each statement has an index range of each agent in the order of the page. */
const ofStatus = (status: EscrowStatus | null) => (status === null ? 'true' : `e.status = '${status}'`)

/** $1 agents, $2 the first id, $3 the id before which escrows end, $4 how many. */
export const newestEscrows = (status: EscrowStatus | null) => `
  select listed.id from unnest($1::uuid[]) g (agent) cross join lateral (
    select e.id from escrows e
    where e.agent_id = g.agent and ${ofStatus(status)} and e.id >= $2 and e.id < $3 order by e.id desc limit $4
  ) listed order by listed.id desc limit $4`

/** Every $5th of them. */
export const escrowPlaces = (status: EscrowStatus | null) => `
  select id from (
    select id, row_number() over (order by id desc) as place from (${newestEscrows(status)}) newest
  ) numbered where place % $5::int8 = 0 order by place`

export const countOfStatus = (status: EscrowStatus | null) => `
  select count(*)::int4 as total from escrows e where e.agent_id = any($1::uuid[]) and ${ofStatus(status)}`

const AGENTS_AT_ONCE = 1_000

interface Part {
  readonly agents: string
  readonly before: Uuid
}

function inParts({ agentIds }: EscrowFilter, before: Uuid): Part[] {
  return slicesOf(agentIds, AGENTS_AT_ONCE).map(agents => ({ agents: arrayLiteral(agents), before }))
}

/** A page of escrows whose MACs are valid, newest first. */
export async function selectEscrows(
  db: Queryable,
  vault: Vault,
  filter: EscrowFilter,
  page: PageRequest,
): Promise<Escrow[]> {
  const ids = await selectEscrowIds(db, filter, page)
  if (ids.length === 0) return []
  const rows = await db.query<Selected<Escrow>>(
    `select ${escrows.selected} from ${escrows.from} where r.id = any($1::uuid[]) order by r.id desc`,
    [arrayLiteral(ids)],
  )
  return rows.map(row => escrows.proven(vault, row))
}

export async function selectEscrowIds(
  db: Queryable,
  filter: EscrowFilter,
  { before, offset, fetch }: PageRequest,
): Promise<readonly Uuid[]> {
  const { status } = filter
  const select = async (sql: string, part: Part, from: Uuid | null, further: number[]) => {
    const values = [part.agents, from ?? FIRST_UUID, part.before, ...further]
    return (await db.query<{ id: Uuid }>(sql, values)).map(({ id }) => id)
  }
  const first = before ?? LAST_UUID
  const last =
    offset === 0
      ? first
      : await lastSkippedInParts(inParts(filter, first), offset, {
          select: (part, most, step, from) => select(escrowPlaces(status), part, from, [most, step]),
          behind: (part, id) => ({ ...part, before: id }),
        })
  if (last === null) return []
  return newestInParts(inParts(filter, last), { fetch, idOf: (id: Uuid) => id }, (part, from) =>
    select(newestEscrows(status), part, from, [fetch]),
  )
}

export async function countEscrows(db: Queryable, filter: EscrowFilter): Promise<number> {
  let total = 0
  for (const { agents } of inParts(filter, LAST_UUID)) {
    const [row] = await db.query<{ total: number }>(countOfStatus(filter.status), [agents])
    total += row?.total ?? 0
  }
  return total
}
