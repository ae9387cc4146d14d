import type { Approval, PolicyHeadroom } from '@batua/sdk'
import { useTexts } from '../../language/language.tsx'
import { agentTexts } from '../agent-texts.ts'

type Rule = PolicyHeadroom['rule'] | NonNullable<Approval['headroom_after']>[number]['rule']
type Window = PolicyHeadroom['window']

/** How a limit is called: what it measures, and over which time. */
export function useLimitName(): (rule: Rule, window: Window) => string {
  const t = useTexts(agentTexts)
  return (rule, window) => `${isNamed(t.rules, rule) ? t.rules[rule] : t.payments}, ${t.windows[window]}`
}

/** Limits with names of their own; every other limits the sum of payments in its window. */
function isNamed<Names extends object>(names: Names, rule: PropertyKey): rule is keyof Names {
  return rule in names
}

/** The window of a limit where a record does not say it. A tier's day is the last 24 hours. */
export function windowOf(rule: Rule, layer: PolicyHeadroom['layer']): Window {
  if (rule.includes('per_tx')) return 'payment'
  if (rule.includes('hour') && !rule.includes('24_hours')) return 'last_hour'
  if (rule.includes('24_hours') || (rule.includes('daily') && layer === 'tier')) return 'last_24_hours'
  return rule.includes('monthly') || rule === 'budget_limit' ? 'ist_month' : 'ist_day'
}
