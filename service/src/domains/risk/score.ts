import type { getRiskScore, ResponseOf, RiskRuleName } from '@batua/contract'
import type { Alert } from './alerts-store.ts'
import { plural } from './finding.ts'

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
