import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { lockForChange } from '../../ledger/index.ts'
import {
  OPEN_POLICY,
  type PendingJson,
  POLICY_COLUMNS,
  type PolicyColumns,
  type PolicyState,
  pendingFromJson,
  pendingOf,
  policyColumnsOf,
  policyFromColumns,
  policyValues,
  replacePending,
} from '../policies/index.ts'

interface OwnerPolicyRow extends PolicyColumns {
  pending: PendingJson[]
  is_set: boolean
}

/** The policy of an owner who is there; an owner without a policy of their own limits nothing. */
export async function selectOwnerPolicy(db: Queryable, ownerId: Uuid): Promise<PolicyState> {
  const [row] = await db.query<OwnerPolicyRow>(
    `select ${policyColumnsOf('p')}, p.owner_id is not null as is_set, ${pendingOf('o.id')} as pending
     from owners o left join owner_policies p on p.owner_id = o.id where o.id = $1`,
    [ownerId],
  )
  if (row === undefined) return { policy: OPEN_POLICY, pending: [] }
  return { policy: row.is_set ? policyFromColumns(row) : OPEN_POLICY, pending: pendingFromJson(row.pending) }
}

/**
 * The policy, and the locks that a change of it takes: the owner's, so that no agent is created meanwhile, and
 * those of all the owner's accounts, so that the change holds for the next payment of each.
 */
export async function lockOwnerPolicy(tx: Queryable, ownerId: Uuid): Promise<PolicyState> {
  await tx.query(`select id from owners where id = $1 for no key update`, [ownerId])
  const agents = await tx.query<{ id: Uuid }>(`select id from agents where owner_id = $1`, [ownerId])
  await lockForChange(
    tx,
    agents.map(({ id }) => id),
  )
  return selectOwnerPolicy(tx, ownerId)
}

const UPSERT = `
  insert into owner_policies (owner_id, ${POLICY_COLUMNS.join(', ')})
  values ($1, ${POLICY_COLUMNS.map((_, index) => `$${index + 2}`).join(', ')})
  on conflict (owner_id) do update set ${POLICY_COLUMNS.map(column => `${column} = excluded.${column}`).join(', ')}`

/** Writes the policy. Its locks must be held: see lockOwnerPolicy. */
export async function updateOwnerPolicy(tx: Queryable, ownerId: Uuid, state: PolicyState): Promise<void> {
  await tx.query(UPSERT, [ownerId, ...policyValues(state.policy)])
  await replacePending(tx, { kind: 'owner', id: ownerId }, state.pending)
}
