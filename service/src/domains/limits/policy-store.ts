import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { type KeyedRead, rowOf } from '../../db/gathered.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { slicesOf } from '../../kernel/slices.ts'
import type { PolicyState } from './change-policy.ts'
import { OPEN_POLICY, policyOf, type SpendPolicy, selectControls } from './controls.ts'
import { namedPayees, type PayeeTimeline, type Receivers } from './payee-warnings.ts'
import { type PendingJson, pendingFromJson, pendingOf } from './pending-store.ts'

interface OwnerPolicyRow extends SpendPolicy {
  pending: PendingJson[]
  is_set: boolean
  is_frozen: boolean
}

/** The policy that an owner sets for all own agents, and whether the owner is frozen. */
export interface OwnerPolicyState extends PolicyState {
  readonly isFrozen: boolean
}

const OWNER_POLICIES: KeyedRead<OwnerPolicyRow & { id: Uuid }> = {
  text: `select o.id, ${selectControls('p')}, p.owner_id is not null as is_set, o.status = 'frozen' as is_frozen,
      ${pendingOf('o.id')} as pending
    from owners o left join owner_policies p on p.owner_id = o.id where o.id = any($1::uuid[])`,
  keyOf: ({ id }) => id,
}

/** The policy of an existing owner. An owner who has set no policy limits nothing. */
export async function selectOwnerPolicy(db: Queryable, ownerId: Uuid): Promise<OwnerPolicyState> {
  const row = await rowOf(db, OWNER_POLICIES, ownerId)
  if (row === null) return { policy: OPEN_POLICY, pending: [], isFrozen: false }
  return {
    policy: row.is_set ? policyOf(row) : OPEN_POLICY,
    pending: pendingFromJson(row.pending),
    isFrozen: row.is_frozen,
  }
}

/** Ids for each statement: a list has at most 1,000 entries, but there may be many lists. */
const IDS_AT_ONCE = 2_000

/**
 * The agents that these lists allow and that can be paid: they exist and are not deactivated. A paused, quarantined or
 * frozen agent is one of them.
 */
export async function selectReceivers(db: Queryable, layers: readonly PayeeTimeline[]): Promise<Receivers> {
  const named = namedPayees(layers)
  const receivers = new Set<string>()
  for (const ids of slicesOf(named, IDS_AT_ONCE)) {
    const rows = await db.query<{ id: Uuid }>(
      `select id from agents where id = any($1::uuid[]) and status <> 'deactivated'`,
      [arrayLiteral(ids)],
    )
    for (const { id } of rows) receivers.add(id)
  }
  return receivers
}
