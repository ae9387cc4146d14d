import { writeMacs } from '../../../db/row-mac.ts'
import type { OwnerCaller } from '../../../http/caller.ts'
import { raise } from '../../../kernel/app-error.ts'
import { formatId } from '../../../kernel/ids.ts'
import { actorOf, recordFacts } from '../../../operations/facts.ts'
import { AGENT_ROWS, recordPolicyVersions } from '../../limits/index.ts'
import { requireOrganization } from './access.ts'
import { changeBudget } from './budget.ts'
import { requireAgentId, requireMember } from './change-members.ts'
import { changeOrganization, cooldownOf } from './change-organization.ts'
import type { OrganizationsContext } from './context.ts'
import { changedFact, memberFact, termsOf } from './facts.ts'
import { updateMember } from './member-store.ts'
import type { Organization } from './store.ts'

/**
 * Makes a member the treasury, and the previous treasury a worker. The member's budget ends after the cooldown. A
 * repeated call changes nothing.
 */
export async function nameTreasury(
  context: OrganizationsContext,
  caller: OwnerCaller,
  orgRef: string,
  agent: string,
): Promise<Organization> {
  const { clock, vault } = context
  const organization = await requireOrganization(context, caller, orgRef)
  const agentId = requireAgentId(agent)
  return changeOrganization(
    context,
    organization,
    found => {
      const { treasuryId } = found.organization
      return [requireMember(found, agentId).agentId, ...(treasuryId === null ? [] : [treasuryId])]
    },
    async (tx, locked) => {
      const chosen = requireMember(locked, agentId)
      if (chosen.role === 'treasury') return locked.organization
      const budget = changeBudget(chosen, null, cooldownOf(context, locked.organization))
      if ('kind' in budget) raise(budget)
      const named = { ...chosen, ...budget, role: 'treasury' } as const
      const before = locked.members.find(({ role }) => role === 'treasury') ?? null
      const actor = actorOf(caller, organization.ownerId)
      const previous = before === null ? null : formatId('agt', before.agentId)
      const facts = [
        memberFact(actor, 'org.treasury_named', named, {
          from: termsOf(chosen),
          to: termsOf(named),
          previous_treasury: previous,
        }),
      ]
      if (before !== null) {
        const dismissed = { ...before, role: 'worker' } as const
        // Written first, because a unique index allows one treasury at a time.
        await updateMember(tx, dismissed)
        const fact = changedFact(actor, before, dismissed)
        if (fact !== null) facts.push(fact)
      }
      await updateMember(tx, named)
      const changed = [named.agentId, ...(before === null ? [] : [before.agentId])]
      const now = clock.now()
      const versions = await writeMacs(tx, vault, AGENT_ROWS, changed)
      await recordFacts(tx, vault, now, facts, versions)
      await recordPolicyVersions(tx, changed, { vault, now, actor })
      return { ...locked.organization, treasuryId: agentId }
    },
  )
}
