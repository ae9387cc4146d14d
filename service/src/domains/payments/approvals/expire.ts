import type { Database } from '../../../db/database.ts'
import { unlessAltered } from '../../../db/row-mac.ts'
import { type Command, type Ledger, read } from '../../../ledger/index.ts'
import { duePages } from '../../../operations/due-pages.ts'
import type { Job } from '../../../operations/jobs.ts'
import type { ApprovalKey } from './approval.ts'
import { expireApproval } from './change-approval.ts'
import { statusAt } from './decide.ts'
import { approvals, selectDueApprovals } from './store.ts'

const TICK_MS = 1_000
const AT_ONCE = 100

export interface ExpiryContext {
  readonly database: Database
  readonly ledger: Ledger
}

export function approvalJobs(context: ExpiryContext): Job[] {
  const nextPage = duePagesOf(context)
  return [{ name: 'approvals', everyMs: TICK_MS, run: now => expireDueApprovals(context, now, nextPage) }]
}

function duePagesOf({ database }: Pick<ExpiryContext, 'database'>) {
  return duePages(AT_ONCE, (now, after, limit) => selectDueApprovals(database, now, after, limit))
}

/** Writes down what has expired, a bounded batch; returns how many are now decided, by this or another node. */
export async function expireDueApprovals(
  context: ExpiryContext,
  now: Date,
  nextPage = duePagesOf(context),
): Promise<number> {
  const { ledger } = context
  const due = await nextPage(now)
  const works = due.map(key => unlessAltered(async () => (await ledger.submit(expireCommand(key))).decided))
  return (await Promise.all(works)).filter(decided => decided).length
}

/** Any node may do this, any number of times: what is decided does not change. */
function expireCommand(key: ApprovalKey): Command<{ readonly decided: boolean }> {
  return {
    accounts: [key.agentId],
    reads: [read(approvals, key)],
    decide(batch) {
      const written = batch.read(approvals, key)
      if (written === undefined || written.status !== 'pending_approval') return { decided: true }
      if (statusAt(written, batch.nowMs).status === 'pending_approval') return { decided: false }
      expireApproval(batch, written)
      return { decided: true }
    },
  }
}
