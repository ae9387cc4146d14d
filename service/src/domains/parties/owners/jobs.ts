import type { Job } from '../../../operations/jobs.ts'
import { accountJobs } from './change-account.ts'
import { checkDueOwners } from './check-due-owners.ts'
import type { OwnersContext } from './context.ts'

const TICK_MS = 1_000

export function ownerJobs(context: OwnersContext): Job[] {
  return [
    { name: 'bank verifications', everyMs: TICK_MS, run: now => checkDueOwners(context, now) },
    ...accountJobs(context),
  ]
}
