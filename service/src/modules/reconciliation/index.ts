/** The book against the gateway: every night, on request, and what of it stands open. It corrects nothing. */
export type { ReconciliationContext } from './context.ts'
export { upTo } from './daily-run.ts'
export type { OpenDifference } from './difference.ts'
export { reconciliationJobs } from './jobs.ts'
export { addReconciliationMetrics } from './metrics.ts'
export {
  listOpenDifferences,
  type ReconciliationReport,
  readReconciliation,
  reconcile,
} from './reconcile.ts'
export { differenceRecord, serveReconciliation } from './routes.ts'
export type { Span } from './run.ts'
export { TOTAL_NAMES, type TotalName, type Totals } from './totals.ts'
