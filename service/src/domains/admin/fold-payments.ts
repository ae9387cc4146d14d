import type { Database } from '../../db/database.ts'
import { foldTransfers } from '../../ledger/index.ts'
import { addToDays } from './payment-days-store.ts'

/** Adds payments to their days, one bounded batch, and tells whether there was one (1) or nothing was due (0). */
export function foldPayments(database: Database, now: Date, transfersAtOnce?: number): Promise<number> {
  return foldTransfers(database, { name: 'payment days', add: addToDays }, now, transfersAtOnce)
}
