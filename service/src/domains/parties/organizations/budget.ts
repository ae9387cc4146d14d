import type { Refusal } from '../../../kernel/app-error.ts'
import type { Paise } from '../../../kernel/money.ts'
import { type Cooldown, frozenIncrease } from '../../limits/index.ts'

/** A pending raise of a budget, which waits for the cooldown. */
export interface PendingBudget {
  /** null: the budget ends. */
  readonly budgetPaise: Paise | null
  readonly effectiveAt: Date
}

/** What an agent may spend in an IST calendar month. After a membership ends, the budget stays until its end is due. */
export interface BudgetState {
  /** In force; null: no budget. */
  readonly budgetPaise: Paise | null
  readonly pendingBudget: PendingBudget | null
}

/**
 * The budget after a change. A lower budget takes effect at once. A higher one, or none, waits for the cooldown and is
 * refused while the owner is frozen. Any change replaces a pending one; the budget in force, set again, cancels it.
 */
export function changeBudget(
  state: BudgetState,
  wantedPaise: Paise | null,
  cooldown: Cooldown,
): Refusal | BudgetState {
  const { budgetPaise, pendingBudget } = applyDueBudget(state, cooldown)
  const { now, cooldownMs, isFrozen } = cooldown
  if (!isRaised(budgetPaise, wantedPaise)) return { budgetPaise: wantedPaise, pendingBudget: null }
  if (isFrozen) return frozenIncrease()
  if (cooldownMs === 0) return { budgetPaise: wantedPaise, pendingBudget: null }
  // A repeated request, perhaps after a lost response, keeps the moment of the first.
  if (pendingBudget !== null && pendingBudget.budgetPaise === wantedPaise)
    return { budgetPaise, pendingBudget }
  const effectiveAt = new Date(now.getTime() + cooldownMs)
  return { budgetPaise, pendingBudget: { budgetPaise: wantedPaise, effectiveAt } }
}

/** The budget once a due change has taken effect. While the owner is frozen, none does. */
export function applyDueBudget(
  state: BudgetState,
  { now, isFrozen }: Pick<Cooldown, 'now' | 'isFrozen'>,
): BudgetState {
  const { pendingBudget } = state
  if (isFrozen || pendingBudget === null || pendingBudget.effectiveAt > now) return state
  return { budgetPaise: pendingBudget.budgetPaise, pendingBudget: null }
}

function isRaised(from: Paise | null, to: Paise | null): boolean {
  return from !== null && (to === null || to > from)
}
