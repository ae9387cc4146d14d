import type { Job } from '../../../operations/jobs.ts'
import { checkDueFundings, endSessionsOfEndedAgents } from './check-funding.ts'
import type { FundingContext } from './context.ts'
import { sendDueRefunds } from './refunds.ts'

const TICK_MS = 1_000

export function fundingJobs(context: FundingContext): Job[] {
  return [
    {
      name: 'sessions of ended agents',
      everyMs: TICK_MS,
      run: now => endSessionsOfEndedAgents(context, now),
    },
    { name: 'funding checks', everyMs: TICK_MS, run: now => checkDueFundings(context, now) },
    { name: 'gateway refunds', everyMs: TICK_MS, run: now => sendDueRefunds(context, now) },
  ]
}
