import { type Command, need } from '../../ledger/index.ts'
import type { Actor } from '../audit/index.ts'
import type { Approval, ApprovalKey } from './approval.ts'
import { closeApproval, openApproval } from './book.ts'
import { approvals } from './store.ts'

export function rejectCommand(key: ApprovalKey, actor: Actor): Command<Approval> {
  return {
    accounts: [key.agentId],
    needs: [need(approvals, key)],
    decide(book) {
      const waiting = openApproval(book, key)
      if (waiting.kind === 'refusal') return waiting
      return closeApproval(book, waiting, { status: 'rejected', madeId: null, actor })
    },
  }
}
