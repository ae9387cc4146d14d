import type { ApprovalStatus } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { lastSkippedInParts, newestInParts } from '../../../http/list-in-parts.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { FIRST_UUID, LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import { slicesOf } from '../../../kernel/slices.ts'

/** Which approvals a list shows: of these agents, with this status at this moment. */
export interface ApprovalFilter {
  readonly agentIds: readonly Uuid[]
  readonly status: ApprovalStatus
  readonly now: Date
}

/** The condition of each status at the moment $2: one past its expiry has expired, whether the job has run or not. */
const OF_STATUS: { readonly [Status in ApprovalStatus]: string } = {
  pending_approval: `a.status = 'pending_approval' and a.expires_at > $2`,
  approved: `a.status = 'approved'`,
  rejected: `a.status = 'rejected'`,
  expired: `(a.status = 'expired' or a.status = 'pending_approval' and a.expires_at <= $2)`,
}

/** $1 agents, $3 the first id, $4 the id before which approvals end, $5 how many: an index range of each agent. */
export const newestIds = (status: ApprovalStatus) => `
  select listed.id from unnest($1::uuid[]) g (agent) cross join lateral (
    select a.id from approvals a
    where a.agent_id = g.agent and $2::timestamptz is not null and ${OF_STATUS[status]} and a.id >= $3 and a.id < $4
    order by a.id desc limit $5
  ) listed order by listed.id desc limit $5`

/** Every $6th of them. */
export const places = (status: ApprovalStatus) => `
  select id from (
    select id, row_number() over (order by id desc) as place from (${newestIds(status)}) newest
  ) numbered where place % $6::int8 = 0 order by place`

const AGENTS_AT_ONCE = 1_000

interface Part {
  readonly agents: string
  readonly before: Uuid
}

function inParts({ agentIds }: ApprovalFilter, before: Uuid): Part[] {
  return slicesOf(agentIds, AGENTS_AT_ONCE).map(agents => ({ agents: arrayLiteral(agents), before }))
}

/** The ids of a page of approvals, newest first. */
export async function selectApprovalIds(
  db: Queryable,
  filter: ApprovalFilter,
  { before, offset, fetch }: PageRequest,
): Promise<Uuid[]> {
  const { status, now } = filter
  const select = async (sql: string, { agents, before }: Part, from: Uuid | null, further: number[]) => {
    const rows = await db.query<{ id: Uuid }>(sql, [agents, now, from ?? FIRST_UUID, before, ...further])
    return rows.map(({ id }) => id)
  }
  const first = before ?? LAST_UUID
  const last =
    offset === 0
      ? first
      : await lastSkippedInParts(inParts(filter, first), offset, {
          select: (part, most, step, from) => select(places(status), part, from, [most, step]),
          behind: (part, id) => ({ ...part, before: id }),
        })
  if (last === null) return []
  const ids = await newestInParts(inParts(filter, last), { fetch, idOf: (id: Uuid) => id }, (part, from) =>
    select(newestIds(status), part, from, [fetch]),
  )
  return [...ids]
}

export async function countApprovals(db: Queryable, filter: ApprovalFilter): Promise<number> {
  const { status, now } = filter
  let total = 0
  for (const { agents } of inParts(filter, LAST_UUID)) {
    const [row] = await db.query<{ total: number }>(
      `select count(*)::int4 as total from approvals a
       where a.agent_id = any($1::uuid[]) and $2::timestamptz is not null and ${OF_STATUS[status]}`,
      [agents, now],
    )
    total += row?.total ?? 0
  }
  return total
}
