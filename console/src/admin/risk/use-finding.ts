import type { RiskAlert } from '@batua/sdk'
import { useFormat, useTexts } from '../../language/language.tsx'
import { findingTexts } from './finding-texts.ts'

const MINUTE_MS = 60_000

/** What an alert found as a sentence, from its figures: the service’s own sentence is English. */
export function useFinding(): (alert: Pick<RiskAlert, 'rule' | 'evidence'>) => string {
  const t = useTexts(findingTexts)
  const { amount, number, duration } = useFormat()
  return ({ rule, evidence: { figures, thresholds } }) => {
    const of = (name: string) => figures[name] ?? thresholds[name] ?? 0
    const span = duration(of('window_minutes') * MINUTE_MS)
    switch (rule) {
      case 'velocity_spike':
        return t.velocity_spike(of('payments'), span, number(of('usual_payments')))
      case 'structuring':
        return t.structuring(of('payments'), span, amount(of('least_amount')), amount(of('threshold')))
      case 'circular_flow':
        return t.circular_flow(of('agents'), span, amount(of('first_amount')), amount(of('last_amount')))
      case 'new_payees':
        return t.new_payees(of('new_payees'), span)
      case 'repeated_refusals':
        return t.repeated_refusals(of('refusals'), span)
      case 'failed_authentication':
      case 'login_guessing':
        return t[rule](of('failures'), span)
      case 'pass_through': {
        const out = duration(of('out_minutes') * MINUTE_MS)
        return t.pass_through(of('times'), span, number(of('out_percent')), out, amount(of('total')))
      }
    }
  }
}
