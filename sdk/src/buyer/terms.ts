import { type Paise, paiseFromRupees, type Rupees } from '../protocol/amount.ts'
import type { BudgetLimit } from './journal.ts'
import type { Budget, PayingFetchOptions } from './options.ts'

/** What a buyer agrees to: its options, read once. */
export interface Terms {
  readonly maxPaise: Paise
  readonly budgets: readonly BudgetTerm[]
  /** By `payeeName`; null: whoever asks. */
  readonly payees: ReadonlySet<string> | null
  readonly allowHttp: boolean
  readonly approval: 'wait' | 'return'
  readonly approvalTimeoutMs: number
}

interface BudgetTerm {
  readonly limitPaise: Paise
  readonly windowMs: number
  readonly host: string | null
}

const HOUR_MS = 3_600_000
const WINDOW_MS = { hour: HOUR_MS, day: 24 * HOUR_MS }
const EACH_HOST = '*'

/** The terms in options; a TypeError or RangeError when they make none. */
export function termsOf(options: PayingFetchOptions): Terms {
  const { approval = 'wait', approvalTimeoutMs = HOUR_MS, payees } = options
  if (approval !== 'wait' && approval !== 'return') throw new TypeError("approval is 'wait' or 'return'")
  if (!(approvalTimeoutMs >= 0)) throw new RangeError('approvalTimeoutMs is not a number of milliseconds')
  return {
    maxPaise: amountIn('maxAmount', options.maxAmount),
    budgets: (options.budgets ?? []).map(budgetTerm),
    payees: payees === undefined ? null : new Set(payees.map(payeeName)),
    allowHttp: options.allowHttp === true,
    approval,
    approvalTimeoutMs,
  }
}

function budgetTerm({ amount, per, host }: Budget): BudgetTerm {
  if (!Object.hasOwn(WINDOW_MS, per)) throw new TypeError("A budget is per 'hour' or 'day'")
  return {
    limitPaise: amountIn('The amount of a budget', amount),
    windowMs: WINDOW_MS[per],
    host: host?.toLowerCase() ?? null,
  }
}

function amountIn(name: string, amount: Rupees | undefined): Paise {
  if (typeof amount !== 'number' && typeof amount !== 'string') throw new TypeError(`${name} is missing`)
  try {
    return paiseFromRupees(amount)
  } catch (cause) {
    throw new RangeError(`${name}: ${String(amount)} is no amount in INR`, { cause })
  }
}

/** The budgets that a purchase from this host must fit into. */
export function limitsFor(budgets: readonly BudgetTerm[], host: string): BudgetLimit[] {
  return budgets
    .filter(budget => budget.host === null || budget.host === EACH_HOST || budget.host === host)
    .map(budget => ({ ...budget, host: budget.host === null ? null : host }))
}

/** A payee's one spelling: handles come in any case, with or without `@`. */
export function payeeName(payee: string): string {
  return payee.trim().replace(/^@/, '').toLowerCase()
}
