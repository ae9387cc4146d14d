import type { Database } from '../../db/database.ts'
import { foldTransfers } from '../../ledger/index.ts'
import type { Job } from '../../operations/jobs.ts'
import type { AdminContext } from './context.ts'
import { addToDays } from './payment-days-store.ts'

const FOLDING_MS = 10_000

export function adminJobs({ database }: Pick<AdminContext, 'database'>): Job[] {
  return [{ name: 'payment days', everyMs: FOLDING_MS, run: now => foldPayments(database, now) }]
}

/**
 * Adds one bounded batch of payments to the sums of their days. Returns 1 if there was a batch, 0 if nothing was due.
 */
export function foldPayments(database: Database, now: Date, transfersAtOnce?: number): Promise<number> {
  return foldTransfers(database, { name: 'payment days', add: addToDays }, now, transfersAtOnce)
}
