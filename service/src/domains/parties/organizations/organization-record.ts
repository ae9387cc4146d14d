import {
  MAX_AGENTS,
  type Member as MemberRecord,
  type Organization as OrganizationRecord,
} from '@batua/contract'
import { formatId } from '../../../kernel/ids.ts'
import { type Paise, rupees } from '../../../kernel/money.ts'
import type { PendingBudget } from './budget.ts'
import type { Member } from './member-store.ts'
import type { Organization } from './store.ts'

export function organizationRecord(organization: Organization): OrganizationRecord {
  const { id, name, ownerId, tier, isFrozen, treasuryId, createdAt } = organization
  return {
    id: formatId('org', id),
    name,
    owner_id: formatId('own', ownerId),
    tier,
    max_agents: MAX_AGENTS[tier],
    status: isFrozen ? 'frozen' : 'active',
    treasury_agent_id: treasuryId === null ? null : formatId('agt', treasuryId),
    created_at: createdAt.toISOString(),
  }
}

/** The fields that all responses about a member share. */
export function memberFields({ agentId, agentName, role, budgetPaise, pendingBudget }: Member) {
  return {
    agent_id: formatId('agt', agentId),
    agent_name: agentName,
    role,
    budget_limit: rupeesOrNull(budgetPaise),
    pending_budget: pendingBudget === null ? null : pendingBudgetRecord(pendingBudget),
  }
}

export function pendingBudgetRecord({ budgetPaise, effectiveAt }: PendingBudget) {
  return { value: rupeesOrNull(budgetPaise), effective_at: effectiveAt.toISOString() }
}

export function rupeesOrNull(amountPaise: Paise | null): number | null {
  return amountPaise === null ? null : rupees(amountPaise)
}

export function memberRecord(member: Member): MemberRecord {
  return {
    org_id: formatId('org', member.orgId),
    ...memberFields(member),
    joined_at: member.joinedAt.toISOString(),
  }
}
