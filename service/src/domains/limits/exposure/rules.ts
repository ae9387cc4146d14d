import type { Paise } from '../../../kernel/money.ts'
import { applyDue, type PolicyState } from '../change-policy.ts'
import { OPEN_POLICY, policyOfTier, type TierLimits } from '../controls.ts'
import { type Ceiling, ceilingOf, type Layer, layerOf } from '../layers.ts'

/** The layers that hold from a moment on, until those that follow. */
export interface Rules {
  readonly fromMs: number
  readonly layers: readonly Layer[]
  readonly ceiling: Ceiling
}

/** A budget of an organization; null: none. A pending one replaces it at its moment. */
export interface BudgetState {
  readonly limitPaise: Paise | null
  readonly pending: { readonly limitPaise: Paise | null; readonly effectiveAt: Date } | null
}

/** Where the layers of an agent come from, with the changes that wait for the cooldown. */
export interface PolicySources {
  readonly tier: TierLimits
  /** null: the owner has set no policy. */
  readonly owner: PolicyState | null
  readonly budget: BudgetState
  readonly agent: PolicyState
}

/**
 * The rules from now until a moment, in their order, as the pending changes that fall due meanwhile make them. A change
 * that is due already takes effect now.
 */
export function rulesOver(sources: PolicySources, now: Date, untilMs: number): Rules[] {
  const { owner, budget, agent } = sources
  const moments = [...(owner?.pending ?? []), ...agent.pending, ...(budget.pending ? [budget.pending] : [])]
    .map(({ effectiveAt }) => effectiveAt.getTime())
    .filter(ms => ms > now.getTime() && ms < untilMs)
  const distinct = [...new Set([now.getTime(), ...moments])].toSorted((left, right) => left - right)
  return distinct.map(fromMs => {
    const layers = layersAt(sources, new Date(fromMs))
    return { fromMs, layers, ceiling: ceilingOf(layers) }
  })
}

function layersAt({ tier, owner, budget, agent }: PolicySources, at: Date): Layer[] {
  const due = { now: at, isFrozen: false }
  const layers = [layerOf('tier', policyOfTier(tier))]
  if (owner !== null) layers.push(layerOf('owner', applyDue(owner, due).policy))
  const { limitPaise } = budget.pending !== null && budget.pending.effectiveAt <= at ? budget.pending : budget
  if (limitPaise !== null) layers.push(layerOf('org', { ...OPEN_POLICY, spend_limit_monthly: limitPaise }))
  layers.push(layerOf('agent', applyDue(agent, due).policy))
  return layers
}
