import type { Job } from '../../jobs/jobs.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { checkDueFundings, endSessionsOfEndedAgents } from './check-funding.ts'
import type { FundingContext } from './context.ts'
import { deleteNoticesBefore } from './notice-store.ts'
import { sendDueRefunds } from './refunds.ts'

const TICK_MS = 1_000
const CLEARING_MS = 60 * 60_000
/** Gateways repeat their notices for hours; a month is for people who ask what was said. */
const NOTICES_KEPT_MS = 30 * DAY_MS

export function fundingJobs(context: FundingContext): Job[] {
  return [
    {
      name: 'sessions of ended agents',
      everyMs: TICK_MS,
      run: now => endSessionsOfEndedAgents(context, now),
    },
    { name: 'funding checks', everyMs: TICK_MS, run: now => checkDueFundings(context, now) },
    { name: 'gateway refunds', everyMs: TICK_MS, run: now => sendDueRefunds(context, now) },
    {
      name: 'gateway notices',
      everyMs: CLEARING_MS,
      run: now => deleteNoticesBefore(context.database, new Date(now.getTime() - NOTICES_KEPT_MS)),
    },
  ]
}
