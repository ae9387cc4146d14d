import { type DueContext, dueWork } from '../../operations/due-work.ts'
import { service } from '../../operations/facts.ts'
import type { Job } from '../../operations/jobs.ts'
import { type AppKey, connectedApps, unredeemedApps } from '../limits/index.ts'
import { endCommand } from './change-app.ts'
import type { AppsContext } from './context.ts'
import { deleteExpiredRecords } from './oauth/records.ts'
import { recordToolCalls, type ToolCalls } from './tool-calls.ts'

const CLEARING_MS = 60_000
const STORING_MS = 1_000
const ENTRIES_MS = 20_000
const AT_ONCE = 1_000

/** Ends apps whose client never exchanged its code, so that no owner sees what cannot act. */
const unusedApps = dueWork<DueContext & Pick<AppsContext, 'ledger'>, AppKey>({
  name: 'unused apps',
  rows: unredeemedApps,
  work: ({ ledger }, key) => ledger.submit(endCommand(key, service('connected apps'), 'it was never used')),
  failure: 'ending an app that was never used failed; it will be retried',
  ids: key => ({ app_id: connectedApps.targetOf(key) }),
})

export function appJobs(
  context: DueContext & Pick<AppsContext, 'ledger' | 'database'> & { readonly toolCalls: ToolCalls },
): Job[] {
  return [
    unusedApps(context),
    {
      name: 'counts of tool calls',
      everyMs: STORING_MS,
      // 0, because what is counted meanwhile waits for the next run.
      async run() {
        await context.toolCalls.flush()
        return 0
      },
    },
    { name: 'entries of tool calls', everyMs: ENTRIES_MS, run: now => recordToolCalls(context, now) },
    {
      name: 'expired OAuth records',
      everyMs: CLEARING_MS,
      run: now => deleteExpiredRecords(context.database, now, AT_ONCE),
    },
  ]
}
