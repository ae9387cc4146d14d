import { type DueContext, dueWork } from '../../operations/due-work.ts'
import { service } from '../../operations/facts.ts'
import type { Job } from '../../operations/jobs.ts'
import { type AppKey, connectedApps, unredeemedApps } from '../limits/index.ts'
import { endCommand } from './change-app.ts'
import type { AppsContext } from './context.ts'
import { deleteExpiredRecords } from './oauth/records.ts'

const CLEARING_MS = 60_000
const AT_ONCE = 1_000

/** Ends apps whose client never exchanged its code, so that no owner sees what cannot act. */
const unusedApps = dueWork<DueContext & Pick<AppsContext, 'ledger'>, AppKey>({
  name: 'unused apps',
  rows: unredeemedApps,
  work: ({ ledger }, key) => ledger.submit(endCommand(key, service('connected apps'), 'it was never used')),
  failure: 'ending an app that was never used failed; it will be retried',
  ids: key => ({ app_id: connectedApps.targetOf(key) }),
})

export function appJobs(context: DueContext & Pick<AppsContext, 'ledger' | 'database'>): Job[] {
  return [
    unusedApps(context),
    {
      name: 'expired OAuth records',
      everyMs: CLEARING_MS,
      run: now => deleteExpiredRecords(context.database, now, AT_ONCE),
    },
  ]
}
