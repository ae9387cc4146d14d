import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import {
  type PendingJson,
  type PolicyState,
  pendingFromJson,
  pendingOf,
  policyOf,
  type SpendPolicy,
  selectControls,
} from '../../limits/index.ts'

interface ListsRow extends SpendPolicy {
  id: Uuid
  pending: PendingJson[]
}

/** Selects the next page of agents with payee lists of their own, by id. */
export interface ListsPage {
  readonly after: Uuid | null
  /** An agent that is read even without lists of its own. */
  readonly sole: Uuid | null
  readonly limit: number
}

/** Agents of an owner that have payee lists of their own, with their policies. */
export async function selectAgentsWithLists(
  db: Queryable,
  ownerId: Uuid,
  { after, sole, limit }: ListsPage,
): Promise<(PolicyState & { readonly id: Uuid })[]> {
  const rows = await db.query<ListsRow>(
    `select a.id, ${selectControls('a')}, ${pendingOf('a.id')} as pending from agents a
     where a.owner_id = $1 and a.status <> 'deactivated' and ($2::uuid is null or a.id > $2)
       and (a.allowed_payees <> '{network}' or a.blocked_payee_agents <> '{}' or a.id = $3)
     order by a.id limit $4`,
    [ownerId, after, sole, limit],
  )
  return rows.map(row => ({ id: row.id, policy: policyOf(row), pending: pendingFromJson(row.pending) }))
}
