import { isDeepStrictEqual } from 'node:util'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Act, Actor, Facts } from '../../../operations/act.ts'
import { LIMIT_INCREASES } from '../../limits/index.ts'
import type { BudgetState } from './budget.ts'
import type { Member } from './member-store.ts'
import { pendingBudgetRecord, rupeesOrNull } from './organization-record.ts'
import type { Organization } from './store.ts'

export function createdAct(actor: Actor, { id, ownerId, name, tier }: Organization): Act {
  const data = { owner_id: formatId('own', ownerId), name, tier }
  return { agentId: null, actor, action: 'org.created', target: formatId('org', id), data }
}

/** An audit event of one agent's membership. */
export function memberAct(
  actor: Actor,
  action: Extract<Act['action'], `org.${string}`>,
  { orgId, agentId }: { readonly orgId: Uuid; readonly agentId: Uuid },
  data: Facts,
): Act {
  return { agentId, actor, action, target: formatId('org', orgId), data }
}

export function termsOf({
  role,
  budgetPaise,
  pendingBudget,
}: Pick<Member, 'role' | keyof BudgetState>): Facts {
  return {
    role,
    budget_limit: rupeesOrNull(budgetPaise),
    ...(pendingBudget !== null && { pending_budget: pendingBudgetRecord(pendingBudget) }),
  }
}

/** The audit event of a raised budget that takes effect, whether or not the agent is still a member. */
export function budgetAppliedAct(
  agentId: Uuid,
  orgId: Uuid | null,
  before: BudgetState,
  after: BudgetState,
): Act {
  return {
    agentId,
    actor: LIMIT_INCREASES,
    action: 'org.budget_change_applied',
    target: orgId === null ? formatId('agt', agentId) : formatId('org', orgId),
    data: { from: rupeesOrNull(before.budgetPaise), to: rupeesOrNull(after.budgetPaise) },
  }
}

/** The audit event of a changed member; null if nothing changed. */
export function changedAct(actor: Actor, before: Member, after: Member): Act | null {
  const [from, to] = [termsOf(before), termsOf(after)]
  return isDeepStrictEqual(from, to) ? null : memberAct(actor, 'org.member_changed', after, { from, to })
}
