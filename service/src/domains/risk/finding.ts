import { MAX_EVIDENCE_EXAMPLES, type RiskEvidence } from '@batua/contract'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { type AnyThresholds, thresholdsRecord } from './rules.ts'

/** What a rule found about one subject, as a sentence and as figures. */
export interface Finding {
  readonly summary: string
  readonly fromMs: number
  readonly toMs: number
  /** Amounts in INR, as in responses. */
  readonly figures: Readonly<Record<string, number>>
  readonly paymentIds?: readonly Uuid[]
  readonly agentIds?: readonly Uuid[]
}

/** A finding and the agent or platform that it is about. */
export interface Found {
  readonly subjectId: Uuid
  readonly finding: Finding
}

export function evidenceOf(
  { summary, fromMs, toMs, figures, paymentIds = [], agentIds = [] }: Finding,
  thresholds: AnyThresholds,
): RiskEvidence {
  return {
    summary,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    figures: { ...figures },
    thresholds: thresholdsRecord(thresholds),
    payment_ids: paymentIds.slice(0, MAX_EVIDENCE_EXAMPLES).map(id => formatId('pay', id)),
    agent_ids: agentIds.slice(0, MAX_EVIDENCE_EXAMPLES).map(id => formatId('agt', id)),
  }
}

/** A duration in words: `90 minutes`, `1 hour`. */
export function spanText(minutes: number): string {
  if (minutes % 60 !== 0) return plural(minutes, 'minute')
  return plural(minutes / 60, 'hour')
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A figure with at most one decimal. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
