import type { Uuid } from '../../../kernel/ids.ts'
import type { Totals } from './totals.ts'

/**
 * The phases of a run in their order. Ours against theirs: what began in the span, and what is older and still looked
 * at. Then the book's transfers against the rows; the gateway's records against what is known here; what they say of
 * settlements; and every open difference that the run has not seen again.
 */
export const PHASES = [
  'fundings',
  'open_fundings',
  'refunds',
  'open_refunds',
  'payouts',
  'open_payouts',
  'from_gateway',
  'to_gateway',
  'from_payouts',
  'to_payouts',
  'records',
  'settlements',
  'recheck',
] as const
export type Phase = (typeof PHASES)[number]

/** From a moment up to another, that one not included. */
export interface Span {
  readonly from: Date
  readonly to: Date
}

/** One comparison of the book with the gateway, as far as it has come. */
export interface Run extends Span {
  readonly id: Uuid
  /** The IST day whose comparison it is; null when a person asked for it. */
  readonly day: number | null
  readonly phase: Phase
  /** Behind which the phase goes on; null at its beginning. */
  readonly position: string | null
  readonly totals: Totals
  readonly listed: boolean
  readonly startedAt: Date
  readonly finishedAt: Date | null
}

/** The phase after this one; null: the run is done. */
export function phaseAfter(phase: Phase): Phase | null {
  return PHASES[PHASES.indexOf(phase) + 1] ?? null
}
