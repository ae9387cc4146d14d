/** Continuous checks: the ledger against its records, and its records against the gateway. */
export { integrityJobs } from './ledger-check/jobs.ts'
export { addIntegrityMetrics } from './ledger-check/metrics.ts'
export { type KeptSums, readBookCheck, readBookSums } from './ledger-check/store.ts'
export type { ReconciliationContext } from './reconciliation/context.ts'
export { upTo } from './reconciliation/daily-run.ts'
export type { OpenDifference } from './reconciliation/difference.ts'
export { reconciliationJobs } from './reconciliation/jobs.ts'
export { addReconciliationMetrics } from './reconciliation/metrics.ts'
export {
  listOpenDifferences,
  type ReconciliationReport,
  readReconciliation,
  reconcile,
} from './reconciliation/reconcile.ts'
export { differenceRecord, serveReconciliation } from './reconciliation/routes.ts'
export type { Span } from './reconciliation/run.ts'
export { TOTAL_NAMES, type TotalName } from './reconciliation/totals.ts'
