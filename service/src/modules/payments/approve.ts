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
import { preparePayment, resultOf } from './command.ts'

/** Pays what an owner approves. */
export function executePayment(agents: AgentRegister): Executor {
  return (approval, actor) => approvedPayment(agents, approval, actor)
}

/** Decides once more, as of now, and pays with the approval's own key and reference in the commit that closes it. */
function approvedPayment(agents: AgentRegister, approval: Approval, actor: Actor): Command<Approved> {
  const payment = preparePayment(
    agents,
    { ...approval, payerId: approval.agentId },
    { by: 'owner', approvalId: approval.id },
  )
  return {
    ...payment,
    needs: [approvalNeed(approval), ...payment.needs],
    decide(book) {
      const waiting = openApproval(book, approval)
      if (waiting.kind === 'refusal') return waiting
      const plan = payment.decide(book)
      if (plan.kind === 'refusal') return plan
      assert(plan.kind === 'pay', 'what the owner approves needs no further approval')
      const transfer = payment.post(book, plan)
      const approved = closeApproval(book, waiting, { status: 'approved', madeId: transfer.id, actor })
      return { approval: approved, made: { payment: resultOf(transfer) } }
    },
  }
}
