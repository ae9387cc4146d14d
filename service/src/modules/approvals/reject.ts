import type { Command } from '../../ledger/index.ts'
import type { Actor } from '../audit/index.ts'
import type { Approval, ApprovalKey } from './approval.ts'
import { approvalIn, approvalNeed, closeApproval, openApproval } from './book.ts'

export function rejectCommand(key: ApprovalKey, actor: Actor): Command<Approval> {
  // What an earlier decision of this very command wrote: if that was committed and the answer lost, it is done.
  let rejectedAt: Date | null = null
  return {
    accounts: [key.agentId],
    needs: [approvalNeed(key)],
    decide(book) {
      const written = approvalIn(book, key)
      if (rejectedAt !== null && isRejectedAt(written, rejectedAt)) return written
      const waiting = openApproval(book, key)
      if (waiting.kind === 'refusal') return waiting
      const rejected = closeApproval(book, waiting, { status: 'rejected', madeId: null, actor })
      rejectedAt = rejected.decidedAt
      return rejected
    },
  }
}

function isRejectedAt(approval: Approval | undefined, moment: Date): approval is Approval {
  return approval?.status === 'rejected' && approval.decidedAt?.getTime() === moment.getTime()
}
