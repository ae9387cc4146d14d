import { type Command, read } from '../../../ledger/index.ts'
import type { Actor } from '../../../operations/act.ts'
import type { Approval, ApprovalKey } from './approval.ts'
import { closeApproval, openApproval } from './change-approval.ts'
import { approvals } from './store.ts'

export function rejectCommand(key: ApprovalKey, actor: Actor): Command<Approval> {
  return {
    accounts: [key.agentId],
    reads: [read(approvals, key)],
    decide(batch) {
      const waiting = openApproval(batch, key)
      if (waiting.kind === 'refusal') return waiting
      return closeApproval(batch, waiting, { status: 'rejected', madeId: null, actor })
    },
  }
}
