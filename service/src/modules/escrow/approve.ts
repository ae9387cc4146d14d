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
import type { Actor } from '../audit/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { escrowRecord } from './escrow-record.ts'
import { prepareHold } from './prepare-hold.ts'
import { intentOf } from './terms.ts'

/** Sets aside what an owner approves. */
export function executeHold(agents: AgentRegister): Executor {
  return (approval, actor) => approvedHold(agents, approval, actor)
}

/** Decides once more, as of now, and holds the money in the commit that closes the approval. */
function approvedHold(agents: AgentRegister, approval: Approval, actor: Actor): Command<Approved> {
  const mandate = { by: 'owner', approvalId: approval.id, actor } as const
  const prepared = prepareHold(agents, intentOf(approval), mandate)
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
      const approved = closeApproval(book, waiting, { status: 'approved', madeId: escrow.id, actor })
      return { approval: approved, made: { escrow: escrowRecord(escrow) } }
    },
  }
}
