import type { Job } from '../../jobs/jobs.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import { deleteCodesBefore, deletePhonesBefore } from './code-store.ts'
import type { SessionsContext } from './context.ts'
import { deleteExpiredSessions } from './store.ts'

const CLEARING_MS = 60_000
const AT_ONCE = 1_000
/** A dead code still tells when it was sent, and the brake on sending looks back an hour. */
const CODES_KEPT_MS = HOUR_MS

export function sessionJobs({ database }: Pick<SessionsContext, 'database'>): Job[] {
  return [
    {
      name: 'expired sessions',
      everyMs: CLEARING_MS,
      run: now => deleteExpiredSessions(database, now, AT_ONCE),
    },
    {
      name: 'old one-time codes',
      everyMs: CLEARING_MS,
      async run(now) {
        const moment = new Date(now.getTime() - CODES_KEPT_MS)
        const codes = await deleteCodesBefore(database, moment, AT_ONCE)
        return codes + (await deletePhonesBefore(database, moment, AT_ONCE))
      },
    },
  ]
}
