import type { LimitLayer, PolicyWindow } from '@batua/contract'
import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay, startOfIstMonth } from '../../kernel/clock.ts'
import { type Paise, paise, rupees, ZERO_PAISE } from '../../kernel/money.ts'
import type { RollingWindow, Spending } from '../../ledger/index.ts'
import type { CounterpartyUse } from './counterparties.ts'
import type { Layer, Limit } from './layers.ts'

/**
 * Which limits are checked; absent: all. A hold without a payee checks those on amounts, its release those on payees.
 */
export type LimitsChecked = 'amounts' | 'payees'

/** Everything that the rules depend on. The same facts give the same decision, for a payment and for a dry run. */
export interface PolicyFacts {
  readonly layers: readonly Layer[]
  readonly amountPaise: Paise
  readonly escrowApplies: boolean
  readonly only?: LimitsChecked | undefined
  readonly spending: Spending
  /** null while no control of the payer limits counterparties. */
  readonly counterparty: CounterpartyUse | null
  /** When a hold without a payee was last released; absent: not recently. */
  readonly lastReleaseMs?: number | undefined
  /** The cap of the app that spends; absent: none does. */
  readonly app?: AppUse | null
  readonly nowMs: number
  /** When this amount has left a rolling window. */
  readonly fitsAgainMs: (window: RollingWindow, amountPaise: bigint) => number
}

/** The limits of an app, and what it alone has spent on this day. */
export interface AppUse {
  readonly limits: readonly Limit[]
  readonly spentPaise: Paise
}

/** A limit of one layer and how much of it is used: in paise, or a number of recipients. */
export interface LimitUsage extends Limit {
  readonly layer: LimitLayer
  /** null: it depends on the payee, and the request names none. */
  readonly used: bigint | null
  /** When the window is empty again if nothing more is spent; null without a window, or if it is empty. */
  readonly resetsAtMs: number | null
}

/** Every limit of every layer, the general layers first and the cap of the app last. */
export function limitUsages(facts: PolicyFacts): LimitUsage[] {
  const usages: LimitUsage[] = []
  const add = (layer: LimitLayer, each: Limit, used: bigint | null) => {
    if (!isChecked(each, facts.only)) return
    const { rule, measures, window, limit } = each
    const resetsAtMs = used === 0n ? null : emptyAt(each, facts)
    usages.push({ rule, measures, window, limit, layer, used, resetsAtMs })
  }
  for (const { layer, limits } of facts.layers) {
    for (const each of limits) add(layer, each, usedOf(each, facts))
  }
  for (const each of facts.app?.limits ?? []) {
    add('app', each, each.window === 'payment' ? 0n : (facts.app?.spentPaise ?? 0n))
  }
  return usages
}

function isChecked({ measures }: Limit, only: LimitsChecked | undefined): boolean {
  return only === undefined || (only === 'amounts') === (measures === 'amount')
}

function usedOf({ measures, window }: Limit, { spending, counterparty }: PolicyFacts): bigint | null {
  switch (measures) {
    case 'amount':
      return spentIn(window, spending)
    case 'amount_to_payee':
      return counterparty?.daySpentPaise ?? null
    case 'payees':
      return BigInt(counterparty?.recentPayees ?? 0)
  }
}

function spentIn(window: PolicyWindow, spending: Spending): Paise {
  switch (window) {
    case 'payment':
      return ZERO_PAISE
    case 'last_hour':
      return spending.hourSpentPaise
    case 'last_24_hours':
      return spending.daySpentPaise
    case 'ist_day':
      return spending.istDaySpentPaise
    case 'ist_month':
      return spending.istMonthSpentPaise
  }
}

/** When everything that is in the window now has left it. */
function emptyAt({ measures, window }: Limit, facts: PolicyFacts): number | null {
  const { spending, nowMs } = facts
  switch (window) {
    case 'payment':
      return null
    case 'last_hour':
      return (measures === 'payees' ? lastPaidMs(facts) : spending.lastSpentMs) + HOUR_MS
    case 'last_24_hours':
      return spending.lastSpentMs + DAY_MS
    case 'ist_day':
      return startOfIstDay(istDay(new Date(nowMs)) + 1).getTime()
    case 'ist_month':
      return startOfIstMonth(istMonth(new Date(nowMs)) + 1).getTime()
  }
}

/** When an agent was last paid. */
export function lastPaidMs({ spending, lastReleaseMs = 0 }: PolicyFacts): number {
  return Math.max(spending.lastSpentMs, lastReleaseMs)
}

/** What is left of a limit; null if that depends on a payee and the request names none. */
export function remaining({ limit, used }: LimitUsage): Paise | null {
  if (used === null) return null
  return limit > used ? paise(limit - used) : ZERO_PAISE
}

/** A figure of a limit as a response shows it: INR, or a number of recipients. */
export function shownIn({ measures }: Pick<Limit, 'measures'>, figure: bigint): number {
  return measures === 'payees' ? Number(figure) : rupees(figure)
}
