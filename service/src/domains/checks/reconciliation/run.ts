import { FIRST_UUID, firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, paise, ZERO_PAISE } from '../../../kernel/money.ts'
import type { Outcome } from './difference.ts'

/**
 * The phases of a run in their order. The service's records against the gateway's: those that began in the span, and older
 * ones that are still checked. Then the ledger's transfers against the rows; the gateway's records against the service's;
 * what they say of settlements; and every open difference that the run has not found again.
 */
const PHASES = [
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
type Phase = (typeof PHASES)[number]

/** From a moment up to another, which is not included. */
export interface Span {
  readonly from: Date
  readonly to: Date
}

/** One reconciliation of the ledger with the gateway, as far as it is done. */
export interface Run extends Span {
  readonly id: Uuid
  /** The IST day whose reconciliation it is; null: a person requested it. */
  readonly day: number | null
  readonly startedAt: Date
  readonly phase: Phase
  /** The last item of the phase that was compared; null at its beginning. */
  readonly position: string | null
  readonly totals: Totals
  /** Whether all of the gateway's records could be read so far. */
  readonly listed: boolean
}

export function newRun(run: Pick<Run, 'id' | 'day' | 'startedAt'>, { from, to }: Span): Run {
  return { ...run, from, to, phase: PHASES[0], position: null, totals: NO_TOTALS, listed: true }
}

/** How many items one page compares. */
export const PAGE_SIZE = 40

/** The comparison of one page of a phase. */
export interface Page {
  readonly outcomes: readonly Outcome[]
  /** The last item of the page; null: the phase is complete. */
  readonly next: string | null
  readonly counted: Counted
  /** Open differences that are resolved. */
  readonly resolved?: readonly Uuid[]
  /** False: a part of the gateway's records could not be read. */
  readonly listed?: boolean
  readonly settlements?: readonly SettlementPart[]
}

/** What a page of the gateway's records says of a settlement. */
export interface SettlementPart {
  readonly gateway: string
  readonly id: string
  /** Null: the page does not have its own record. */
  readonly settledAt: Date | null
  readonly settledPaise: bigint
  readonly chargesPaise: bigint
  readonly parts: number
  readonly partsPaise: bigint
}

/** The run behind a page, and whether it is complete. */
export function runAfter(run: Run, page: Page): { readonly run: Run; readonly isComplete: boolean } {
  const phase = page.next === null ? PHASES[PHASES.indexOf(run.phase) + 1] : run.phase
  const reached = {
    ...run,
    phase: phase ?? run.phase,
    position: page.next,
    totals: addTotals(run.totals, page.counted),
    listed: run.listed && page.listed !== false,
  }
  return { run: reached, isComplete: phase === undefined }
}

/** The position after a page of rows; null if it was not full, so that no row follows. */
export function positionAfter(rows: readonly { readonly id: Uuid }[], limit = PAGE_SIZE): string | null {
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null)
}

/** Which rows of a table a page reads: those of the span, by their ids, or older ones that are still checked. */
export interface PageBounds {
  readonly scope: 'span' | 'open'
  /** Exclusive, as is `before`. */
  readonly after: Uuid
  readonly before: Uuid
  readonly limit: number
}

export function boundsOf({ from, to, position }: Run, scope: PageBounds['scope']): PageBounds {
  const limit = PAGE_SIZE
  if (scope === 'open') return { scope, after: position ?? FIRST_UUID, before: firstUuidAt(from), limit }
  return { scope, after: position ?? justBefore(firstUuidAt(from)), before: firstUuidAt(to), limit }
}

/** `firstUuidAt` ends in zeros after its version, so no id is between it and this one. */
function justBefore(first: Uuid): Uuid {
  return `${first.slice(0, 14)}6fff-bfff-ffffffffffff`
}

/**
 * What a run counts. The first four are queried one by one. The others are in the gateway's records: `payments` that the
 * service knows, `charges` on them against the fees that it took, `settlements`, and `foreign` movements, whose orders do
 * not have names of this service.
 */
export const TOTAL_NAMES = [
  'fundings',
  'refunds',
  'chargebacks',
  'payouts',
  'payments',
  'charges',
  'settlements',
  'foreign',
] as const
export type TotalName = (typeof TOTAL_NAMES)[number]

/** How many of those compared moved money, and their sums on each side. */
interface Total {
  readonly count: number
  readonly oursPaise: Paise
  readonly theirsPaise: Paise
}

export type Totals = Readonly<Record<TotalName, Total>>

/** What one page adds. */
export type Counted = readonly (readonly [name: TotalName, oursPaise: bigint, theirsPaise: bigint])[]

const NO_TOTAL: Total = { count: 0, oursPaise: ZERO_PAISE, theirsPaise: ZERO_PAISE }
const NO_TOTALS = Object.fromEntries(TOTAL_NAMES.map(name => [name, NO_TOTAL])) as Record<TotalName, Total>

function addTotals(totals: Totals, counted: Counted): Totals {
  const sums = { ...totals }
  for (const [name, ours, theirs] of counted) {
    // No money moved on either side.
    if (ours === 0n && theirs === 0n) continue
    const { count, oursPaise, theirsPaise } = sums[name]
    sums[name] = {
      count: count + 1,
      oursPaise: paise(oursPaise + ours),
      theirsPaise: paise(theirsPaise + theirs),
    }
  }
  return sums
}
