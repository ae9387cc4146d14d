import type { Job } from '../../jobs/jobs.ts'
import { checkBookWhenDue } from './check-book.ts'
import type { AdminContext } from './context.ts'
import { foldPayments } from './fold-payments.ts'

const FOLDING_MS = 10_000
const CHECKING_MS = 60_000

export function adminJobs(context: Pick<AdminContext, 'database' | 'clock' | 'logger'>): Job[] {
  const startedAt = context.clock.now()
  return [
    { name: 'payment days', everyMs: FOLDING_MS, run: now => foldPayments(context.database, now) },
    { name: 'book check', everyMs: CHECKING_MS, run: now => checkBookWhenDue(context, now, startedAt) },
  ]
}
