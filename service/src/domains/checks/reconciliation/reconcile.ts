import type { Queryable } from '../../../db/database.ts'
import { unreachable } from '../../../kernel/assert.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { scanSlice } from '../../../operations/scan.ts'
import type { ReconciliationContext } from '../context.ts'
import { fundingComparison } from './fundings.ts'
import { payoutComparison } from './payouts.ts'
import { openReconciler, type Reconciler } from './query-gateway.ts'
import { recheck } from './recheck.ts'
import { compareRecords, compareSettlements } from './records.ts'
import { refundComparison } from './refunds.ts'
import { RECONCILIATION } from './report.ts'
import { newRun, type Page, type Run, runAfter, type Span, type Totals } from './run.ts'
import { dueMoment, lastDueDay, nightlySpan } from './schedule.ts'
import {
  addSettlementParts,
  closeDifferences,
  countOpen,
  insertRun,
  type NewDifference,
  recordDifferences,
  selectLastRuns,
} from './store.ts'
import { compareTransfers } from './transfers.ts'

/** Longer than a page of queries that all reach their time limits. */
const LEASE_MS = 15 * 60_000

/**
 * Compares the next page of the nightly run, if this node gets its lease. Returns 0 if nothing was due. Until the run is
 * complete, it is the cursor of the scan.
 */
export async function reconcileNightly(reconciler: Reconciler): Promise<number> {
  const { clock, logger } = reconciler
  let fresh: readonly NewDifference[] = []
  const slice = await scanSlice(reconciler, {
    name: RECONCILIATION,
    leaseMs: LEASE_MS,
    dueSince: dueMoment(lastDueDay(clock.now())),
    async slice(cursor: Run | null) {
      const run = cursor ?? (await nightlyRun(reconciler))
      const page = await comparePage(reconciler, run)
      const after = runAfter(run, page)
      return {
        day: run.day,
        next: after.isComplete ? null : after.run,
        async save(tx: Queryable) {
          fresh = await savePage(tx, page, after, clock.now())
        },
      }
    },
  })
  if (slice === null) return 0
  logDifferences(reconciler, fresh)
  if (slice.next === null) logger.info({ run_day: slice.day }, 'reconciliation: done')
  return 1
}

async function nightlyRun({ database, clock }: Reconciler): Promise<Run> {
  const now = clock.now()
  const span = nightlySpan(await selectLastRuns(database), now)
  return newRun({ id: newUuid(now), day: lastDueDay(now), startedAt: now }, span)
}

/** The result of a reconciliation. */
export interface ReconciliationReport extends Span {
  readonly totals: Totals
  /** Open differences. Those of earlier runs were rechecked and are included. */
  readonly differences: number
  /** What could not be queried, and so may differ. */
  readonly unchecked: number
}

/** Reconciles a span at once, and rechecks every open difference. Posts nothing. */
export async function reconcile(context: ReconciliationContext, span: Span): Promise<ReconciliationReport> {
  const { database, clock } = context
  const now = clock.now()
  const reconciler = openReconciler(context)
  let run = newRun({ id: newUuid(now), day: null, startedAt: now }, span)
  for (let isComplete = false; !isComplete; ) {
    const page = await comparePage(reconciler, run)
    const after = runAfter(run, page)
    logDifferences(reconciler, await database.inTransaction(tx => savePage(tx, page, after, clock.now())))
    ;({ run, isComplete } = after)
  }
  const unchecked = await countOpen(database, 'unchecked')
  const differences = (await countOpen(database, null)) - unchecked
  return { ...span, totals: run.totals, differences, unchecked }
}

function comparePage(reconciler: Reconciler, run: Run): Promise<Page> {
  switch (run.phase) {
    case 'fundings':
      return fundingComparison.page(reconciler, run, 'span')
    case 'open_fundings':
      return fundingComparison.page(reconciler, run, 'open')
    case 'refunds':
      return refundComparison.page(reconciler, run, 'span')
    case 'open_refunds':
      return refundComparison.page(reconciler, run, 'open')
    case 'payouts':
      return payoutComparison.page(reconciler, run, 'span')
    case 'open_payouts':
      return payoutComparison.page(reconciler, run, 'open')
    case 'from_gateway':
    case 'to_gateway':
    case 'from_payouts':
    case 'to_payouts':
      return compareTransfers(reconciler, run, run.phase)
    case 'records':
      return compareRecords(reconciler, run)
    case 'settlements':
      return compareSettlements(reconciler, run)
    case 'recheck':
      return recheck(reconciler, run)
    default:
      return unreachable(run.phase)
  }
}

/** Saves what a page found, and the run when it is complete. Returns the differences that were not open before. */
async function savePage(
  tx: Queryable,
  { outcomes, resolved = [], settlements = [] }: Page,
  { run, isComplete }: ReturnType<typeof runAfter>,
  now: Date,
): Promise<readonly NewDifference[]> {
  const fresh = await recordDifferences(tx, run.id, outcomes, now)
  await closeDifferences(tx, resolved, now)
  await addSettlementParts(tx, run.id, settlements)
  if (isComplete) await insertRun(tx, run, now)
  return fresh
}

function logDifferences({ logger }: Reconciler, differences: readonly NewDifference[]): void {
  for (const { kind, subject, ours, theirs } of differences) {
    logger.warn({ kind, subject, ours, theirs }, 'reconciliation: found a difference')
  }
}
