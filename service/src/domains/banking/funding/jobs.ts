import type { Job } from '../../../operations/jobs.ts'
import { endSessionsOfEndedAgents, fundingChecks } from './check-funding.ts'
import { collectJobs } from './collect-limits.ts'
import type { FundingContext } from './context.ts'
import { gatewayRefunds } from './refunds.ts'
import { SESSIONS_ENDED } from './store.ts'

export function fundingJobs(context: FundingContext): Job[] {
  return [
    {
      name: 'sessions of ended agents',
      everyMs: 1_000,
      due: SESSIONS_ENDED,
      run: now => endSessionsOfEndedAgents(context, now),
    },
    fundingChecks(context),
    gatewayRefunds(context),
    ...collectJobs(context),
  ]
}
