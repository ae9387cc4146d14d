/** Continuous checks: the ledger against its records, its records against the gateway, and the MACs of all rows. */
export { HOLDINGS, type ReconciliationContext } from './context.ts'
export { ledgerCheckJobs, reconciliationJobs } from './jobs.ts'
export { checkLedgerAtOnce, readLedgerCheck, readLedgerCheckRound } from './ledger-check/check-ledger.ts'
export { addLedgerCheckMetrics } from './ledger-check/metrics.ts'
export type { LedgerSums } from './ledger-check/sums.ts'
export type { OpenDifference } from './reconciliation/difference.ts'
export { type ReconciliationReport, reconcile } from './reconciliation/reconcile.ts'
export {
  addReconciliationMetrics,
  listOpenDifferences,
  readReconciliation,
  readReconciliationRound,
} from './reconciliation/report.ts'
export { differenceRecord, serveReconciliation } from './reconciliation/routes.ts'
export { type Span, TOTAL_NAMES, type TotalName } from './reconciliation/run.ts'
export { upTo } from './reconciliation/schedule.ts'
export { CHECKED_TABLES, completeRows } from './row-macs.ts'
