import type { Queryable } from '../../db/database.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Opening, openAlerts } from './alerts/open-alerts.ts'
import { selectAlertStates } from './alerts/store.ts'
import type { RiskJobsContext } from './context.ts'
import {
  decideFailedAuthentication,
  decideLoginGuessing,
  decideRefusals,
  type SignalFacts,
} from './decide.ts'
import type { Finding, Found } from './finding.ts'
import { inForce, type Rule, type RuleSet } from './rules.ts'
import type { RulesReader } from './rules-store.ts'
import { MINUTE_MS } from './scope.ts'
import type { SignalCount, SignalKind } from './signals.ts'
import { addSignals, sumSignals } from './signals-store.ts'

const COUNTS_AT_ONCE = 1_000

/**
 * Writes the signals counted since the last run and evaluates their subjects. Returns the number of counts written.
 * Each node writes its own counts and then reads those of all nodes, so the last node to write reads all of them.
 */
export async function evaluateSignals(
  { database, vault, signals }: RiskJobsContext,
  readRules: RulesReader,
  now: Date,
): Promise<number> {
  const counts = signals.take(COUNTS_AT_ONCE)
  if (counts.length === 0) return 0
  try {
    await addSignals(database, counts)
  } catch (error) {
    // If the commit succeeded and its response was lost, the counts are added twice. That is safer than losing counts.
    signals.putBack(counts)
    throw error
  }
  await database.inTransaction(async tx => {
    const rules = await readRules(tx)
    await evaluateRefusals(tx, rules, counts, { vault, now })
    await evaluateFailures(tx, rules, counts, { vault, now })
    await evaluateGuesses(tx, rules, counts, { vault, now })
  })
  return counts.length
}

async function evaluateRefusals(
  tx: Queryable,
  rules: RuleSet,
  counts: readonly SignalCount[],
  opening: Opening,
): Promise<void> {
  const rule = inForce(rules, 'repeated_refusals')
  if (rule === null) return
  const subjects = subjectsOf(counts, 'policy_refusal')
  const decide = (facts: SignalFacts) => decideRefusals(facts, rule.thresholds)
  await openAlerts(tx, rule, await found(tx, rule, 'policy_refusal', subjects, opening.now, decide), opening)
}

async function evaluateFailures(
  tx: Queryable,
  rules: RuleSet,
  counts: readonly SignalCount[],
  opening: Opening,
): Promise<void> {
  const rule = inForce(rules, 'failed_authentication')
  if (rule === null) return
  const subjects = subjectsOf(counts, 'failed_authentication')
  const decide = (facts: SignalFacts) => decideFailedAuthentication(facts, rule.thresholds)
  await openAlerts(
    tx,
    rule,
    await found(tx, rule, 'failed_authentication', subjects, opening.now, decide),
    opening,
  )
}

async function evaluateGuesses(
  tx: Queryable,
  rules: RuleSet,
  counts: readonly SignalCount[],
  opening: Opening,
): Promise<void> {
  const rule = inForce(rules, 'login_guessing')
  if (rule === null) return
  const subjects = subjectsOf(counts, 'wrong_login_code')
  const decide = (facts: SignalFacts) => decideLoginGuessing(facts, rule.thresholds)
  await openAlerts(
    tx,
    rule,
    await found(tx, rule, 'wrong_login_code', subjects, opening.now, decide),
    opening,
  )
}

function subjectsOf(counts: readonly SignalCount[], kind: SignalKind): Uuid[] {
  return [...new Set(counts.filter(count => count.kind === kind).map(count => count.subjectId))]
}

/**
 * Counts are kept by the minute. A minute is counted if it began within the window and after the last review. So
 * nothing older is counted, and neither is the rest of a minute that began earlier.
 */
async function found(
  tx: Queryable,
  {
    rule,
    thresholds,
  }: Extract<Rule, { rule: 'repeated_refusals' | 'failed_authentication' | 'login_guessing' }>,
  kind: SignalKind,
  subjects: readonly Uuid[],
  now: Date,
  decide: (facts: SignalFacts) => Finding | null,
): Promise<Found[]> {
  const nowMs = now.getTime()
  const alertStates = new Map(
    (await selectAlertStates(tx, subjects, new Date(nowMs - DAY_MS)))
      .filter(alertState => alertState.rule === rule)
      .map(alertState => [alertState.subjectId, alertState]),
  )
  const spans = subjects
    .filter(subjectId => alertStates.get(subjectId)?.isOpen !== true)
    .map(subjectId => {
      const reviewedMs = alertStates.get(subjectId)?.reviewedAt?.getTime() ?? Number.NEGATIVE_INFINITY
      return { subjectId, afterMs: Math.max(nowMs - thresholds.windowMinutes * MINUTE_MS, reviewedMs) }
    })
  if (spans.length === 0) return []
  const sums = await sumSignals(tx, kind, spans, now)
  return spans.flatMap(({ subjectId, afterMs }) => {
    const finding = decide({ count: sums.get(subjectId) ?? 0, fromMs: afterMs, toMs: nowMs })
    return finding === null ? [] : [{ subjectId, finding }]
  })
}
