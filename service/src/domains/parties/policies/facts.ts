import { type AuditAction, eachTierLimit, TIER_LIMITS, type TierLimit } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { Actor, Fact, FactData } from '../../../operations/facts.ts'
import { LIMIT_INCREASES, type PolicyState, policyFacts, type TierLimits } from '../../limits/index.ts'

/** The audit events of a policy change: first the due changes that took effect, then the caller's change. */
export function ownerPolicyFacts(
  { actor, action }: Pick<Fact, 'actor' | 'action'>,
  ownerId: Uuid,
  { before, applied, after }: Record<'before' | 'applied' | 'after', PolicyState>,
): Fact[] {
  const facts = [
    { actor: LIMIT_INCREASES, action: 'owner.policy_change_applied', data: policyFacts(before, applied) },
    { actor, action, data: policyFacts(applied, after) },
  ] satisfies { actor: Actor; action: AuditAction; data: FactData | null }[]
  return facts.flatMap(({ data, ...fact }) =>
    data === null ? [] : [{ ...fact, agentId: null, target: formatId('own', ownerId), data }],
  )
}

/** The audit event of a changed tier; null if nothing changed. */
export function tierChangedFact(actor: Actor, before: TierLimits, after: TierLimits): Fact | null {
  const [was, is] = [amountsOf(before), amountsOf(after)]
  const changed = TIER_LIMITS.filter(({ name }) => was[name] !== is[name])
  if (changed.length === 0) return null
  const data = Object.fromEntries(changed.map(({ name }) => [name, { from: was[name], to: is[name] }]))
  return { agentId: null, actor, action: 'tier.changed', target: after.tier, data }
}

/** The limits of a tier in INR. */
export function amountsOf(limits: TierLimits): Record<TierLimit, number> {
  return eachTierLimit((_, name) => rupees(limits[name]))
}
