import type { Job } from '../../../operations/jobs.ts'
import { moveDuePayouts } from './check-payout.ts'
import type { PayoutsContext } from './context.ts'

const TICK_MS = 1_000

export function payoutJobs(context: PayoutsContext): Job[] {
  return [{ name: 'payouts', everyMs: TICK_MS, run: now => moveDuePayouts(context, now) }]
}
