import type { AuthorizationStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Selected } from '../../../operations/entity.ts'
import type { Authorization } from './authorization.ts'
import { authorizations } from './store.ts'

/** Which authorizations a list shows: of this agent's money, with this status. */
export interface AuthorizationFilter {
  readonly agentId: Uuid
  readonly status: AuthorizationStatus | null
}

/** The status is part of the text, so that those that are open have the index of the open ones. */
const ofStatus = (status: AuthorizationStatus | null) => (status === null ? 'true' : `r.status = '${status}'`)

/** A page of authorizations whose MACs are valid, newest first. */
export async function selectAuthorizations(
  db: Queryable,
  vault: Vault,
  { agentId, status }: AuthorizationFilter,
  { before, offset, fetch }: PageRequest,
): Promise<Authorization[]> {
  const rows = await db.query<Selected<Authorization>>(
    `select ${authorizations.selected} from ${authorizations.from}
     where r.agent_id = $1 and r.id < $2 and ${ofStatus(status)} order by r.id desc offset $3 limit $4`,
    [agentId, before ?? LAST_UUID, offset, fetch],
  )
  return rows.map(row => authorizations.proven(vault, row))
}

export async function countAuthorizations(
  db: Queryable,
  { agentId, status }: AuthorizationFilter,
): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select count(*)::int4 as total from authorizations r where r.agent_id = $1 and ${ofStatus(status)}`,
    [agentId],
  )
  return row?.total ?? 0
}
