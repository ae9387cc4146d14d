import { type Command, type Ledger, read } from '../../../ledger/index.ts'
import { type DueContext, dueWork } from '../../../operations/due-work.ts'
import type { ApprovalKey } from './approval.ts'
import { expireApproval } from './change-approval.ts'
import { statusAt } from './decide.ts'
import { approvals, expiredApprovals } from './store.ts'

export interface ExpiryContext extends DueContext {
  readonly ledger: Ledger
}

/** Writes down what has expired. Any node may do this, any number of times: what is decided does not change. */
export const approvalExpiry = dueWork<ExpiryContext, ApprovalKey>({
  name: 'approvals',
  rows: expiredApprovals,
  work: async ({ ledger }, key) => (await ledger.submit(expireCommand(key))).decided,
  failure: 'approval expiry failed; it will be retried',
  ids: approval => ({ approval_id: approvals.targetOf(approval) }),
})

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
