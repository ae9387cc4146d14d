import { isDeepStrictEqual } from 'node:util'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Actor, Fact, FactData } from '../../../operations/facts.ts'
import { LIMIT_INCREASES } from '../../limits/index.ts'
import type { BudgetState } from './budget.ts'
import type { Member } from './member-store.ts'
import { pendingBudgetRecord, rupeesOrNull } from './organization-record.ts'
import type { Organization } from './store.ts'

export function createdFact(actor: Actor, { id, ownerId, name, tier }: Organization): Fact {
  const data = { owner_id: formatId('own', ownerId), name, tier }
  return { agentId: null, actor, action: 'org.created', target: formatId('org', id), data }
}

/** An audit event of one agent's membership. */
export function memberFact(
  actor: Actor,
  action: Extract<Fact['action'], `org.${string}`>,
  { orgId, agentId }: { readonly orgId: Uuid; readonly agentId: Uuid },
  data: FactData,
): Fact {
  return { agentId, actor, action, target: formatId('org', orgId), data }
}

export function termsOf({
  role,
  budgetPaise,
  pendingBudget,
}: Pick<Member, 'role' | keyof BudgetState>): FactData {
  return {
    role,
    budget_limit: rupeesOrNull(budgetPaise),
    ...(pendingBudget !== null && { pending_budget: pendingBudgetRecord(pendingBudget) }),
  }
}

/** The audit event of a raised budget that takes effect, whether or not the agent is still a member. */
export function budgetAppliedFact(
  agentId: Uuid,
  orgId: Uuid | null,
  before: BudgetState,
  after: BudgetState,
): Fact {
  return {
    agentId,
    actor: LIMIT_INCREASES,
    action: 'org.budget_change_applied',
    target: orgId === null ? formatId('agt', agentId) : formatId('org', orgId),
    data: { from: rupeesOrNull(before.budgetPaise), to: rupeesOrNull(after.budgetPaise) },
  }
}

/** The audit event of a changed member; null if nothing changed. */
export function changedFact(actor: Actor, before: Member, after: Member): Fact | null {
  const [from, to] = [termsOf(before), termsOf(after)]
  return isDeepStrictEqual(from, to) ? null : memberFact(actor, 'org.member_changed', after, { from, to })
}
