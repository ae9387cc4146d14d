import type { PolicyEvaluation } from '@batua/contract'
import type { Refusal } from '../../kernel/app-error.ts'
import { rupees, rupeesText } from '../../kernel/money.ts'
import type { Command } from '../../ledger/index.ts'
import type { AgentPolicyCache, Threshold } from '../limits/index.ts'
import { decidePlace, waitingReads } from './approvals/waiting.ts'
import { paymentFee } from './fee.ts'
import { type PaymentIntent, paymentSpending } from './payment.ts'
import { prepareSpend, type SpendPlan } from './spend.ts'

export type DryRun = Pick<PaymentIntent, 'payerId' | 'payeeId' | 'amountPaise'>

type Evaluation = Pick<PolicyEvaluation, 'decision' | 'code' | 'message' | 'details'>

/** Decides a payment under the same locks as the payment itself, and posts nothing. */
export function evaluateCommand(agents: AgentPolicyCache, dryRun: DryRun): Command<PolicyEvaluation> {
  const { payerId, amountPaise } = dryRun
  const intent = { ...dryRun, reference: null, note: null, idempotencyKey: null, uniqueReference: false }
  const prepared = prepareSpend(agents, paymentSpending(agents, intent, { by: 'dry run' }))
  const feePaise = paymentFee(amountPaise)
  return {
    accounts: prepared.accounts,
    reads: prepared.reads,
    steps: [...(prepared.steps ?? []), batch => waitingReads(agents.facts(batch, payerId), amountPaise)],
    decide(batch) {
      const plan = prepared.decide(batch)
      // Approval is possible only while fewer than the maximum of approvals wait.
      const full = plan.kind === 'needs_approval' ? decidePlace(batch, payerId) : null
      return {
        ...evaluationOf(full ?? plan),
        amount: rupees(amountPaise),
        fee: rupees(feePaise),
        total: rupees(amountPaise + feePaise),
      }
    },
  }
}

function evaluationOf(plan: Refusal | SpendPlan): Evaluation {
  switch (plan.kind) {
    case 'proceed':
      return { decision: 'approved', code: null, message: 'The payment would be made', details: null }
    case 'needs_approval':
      return approvalRequired(plan.threshold)
    case 'refusal': {
      const { code, message, details = null } = plan
      return { decision: code === 'escrow_required' ? code : 'denied', code, message, details }
    }
  }
}

function approvalRequired({ layer, abovePaise }: Threshold): Evaluation {
  const rule = 'require_human_approval_above'
  return {
    decision: 'approval_required',
    code: null,
    message: `Payments above ${rupeesText(abovePaise)} INR wait for the owner’s approval by the ${layer} policy`,
    details: { rule, layer, approval_above: rupees(abovePaise) },
  }
}
