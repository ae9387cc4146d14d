import { formatId, type Uuid } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import type { Act, Actor, Facts } from '../audit/index.ts'
import type { Member } from '../memberships/index.ts'
import type { Organization } from './store.ts'

export function createdAct(actor: Actor, { id, ownerId, name, tier }: Organization): Act {
  const data = { owner_id: formatId('own', ownerId), name, tier }
  return { agentId: null, actor, action: 'org.created', target: formatId('org', id), data }
}

/** What happened to one agent's membership. */
export function memberAct(
  actor: Actor,
  action: Extract<Act['action'], `org.${string}`>,
  { orgId, agentId }: { readonly orgId: Uuid; readonly agentId: Uuid },
  data: Facts,
): Act {
  return { agentId, actor, action, target: formatId('org', orgId), data }
}

export function termsOf({ role, budgetPaise }: Pick<Member, 'role' | 'budgetPaise'>): Facts {
  return { role, budget_limit: budgetPaise === null ? null : rupees(budgetPaise) }
}

/** The change of a member, null when nothing is changed. */
export function changedAct(actor: Actor, before: Member, after: Member): Act | null {
  if (before.role === after.role && before.budgetPaise === after.budgetPaise) return null
  return memberAct(actor, 'org.member_changed', after, { from: termsOf(before), to: termsOf(after) })
}
