import { assert } from '../../kernel/assert.ts'
import type { Command } from '../../ledger/index.ts'
import {
  type Approval,
  type Approved,
  approvalNeed,
  closeApproval,
  type Executor,
  openApproval,
} from '../approvals/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { escrowRecord } from './escrow-record.ts'
import { prepareHold } from './prepare-hold.ts'
import { intentOf } from './terms.ts'

/** Sets aside what an owner approves. */
export function executeHold(agents: AgentRegister): Executor {
  return approval => approvedHold(agents, approval)
}

/** Decides once more, as of now, and holds the money in the commit that closes the approval. */
function approvedHold(agents: AgentRegister, approval: Approval): Command<Approved> {
  const prepared = prepareHold(agents, intentOf(approval), { by: 'owner', approvalId: approval.id })
  return {
    ...prepared,
    needs: [approvalNeed(approval), ...prepared.needs],
    decide(book) {
      const waiting = openApproval(book, approval)
      if (waiting.kind === 'refusal') return waiting
      const plan = prepared.decide(book)
      if (plan.kind === 'refusal') return plan
      assert(plan.kind === 'hold', 'what the owner approves needs no further approval')
      const escrow = prepared.post(book)
      const approved = closeApproval(book, waiting, 'approved', escrow.id)
      return { approval: approved, made: { escrow: escrowRecord(escrow) } }
    },
  }
}
