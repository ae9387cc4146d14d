import type { Job } from '../../operations/jobs.ts'
import type { AdminContext } from './context.ts'
import { foldPayments } from './fold-payments.ts'

const FOLDING_MS = 10_000

export function adminJobs({ database }: Pick<AdminContext, 'database'>): Job[] {
  return [{ name: 'payment days', everyMs: FOLDING_MS, run: now => foldPayments(database, now) }]
}
