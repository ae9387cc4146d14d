import { foldTransfers } from '../../ledger/index.ts'
import type { Job } from '../../operations/jobs.ts'
import type { LedgerCheckContext, ReconciliationContext } from './context.ts'
import { checkNextSlice, LEDGER_ROUND_DUE } from './ledger-check/check-ledger.ts'
import { LEDGER_SUMS } from './ledger-check/store.ts'
import { openReconciler } from './reconciliation/query-gateway.ts'
import { reconcileNightly } from './reconciliation/reconcile.ts'

const FOLDING_MS = 10_000
const CHECKING_MS = 300
const RECONCILING_MS = 30_000

export function ledgerCheckJobs(context: LedgerCheckContext): Job[] {
  return [
    {
      name: 'ledger sums',
      everyMs: FOLDING_MS,
      run: now => foldTransfers(context.database, LEDGER_SUMS, now),
    },
    { name: 'ledger check', everyMs: CHECKING_MS, due: LEDGER_ROUND_DUE, run: () => checkNextSlice(context) },
  ]
}

/** The reconciliation of every night; a night that was missed is made up for at the next start. */
export function reconciliationJobs(context: ReconciliationContext): Job[] {
  const reconciler = openReconciler(context)
  return [{ name: 'reconciliation', everyMs: RECONCILING_MS, run: () => reconcileNightly(reconciler) }]
}
