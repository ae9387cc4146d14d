import { type Paise, paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { type Bound, boundOf } from './bound.ts'
import type { AllowanceLeft, KnownPayee } from './payees.ts'
import { moveTo, nextMs, openPayer, payAll } from './payer.ts'
import type { Rules } from './rules.ts'
import type { SpentBefore } from './spent.ts'

/** What decides how much an agent can pay from a moment on. */
export interface PayerFacts {
  readonly nowMs: number
  /** Only an active agent pays. */
  readonly isActive: boolean
  readonly balancePaise: Paise
  /** The rules now, and those that pending changes make later. */
  readonly rules: readonly Rules[]
  readonly spent: SpentBefore
  /** The payees that lists or allowances name, and those whose limits are partly used. */
  readonly payees: readonly KnownPayee[]
  readonly allowances: readonly AllowanceLeft[]
  readonly feeOf: (amount: Paise) => Paise
}

/** The most that can be paid until a moment, and what keeps the payer from paying more then. */
export interface Most {
  readonly amountPaise: Paise
  readonly bound: Bound
}

/** Steps between two pauses, so that other work gets its turn. */
const STEPS_BETWEEN_PAUSES = 5_000

/** After so many steps the payments in the windows are counted in pairs, and after as many again in pairs of pairs. */
const STEPS_BEFORE_COARSER = 60_000

/**
 * The most that payments can take out within each of these times, shortest first, by a payer that always pays the
 * largest amount allowed at once. Decision 56 defines it. Equal payments at one moment are one step, and moments at
 * which nothing can be paid are passed over. It yields now and then, so that a caller may let other work run.
 */
export function* payMost(facts: PayerFacts, lengthsMs: readonly number[]): Generator<void, Most[]> {
  if (!facts.isActive) {
    return lengthsMs.map(() => ({ amountPaise: ZERO_PAISE, bound: { rule: 'status', layer: null } }))
  }
  const payer = openPayer(facts)
  const found: Most[] = []
  let next = facts.nowMs
  let pauseAt = STEPS_BETWEEN_PAUSES
  let coarserAt = STEPS_BEFORE_COARSER
  for (const lengthMs of lengthsMs) {
    const endMs = facts.nowMs + lengthMs
    while (next < endMs) {
      moveTo(payer, next)
      payAll(payer)
      next = nextMs(payer)
      if (payer.steps > pauseAt) {
        yield
        pauseAt = payer.steps + STEPS_BETWEEN_PAUSES
      }
      if (payer.steps > coarserAt) {
        payer.spent.coarsen()
        coarserAt = payer.steps + STEPS_BEFORE_COARSER
      }
    }
    moveTo(payer, endMs - 1)
    found.push({ amountPaise: paise(payer.paid), bound: boundOf(payer) })
  }
  return found
}
