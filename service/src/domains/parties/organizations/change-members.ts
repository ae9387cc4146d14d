import type { addMember as addMemberRoute, BodyOf, updateMember as updateMemberRoute } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { writeMacs } from '../../../db/row-mac.ts'
import type { OwnerCaller } from '../../../http/caller.ts'
import { AppError, raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, requirePaise } from '../../../kernel/money.ts'
import { type Actor, actorOf, type Fact, recordFacts } from '../../../operations/facts.ts'
import { AGENT_ROWS, recordPolicyVersions } from '../../limits/index.ts'
import { requireAgentAccess } from '../agents/access.ts'
import { requireOrganization } from './access.ts'
import { type BudgetState, changeBudget } from './budget.ts'
import { changeOrganization, cooldownOf, type Locked } from './change-organization.ts'
import type { OrganizationsContext } from './context.ts'
import { decideJoin, decideMemberChange, decideRemoval, type MemberChange, notMember } from './decide.ts'
import { changedFact, memberFact, termsOf } from './facts.ts'
import {
  deleteMember,
  insertMember,
  type Member,
  selectBudget,
  selectOrganizationOf,
  updateBudget,
  updateMember as writeMember,
} from './member-store.ts'
import type { Organization } from './store.ts'

/** The ids of an organization and of a member, from the path of a request. */
export interface MemberRef {
  readonly org_id: string
  readonly agent_id: string
}

export async function addMember(
  context: OrganizationsContext,
  caller: OwnerCaller,
  orgRef: string,
  { agent_id, role, budget_limit }: BodyOf<typeof addMemberRoute>,
): Promise<Member> {
  const { database, clock, vault } = context
  const organization = await requireOrganization(context, caller, orgRef)
  // Access is checked before the locks, so that no caller can delay payments of another party's agent.
  const agent = await requireAgentAccess(database, caller, agent_id)
  requireOneOwner(agent, organization)
  const budgetPaise = budgetOf(budget_limit) ?? null
  return changeOrganization(
    context,
    organization,
    () => [agent.id],
    async (tx, locked) => {
      const proven = await requireAgentAccess(tx, caller, agent_id)
      requireOneOwner(proven, locked.organization)
      const refused = decideJoin({
        ...locked,
        agent: proven,
        presentOrgId: await selectOrganizationOf(tx, agent.id),
        role,
        budgetPaise,
      })
      if (refused !== null) raise(refused)
      const now = clock.now()
      const { id: agentId, name: agentName } = agent
      const budget = await budgetOfJoining(tx, context, locked.organization, agentId, budgetPaise)
      const member = { agentId, agentName, orgId: organization.id, role, ...budget, joinedAt: now }
      await insertMember(tx, member)
      const actor = actorOf(caller, organization.ownerId)
      const versions = await writeMacs(tx, vault, AGENT_ROWS, [agentId])
      const fact = memberFact(actor, 'org.member_added', member, termsOf(member))
      await recordFacts(tx, vault, now, [fact], versions)
      await recordPolicyVersions(tx, [agentId], { vault, now, actor })
      return member
    },
  )
}

/** Checked on the rows as they are read, and again on the proven ones. */
function requireOneOwner(agent: { readonly ownerId: Uuid }, organization: { readonly ownerId: Uuid }): void {
  if (agent.ownerId === organization.ownerId) return
  const message = 'The agent and the organization must belong to one owner, and this agent is another’s'
  throw new AppError('authorization_error', message, { field: 'agent_id' })
}

export async function updateMember(
  context: OrganizationsContext,
  caller: OwnerCaller,
  memberRef: MemberRef,
  { role, budget_limit }: BodyOf<typeof updateMemberRoute>,
): Promise<Member> {
  const budgetPaise = budgetOf(budget_limit)
  const change: MemberChange = {
    ...(role === undefined ? {} : { role }),
    ...(budgetPaise === undefined ? {} : { budgetPaise }),
  }
  return changeMember(
    context,
    caller,
    memberRef,
    async ({ tx, locked, actor, member: before }) => {
      const cooldown = cooldownOf(context, locked.organization)
      const { treasuryId } = locked.organization
      const decided = decideMemberChange(before, change, { treasuryId, cooldown })
      if (decided.kind === 'refusal') raise(decided)
      const { member } = decided
      const fact = changedFact(actor, before, member)
      if (fact === null) return before
      await writeMember(tx, member)
      await recordMember(context, tx, member, fact)
      return member
    },
    'decided',
  )
}

/** An agent that left recently still has its budget, so rejoining with a higher one does not avoid the cooldown. */
async function budgetOfJoining(
  tx: Queryable,
  context: OrganizationsContext,
  organization: Organization,
  agentId: Uuid,
  budgetPaise: Paise | null,
): Promise<BudgetState> {
  const present = await selectBudget(tx, agentId)
  assert(present !== null, 'agents are never deleted')
  const budget = changeBudget(present, budgetPaise, cooldownOf(context, organization))
  return 'kind' in budget ? raise(budget) : budget
}

/** Removes a member. Its budget ends after the cooldown. Returns the member as it was. */
export async function removeMember(
  context: OrganizationsContext,
  caller: OwnerCaller,
  memberRef: MemberRef,
): Promise<Member> {
  return changeMember(context, caller, memberRef, async ({ tx, locked, actor, member }) => {
    const refused = decideRemoval(member)
    if (refused !== null) raise(refused)
    const budget = changeBudget(member, null, cooldownOf(context, locked.organization))
    if ('kind' in budget) raise(budget)
    await deleteMember(tx, member.agentId)
    await updateBudget(tx, member.agentId, budget)
    const fact = memberFact(actor, 'org.member_removed', member, termsOf(member))
    await recordMember(context, tx, member, fact)
    return member
  })
}

/** Records a changed membership. The MAC of the agent's row covers it. */
async function recordMember(
  { vault, clock }: OrganizationsContext,
  tx: Queryable,
  { agentId }: Member,
  fact: Fact,
): Promise<void> {
  const now = clock.now()
  const versions = await writeMacs(tx, vault, AGENT_ROWS, [agentId])
  await recordFacts(tx, vault, now, [fact], versions)
  await recordPolicyVersions(tx, [agentId], { vault, now, actor: fact.actor })
}

/** A member whose organization and account are locked. */
interface LockedMember {
  readonly tx: Queryable
  readonly locked: Locked
  readonly actor: Actor
  readonly member: Member
}

async function changeMember(
  context: OrganizationsContext,
  caller: OwnerCaller,
  memberRef: MemberRef,
  change: (member: LockedMember) => Promise<Member>,
  whileFrozen: 'refused' | 'decided' = 'refused',
): Promise<Member> {
  const organization = await requireOrganization(context, caller, memberRef.org_id)
  const agentId = requireAgentId(memberRef.agent_id)
  return changeOrganization(
    context,
    organization,
    found => [requireMember(found, agentId).agentId],
    async (tx, locked) => {
      const actor = actorOf(caller, organization.ownerId)
      return change({ tx, locked, actor, member: requireMember(locked, agentId) })
    },
    whileFrozen,
  )
}

export function requireMember({ members }: Pick<Locked, 'members'>, agentId: Uuid): Member {
  return members.find(member => member.agentId === agentId) ?? raise(notMember())
}

/** An invalid agent id names no member. */
export function requireAgentId(agentRef: string): Uuid {
  return parseId('agt', agentRef) ?? raise(notMember())
}

/** undefined: the request does not set the budget. */
function budgetOf(limit: number | null | undefined): Paise | null | undefined {
  return limit === null || limit === undefined ? limit : requirePaise(limit, 'budget_limit')
}
