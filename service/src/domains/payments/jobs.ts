import type { Job } from '../../operations/jobs.ts'
import { approvalExpiry } from './approvals/expire.ts'
import { type AuthorizationJobContext, authorizationJobs } from './authorizations/jobs.ts'
import { escrowTimeouts } from './escrow/timeouts.ts'

/** What falls due of escrows, authorizations and approvals. */
export function paymentJobs(context: AuthorizationJobContext): Job[] {
  return [escrowTimeouts(context), ...authorizationJobs(context), approvalExpiry(context)]
}
