import { type AgentStatus, eachControl, type PolicyControl } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import {
  POLICY_COLUMNS,
  policyOf,
  type SpendPolicy,
  selectControls,
  selectTierLimits,
  type TierLimits,
} from '../controls.ts'
import { type PendingJson, pendingFromJson, pendingOf } from '../pending-store.ts'
import type { PolicySources } from './rules.ts'

type OwnerPolicy = { [Control in PolicyControl as `o_${Control}`]: SpendPolicy[Control] }

interface Row extends SpendPolicy, OwnerPolicy, TierLimits {
  id: Uuid
  status: AgentStatus
  budget_limit_paise: Paise | null
  pending_budget_paise: Paise | null
  pending_budget_effective_at: Date | null
  pending: PendingJson[]
  has_owner_policy: boolean
  owner_pending: PendingJson[]
}

// Lateral with a limit, so that no plan reads the policies of all owners.
const SELECT = `
  select a.id, a.status, a.budget_limit_paise, a.pending_budget_paise, a.pending_budget_effective_at,
    ${selectControls('a')}, ${pendingOf('a.id')} as pending,
    o.owner_id is not null as has_owner_policy, ${selectControls('o', 'o_')},
    ${pendingOf('a.owner_id')} as owner_pending, t.*
  from agents a
  cross join lateral (
    select ${selectTierLimits('d')} from tier_defaults d where d.tier = a.tier limit 1) t
  left join lateral (
    select p.owner_id, ${POLICY_COLUMNS.join(', ')} from owner_policies p where p.owner_id = a.owner_id limit 1) o
    on true
  where a.id = any($1::uuid[])`

/** The state of an agent, and where its limits come from. */
export interface PolicyOrigin {
  readonly status: AgentStatus
  readonly sources: PolicySources
}

/** Those of these agents, by their ids. The rows are read as they are: nothing is decided by them. */
export async function selectPolicySources(
  db: Queryable,
  agentIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, PolicyOrigin>> {
  const rows = await db.query<Row>(SELECT, [arrayLiteral(agentIds)])
  return new Map(rows.map(row => [row.id, { status: row.status, sources: sourcesOf(row) }]))
}

function sourcesOf(row: Row): PolicySources {
  const ownerPolicy = eachControl<SpendPolicy>(control => row[`o_${control}`])
  return {
    tier: row,
    owner: row.has_owner_policy ? { policy: ownerPolicy, pending: pendingFromJson(row.owner_pending) } : null,
    budget: {
      limitPaise: row.budget_limit_paise,
      pending:
        row.pending_budget_effective_at === null
          ? null
          : { limitPaise: row.pending_budget_paise, effectiveAt: row.pending_budget_effective_at },
    },
    agent: { policy: policyOf(row), pending: pendingFromJson(row.pending) },
  }
}
