import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { PolicyState } from './change-policy.ts'
import { type PendingJson, pendingFromJson, pendingOf } from './pending-store.ts'
import { type PolicyColumns, policyColumnsOf, policyFromColumns } from './policy-columns.ts'
import { OPEN_POLICY } from './spend-policy.ts'

interface OwnerPolicyRow extends PolicyColumns {
  pending: PendingJson[]
  is_set: boolean
  is_frozen: boolean
}

/** What an owner sets for the own agents, and whether the owner is frozen. */
export interface OwnerPolicyState extends PolicyState {
  readonly isFrozen: boolean
}

/** The policy of an owner who is there; an owner without a policy of their own limits nothing. */
export async function selectOwnerPolicy(db: Queryable, ownerId: Uuid): Promise<OwnerPolicyState> {
  const [row] = await db.query<OwnerPolicyRow>(
    `select ${policyColumnsOf('p')}, p.owner_id is not null as is_set, o.status = 'frozen' as is_frozen,
       ${pendingOf('o.id')} as pending
     from owners o left join owner_policies p on p.owner_id = o.id where o.id = $1`,
    [ownerId],
  )
  if (row === undefined) return { policy: OPEN_POLICY, pending: [], isFrozen: false }
  return {
    policy: row.is_set ? policyFromColumns(row) : OPEN_POLICY,
    pending: pendingFromJson(row.pending),
    isFrozen: row.is_frozen,
  }
}
