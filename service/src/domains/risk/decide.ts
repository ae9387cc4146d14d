import type { getRiskScore, ResponseOf, RiskRuleName } from '@batua/contract'
import { HOUR_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, paise, rupees, rupeesText } from '../../kernel/money.ts'
import type { Alert } from './alerts/store.ts'
import { type Finding, plural, rounded, spanText } from './finding.ts'
import type { ThresholdsOf } from './rules.ts'
import { MINUTE_MS } from './scope.ts'

/** How often an agent paid in a window, and in the hours before it. */
export interface VelocityFacts {
  readonly payments: number
  readonly fromMs: number
  readonly toMs: number
  /** The length of the window, or of its newest part if not all of it was read. */
  readonly spanMs: number
  readonly paymentsBefore: number
  /** The length of the time before the window that was read. */
  readonly beforeMs: number
  readonly paymentIds: readonly Uuid[]
}

export function decideVelocity(
  facts: VelocityFacts,
  { minPayments, factor }: ThresholdsOf<'velocity_spike'>,
): Finding | null {
  const { payments, spanMs, paymentsBefore, beforeMs, fromMs, toMs, paymentIds } = facts
  if (payments < minPayments) return null
  if (payments * beforeMs < factor * paymentsBefore * spanMs) return null
  const usual = (paymentsBefore * spanMs) / beforeMs
  const minutes = rounded(spanMs / MINUTE_MS)
  return {
    summary: `${payments} payments within ${plural(minutes, 'minute')}; usual in that time are ${rounded(usual)}.`,
    fromMs,
    toMs,
    figures: {
      payments,
      window_minutes: minutes,
      usual_payments: rounded(usual),
      payments_before: paymentsBefore,
      hours_before: rounded(beforeMs / HOUR_MS),
    },
    paymentIds,
  }
}

/** An amount at which one of the agent's layers sets a limit or threshold. */
export interface AmountThreshold {
  /** The control and its layer: `require_escrow_above of the tier policy`. */
  readonly name: string
  readonly paise: Paise
}

/** The amounts that count as just under a threshold: from `least` to the threshold itself. */
export function bandBelow(threshold: Paise, bandPercent: number): { least: Paise; most: Paise } {
  const hundredths = threshold * BigInt(100 - bandPercent)
  return { least: paise((hundredths + 99n) / 100n), most: threshold }
}

/** How many payments of an agent are just under one threshold. */
export interface StructuringFacts {
  readonly threshold: AmountThreshold
  readonly payments: number
  readonly totalPaise: Paise
  readonly fromMs: number
  readonly toMs: number
  readonly paymentIds: readonly Uuid[]
}

/** Finds structuring at the threshold that has the most payments just under it. */
export function decideStructuring(
  facts: readonly StructuringFacts[],
  { minPayments, bandPercent, windowMinutes }: ThresholdsOf<'structuring'>,
): Finding | null {
  const [most] = facts.toSorted((left, right) => right.payments - left.payments)
  if (most === undefined || most.payments < minPayments) return null
  const { threshold, payments, totalPaise, fromMs, toMs, paymentIds } = most
  const { least } = bandBelow(threshold.paise, bandPercent)
  return {
    summary:
      `${payments} payments of ${rupeesText(least)} to ${rupeesText(threshold.paise)} INR within ` +
      `${spanText(windowMinutes)}, at or just under ${threshold.name}.`,
    fromMs,
    toMs,
    figures: {
      payments,
      threshold: rupees(threshold.paise),
      least_amount: rupees(least),
      total: rupees(totalPaise),
    },
    paymentIds,
  }
}

/** The agents that an agent paid for the first time within the window. */
export interface NewPayeesFacts {
  readonly payees: number
  readonly fromMs: number
  readonly toMs: number
  readonly paymentIds: readonly Uuid[]
  readonly payeeIds: readonly Uuid[]
}

export function decideNewPayees(
  { payees, fromMs, toMs, paymentIds, payeeIds }: NewPayeesFacts,
  { minPayees, windowMinutes }: ThresholdsOf<'new_payees'>,
): Finding | null {
  if (payees < minPayees) return null
  return {
    summary: `${payees} agents within ${spanText(windowMinutes)} that were never paid before.`,
    fromMs,
    toMs,
    figures: { new_payees: payees },
    paymentIds,
    agentIds: payeeIds,
  }
}

/** How often something without a transfer happened to a subject, within a window of whole minutes. */
export interface SignalFacts {
  readonly count: number
  readonly fromMs: number
  readonly toMs: number
}

export function decideRefusals(
  { count, fromMs, toMs }: SignalFacts,
  { minRefusals, windowMinutes }: ThresholdsOf<'repeated_refusals'>,
): Finding | null {
  if (count < minRefusals) return null
  const summary = `${count} payments refused by policy within ${spanText(windowMinutes)}.`
  return { summary, fromMs, toMs, figures: { refusals: count } }
}

export function decideLoginGuessing(
  { count, fromMs, toMs }: SignalFacts,
  { minFailures, windowMinutes }: ThresholdsOf<'login_guessing'>,
): Finding | null {
  if (count < minFailures) return null
  const summary = `${count} wrong login codes over all phones within ${spanText(windowMinutes)}.`
  return { summary, fromMs, toMs, figures: { failures: count } }
}

export function decideFailedAuthentication(
  { count, fromMs, toMs }: SignalFacts,
  { minFailures, windowMinutes }: ThresholdsOf<'failed_authentication'>,
): Finding | null {
  if (count < minFailures) return null
  const summary = `${count} wrong secrets for this platform within ${spanText(windowMinutes)}.`
  return { summary, fromMs, toMs, figures: { failures: count } }
}

type Score = Pick<ResponseOf<typeof getRiskScore>, 'score' | 'factors'>
type CountedAlert = Pick<Alert, 'rule' | 'score' | 'status' | 'evidence'>

export const SCORED_DAYS = 30
const MAX_SCORE = 100

/** The score of an agent's counted alerts, given newest first: the sum of the highest of each rule, at most 100. */
export function scoreOf(alerts: readonly CountedAlert[]): Score {
  const factors = [...Map.groupBy(alerts, alert => alert.rule)]
    .map(([rule, each]) => factorOf(rule, each))
    .toSorted((left, right) => right.points - left.points || (left.rule < right.rule ? -1 : 1))
  const sum = factors.reduce((total, factor) => total + factor.points, 0)
  return { score: Math.min(MAX_SCORE, sum), factors }
}

function factorOf(rule: RiskRuleName, alerts: readonly CountedAlert[]): Score['factors'][number] {
  const highest = alerts.reduce((most, alert) => (alert.score > most.score ? alert : most))
  const word = highest.status === 'open' ? 'Open' : 'Confirmed'
  const others = alerts.length - 1
  const more =
    others === 0 ? '' : ` And ${plural(others, 'other alert')} of this rule; only the highest counts.`
  return { rule, points: highest.score, detail: `${word}: ${highest.evidence.summary}${more}` }
}
