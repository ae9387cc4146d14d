import type { Job } from '../../../operations/jobs.ts'
import { openComparing } from './ask.ts'
import type { ReconciliationContext } from './context.ts'
import { compareDaily } from './daily-run.ts'

const TICK_MS = 30_000

/** Every night the book is compared with the gateway; a night that was missed is made up for at the next start. */
export function reconciliationJobs(context: ReconciliationContext): Job[] {
  const comparing = openComparing(context)
  return [{ name: 'reconciliation', everyMs: TICK_MS, run: now => compareDaily(comparing, now) }]
}
