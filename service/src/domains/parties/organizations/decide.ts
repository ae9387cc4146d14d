import { type AgentStatus, MAX_AGENTS, type MemberRole } from '@batua/contract'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { Cooldown } from '../../limits/index.ts'
import { changeBudget } from './budget.ts'
import type { Member } from './member-store.ts'
import type { Organization } from './store.ts'

/** Refuses every change while the owner is frozen. */
export function decideNotFrozen({ isFrozen }: { readonly isFrozen: boolean }): Refusal | null {
  if (!isFrozen) return null
  const message =
    'The owner is frozen, and its organizations with it; an administrator has to unfreeze the owner first'
  return refuse('conflict', message)
}

/** The facts for a new member, read under the locks of the organization and of the agent's account. */
export interface JoinFacts {
  readonly organization: Organization
  readonly members: readonly Member[]
  readonly agent: { readonly id: Uuid; readonly status: AgentStatus }
  /** The agent's present organization; null: none. */
  readonly presentOrgId: Uuid | null
  readonly role: MemberRole
  /** The requested budget; null: none. */
  readonly budgetPaise: Paise | null
}

/** Refuses an agent that cannot become a member in this role. */
export function decideJoin(facts: JoinFacts): Refusal | null {
  const { organization, members, agent, presentOrgId } = facts
  const misplaced = decideBudget(facts.role, facts.budgetPaise)
  if (misplaced !== null) return misplaced
  if (agent.status === 'deactivated') {
    return refuse('conflict', 'Agent is deactivated, which is final; add another agent', {
      field: 'agent_id',
    })
  }
  if (presentOrgId !== null) return elsewhere(organization, presentOrgId)
  const most = MAX_AGENTS[organization.tier]
  if (members.length >= most) {
    return refuse('conflict', `The organization is full: it may have ${most} agents. Remove one first`, {
      details: { max_agents: most },
    })
  }
  return facts.role === 'treasury' ? decideNoTreasury(organization.treasuryId) : null
}

function elsewhere(organization: Organization, presentOrgId: Uuid): Refusal {
  const message =
    presentOrgId === organization.id
      ? 'This agent is a member already; change its role or budget with PATCH'
      : 'An agent is in one organization at a time, and this one is in another; remove it there first'
  return refuse('conflict', message, {
    field: 'agent_id',
    details: { org_id: formatId('org', presentOrgId) },
  })
}

function decideBudget(role: MemberRole, budgetPaise: Paise | null): Refusal | null {
  if (role !== 'treasury' || budgetPaise === null) return null
  return refuse('validation_error', 'The treasury has no budget; leave budget_limit out or send null', {
    field: 'budget_limit',
  })
}

function decideNoTreasury(treasuryId: Uuid | null): Refusal | null {
  if (treasuryId === null) return null
  return refuse(
    'conflict',
    'The organization has a treasury already; name another one with POST …/treasury',
    {
      field: 'role',
      details: { treasury_agent_id: formatId('agt', treasuryId) },
    },
  )
}

/** The requested change of a member; an absent field is unchanged. */
export interface MemberChange {
  readonly role?: MemberRole
  readonly budgetPaise?: Paise | null
}

/**
 * The member after a change. The budget of a member that becomes the treasury ends after the cooldown, as that loosens
 * it. While the owner is frozen, roles cannot change and budgets can only be lowered.
 */
export function decideMemberChange(
  member: Member,
  { role = member.role, budgetPaise }: MemberChange,
  { treasuryId, cooldown }: { readonly treasuryId: Uuid | null; readonly cooldown: Cooldown },
): Refusal | { readonly kind: 'member'; readonly member: Member } {
  const refused =
    (role === member.role ? null : decideNotFrozen(cooldown)) ??
    decideBudget(role, budgetPaise ?? null) ??
    decideRoleChange(member.role, role, treasuryId)
  if (refused !== null) return refused
  const becomesTreasury = role === 'treasury' && member.role !== 'treasury'
  const wanted = becomesTreasury ? null : budgetPaise
  if (wanted === undefined) return { kind: 'member', member: { ...member, role } }
  const budget = changeBudget(member, wanted, cooldown)
  return 'kind' in budget ? budget : { kind: 'member', member: { ...member, role, ...budget } }
}

function decideRoleChange(from: MemberRole, to: MemberRole, treasuryId: Uuid | null): Refusal | null {
  if (from === to) return null
  if (from === 'treasury') return onlyTreasury()
  return to === 'treasury' ? decideNoTreasury(treasuryId) : null
}

/** Refuses the removal of the treasury. */
export function decideRemoval({ role }: Member): Refusal | null {
  return role === 'treasury' ? onlyTreasury() : null
}

function onlyTreasury(): Refusal {
  return refuse('conflict', 'This agent is the treasury; name another one with POST …/treasury first', {
    field: 'agent_id',
  })
}

export function notMember(): Refusal {
  const message =
    'This agent is no member of the organization; GET …/budget lists the members, and POST …/agents adds one'
  return refuse('not_found', message, { field: 'agent_id' })
}
