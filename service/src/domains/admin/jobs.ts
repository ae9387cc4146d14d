import type { Database } from '../../db/database.ts'
import { istHour } from '../../kernel/clock.ts'
import { foldTransfers } from '../../ledger/index.ts'
import type { Job } from '../../operations/jobs.ts'
import type { AdminContext } from './context.ts'
import { addToDays } from './payment-days-store.ts'
import type { PaymentMeter } from './payment-hours.ts'
import { deleteHoursBefore, saveHour } from './payment-hours-store.ts'

const FOLDING_MS = 10_000
const SAVING_MS = 10_000
const KEPT_HOURS = 48

export interface AdminJobsContext extends Pick<AdminContext, 'database'> {
  readonly meter: PaymentMeter
}

export function adminJobs({ database, meter }: AdminJobsContext): Job[] {
  return [
    { name: 'payment days', everyMs: FOLDING_MS, run: now => foldPayments(database, now) },
    { name: 'payment hours', everyMs: SAVING_MS, run: now => savePaymentHours(database, meter, now) },
  ]
}

/**
 * Adds one bounded batch of payments to the sums of their days. Returns 1 if there was a batch, 0 if nothing was due.
 */
export function foldPayments(database: Database, now: Date, transfersAtOnce?: number): Promise<number> {
  return foldTransfers(database, { name: 'payment days', add: addToDays }, now, transfersAtOnce)
}

/** Saves what this process counted since the last save. Returns 0, so that a busy service does not save without a pause. */
export async function savePaymentHours(
  database: Database,
  meter: Pick<PaymentMeter, 'process' | 'unsaved' | 'saved'>,
  now: Date,
): Promise<0> {
  const hours = meter.unsaved()
  if (hours.length === 0) return 0
  for (const hour of hours) await saveHour(database, meter.process, hour)
  meter.saved(hours)
  await deleteHoursBefore(database, istHour(now) - KEPT_HOURS)
  return 0
}
