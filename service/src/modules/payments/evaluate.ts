import type { PolicyEvaluation } from '@batua/contract'
import type { Refusal } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { rupees, rupeesText } from '../../kernel/money.ts'
import type { Book, Command } from '../../ledger/index.ts'
import { decidePlace, placeNeeds } from '../approvals/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { type PaymentIntent, preparePayment } from './command.ts'
import type { ApprovalPlan, PaymentPlan } from './decide.ts'
import { paymentFee } from './fee.ts'

export type Rehearsal = Pick<PaymentIntent, 'payerId' | 'payeeId' | 'amountPaise'>

type Verdict = Pick<PolicyEvaluation, 'decision' | 'code' | 'message' | 'details'>

/** Decides a payment under the very locks that it would have, and posts nothing. */
export function evaluateCommand(agents: AgentRegister, rehearsal: Rehearsal): Command<PolicyEvaluation> {
  const { accounts, needs, steps, decide } = preparePayment(
    agents,
    { ...rehearsal, reference: null, note: null, idempotencyKey: null, uniqueReference: false },
    { by: 'rehearsal' },
  )
  const { payerId, amountPaise } = rehearsal
  const feePaise = paymentFee(amountPaise)
  return {
    accounts,
    needs,
    steps: [...steps, book => placeNeeds(agents.facts(book, payerId), amountPaise)],
    decide: book => ({
      ...verdictOf(withPlace(book, payerId, decide(book))),
      amount: rupees(amountPaise),
      fee: rupees(feePaise),
      total: rupees(amountPaise + feePaise),
    }),
  }
}

/** An owner is asked only while there is room among what waits for her. */
function withPlace(
  book: Book,
  payerId: Uuid,
  plan: Refusal | PaymentPlan | ApprovalPlan,
): Refusal | PaymentPlan | ApprovalPlan {
  return plan.kind === 'ask' ? (decidePlace(book, payerId) ?? plan) : plan
}

function verdictOf(plan: Refusal | PaymentPlan | ApprovalPlan): Verdict {
  switch (plan.kind) {
    case 'pay':
      return { decision: 'approved', code: null, message: 'The payment would be made', details: null }
    case 'ask':
      return waits(plan)
    case 'refusal': {
      const { code, message, details = null } = plan
      return { decision: code === 'escrow_required' ? code : 'denied', code, message, details }
    }
  }
}

function waits({ threshold: { layer, abovePaise } }: ApprovalPlan): Verdict {
  const rule = 'require_human_approval_above'
  return {
    decision: 'approval_required',
    code: null,
    message: `Payments above ${rupeesText(abovePaise)} INR wait for the owner’s approval by the ${layer} policy`,
    details: { rule, layer, approval_above: rupees(abovePaise) },
  }
}
