import type { AuditAction } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { Act, Actor, Facts } from '../../../operations/act.ts'
import { LIMIT_INCREASES, type PolicyState, policyFacts } from '../../limits/index.ts'
import type { TierLimits } from './tier-store.ts'

/** The audit events of a policy change: first the due changes that took effect, then the caller's change. */
export function ownerPolicyActs(
  { actor, action }: Pick<Act, 'actor' | 'action'>,
  ownerId: Uuid,
  { before, applied, after }: Record<'before' | 'applied' | 'after', PolicyState>,
): Act[] {
  const acts = [
    { actor: LIMIT_INCREASES, action: 'owner.policy_change_applied', data: policyFacts(before, applied) },
    { actor, action, data: policyFacts(applied, after) },
  ] satisfies { actor: Actor; action: AuditAction; data: Facts | null }[]
  return acts.flatMap(({ data, ...act }) =>
    data === null ? [] : [{ ...act, agentId: null, target: formatId('own', ownerId), data }],
  )
}

/** The audit event of a changed tier; null if nothing changed. */
export function tierChangedAct(actor: Actor, before: TierLimits, after: TierLimits): Act | null {
  const [was, is] = [amountsOf(before), amountsOf(after)]
  const names = Object.keys(is).filter(name => was[name] !== is[name])
  if (names.length === 0) return null
  const data = Object.fromEntries(
    names.map(name => [name, { from: was[name] ?? null, to: is[name] ?? null }]),
  )
  return { agentId: null, actor, action: 'tier.changed', target: after.tier, data }
}

function amountsOf(limits: TierLimits): Record<string, number> {
  return {
    per_tx: rupees(limits.perTxPaise),
    daily: rupees(limits.dailyPaise),
    monthly: rupees(limits.monthlyPaise),
    escrow_above: rupees(limits.escrowAbovePaise),
    approval_above: rupees(limits.approvalAbovePaise),
  }
}
