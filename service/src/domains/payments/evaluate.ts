import type { PolicyEvaluation } from '@batua/contract'
import type { Refusal } from '../../kernel/app-error.ts'
import { rupees, rupeesText } from '../../kernel/money.ts'
import type { Command } from '../../ledger/index.ts'
import type { AgentPolicyCache } from '../limits/index.ts'
import { paymentFee } from './fee.ts'
import { type PaymentIntent, paymentSpending } from './payment.ts'
import { type NeedsApproval, prepareRequest, type SpendPlan } from './spend.ts'

export type DryRun = Pick<PaymentIntent, 'payerId' | 'payeeId' | 'amountPaise'> &
  Partial<Pick<PaymentIntent, 'app'>>

type Evaluation = Pick<PolicyEvaluation, 'decision' | 'code' | 'message' | 'details'>

/** Decides a payment under the same locks as the payment itself, and posts nothing. */
export function evaluateCommand(agents: AgentPolicyCache, dryRun: DryRun): Command<PolicyEvaluation> {
  const { amountPaise } = dryRun
  const unsaid = { reference: null, note: null, idempotencyKey: null, uniqueReference: false, context: null }
  const intent = { app: null, ...dryRun, ...unsaid }
  const prepared = prepareRequest(agents, paymentSpending(agents, intent, { by: 'dry run' }))
  const feePaise = paymentFee(amountPaise)
  return {
    accounts: prepared.accounts,
    reads: prepared.reads,
    phases: prepared.phases,
    decide: batch => ({
      ...evaluationOf(prepared.decide(batch)),
      amount: rupees(amountPaise),
      fee: rupees(feePaise),
      total: rupees(amountPaise + feePaise),
    }),
  }
}

function evaluationOf(plan: Refusal | SpendPlan): Evaluation {
  switch (plan.kind) {
    case 'proceed':
      return { decision: 'approved', code: null, message: 'The payment would be made', details: null }
    case 'needs_approval':
      return approvalRequired(plan)
    case 'refusal': {
      const { code, message, details = null } = plan
      return { decision: code === 'escrow_required' ? code : 'denied', code, message, details }
    }
  }
}

function approvalRequired({ rule, layer, abovePaise }: NeedsApproval): Evaluation {
  return {
    decision: 'approval_required',
    code: null,
    message: `Payments above ${rupeesText(abovePaise)} INR wait for the owner’s approval by the ${layer} policy`,
    details: { rule, layer, approval_above: rupees(abovePaise) },
  }
}
