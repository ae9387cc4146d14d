import type { Database } from '../../db/database.ts'
import type { Job } from '../../operations/jobs.ts'
import type { RequestLog } from './collect.ts'
import { firstMinuteKept, halfDayOf } from './half-days.ts'
import { emptyOldSlots } from './store.ts'

const WRITE_EVERY_MS = 1_000
const FORGET_EVERY_MS = 600_000

export function requestLogJobs({
  database,
  requestLog,
}: {
  readonly database: Database
  readonly requestLog: RequestLog
}): Job[] {
  return [
    {
      name: 'log of requests',
      everyMs: WRITE_EVERY_MS,
      // 0, because what is recorded meanwhile waits for the next run: under load there is always something.
      async run() {
        await requestLog.flush()
        return 0
      },
    },
    {
      name: 'old requests',
      everyMs: FORGET_EVERY_MS,
      run: now => emptyOldSlots(database, halfDayOf(firstMinuteKept(now))),
    },
  ]
}
