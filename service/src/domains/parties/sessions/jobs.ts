import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import type { Job } from '../../../operations/jobs.ts'
import { deleteCodesBefore, deletePhonesBefore } from './code-store.ts'
import type { SessionsContext } from './context.ts'
import { deleteWrongTriesBefore } from './guess-store.ts'
import { deletePlacesBefore } from './place-store.ts'
import { deleteExpiredSessions } from './store.ts'

const CLEARING_MS = 60_000
const AT_ONCE = 1_000
/** Expired codes are kept for an hour, because the limits on sending need their moments. */
const CODES_KEPT_MS = HOUR_MS
/** The lifetime of the browser's cookie. */
const PLACES_KEPT_MS = 180 * DAY_MS

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
        await deleteWrongTriesBefore(database, moment)
        return codes + (await deletePhonesBefore(database, moment, AT_ONCE))
      },
    },
    {
      name: 'old login places',
      everyMs: CLEARING_MS,
      run: now => deletePlacesBefore(database, new Date(now.getTime() - PLACES_KEPT_MS), AT_ONCE),
    },
  ]
}
