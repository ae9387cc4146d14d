import type { PaymentResult } from '@batua/contract'
import { formatId } from '../../kernel/ids.ts'
import { type Paise, rupees, ZERO_PAISE } from '../../kernel/money.ts'
import type { Command, Ledger, Transfer } from '../../ledger/index.ts'
import { actorFor } from '../../operations/facts.ts'
import type { AgentPolicyCache } from '../limits/index.ts'
import { type Approval, type Executor, policyVersionOf, termsIn, termsOf } from './approvals/approval.ts'
import { paymentFee } from './fee.ts'
import { type PaymentIntent, paymentSpending, resultOf } from './payment.ts'
import { type RequestTerms, spendApproved, spendCommand } from './spend.ts'

/** A payment as an agent requests it. */
export interface PaymentOrder extends PaymentIntent {
  /** SHA-256 of the key that the request came with. */
  readonly keyHash: Buffer
  /** The agent asks for the owner's approval, whatever the amount. */
  readonly asksOwner: boolean
}

/** Pays, or requests the owner's approval. */
export function pay(ledger: Ledger, agents: AgentPolicyCache, order: PaymentOrder): Promise<PaymentResult> {
  return ledger.submit(payCommand(agents, order, result => result))
}

/** Pays, and returns the transfer that the ledger posted with the result; null while the payment waits. */
export function payWithTransfer(
  ledger: Ledger,
  agents: AgentPolicyCache,
  order: PaymentOrder,
): Promise<{ readonly result: PaymentResult; readonly posted: Transfer | null }> {
  return ledger.submit(payCommand(agents, order, (result, posted) => ({ result, posted })))
}

/** `responseOf` gets the result and the transfer; null: the payment waits for approval. */
function payCommand<Reply extends object>(
  agents: AgentPolicyCache,
  order: PaymentOrder,
  responseOf: (result: PaymentResult, transfer: Transfer | null) => Reply,
): Command<Reply> {
  const { keyHash, asksOwner } = order
  const spending = paymentSpending(agents, order, { by: 'agent', keyHash, asksOwner })
  return spendCommand(
    agents,
    spending,
    () => ({ request: requestOf(order), actor: actorFor(order.payerId, order.app) }),
    {
      posted: (transfer, policyVersion) => responseOf(resultOf(transfer, policyVersion), transfer),
      waiting: (approval, batch) =>
        responseOf(waitingResult(approval, batch.account(order.payerId)?.balancePaise ?? ZERO_PAISE), null),
    },
  )
}

/** Pays what an owner approves, with the approval's own key and reference. */
export function executePayment(agents: AgentPolicyCache): Executor {
  return (approval, approver) => {
    const intent = { ...approval, payerId: approval.agentId, ...termsIn(approval) }
    const spending = paymentSpending(agents, intent, { by: 'owner' })
    return spendApproved(agents, spending, { approval, approver }, (transfer, policyVersion) => ({
      made: { payment: resultOf(transfer, policyVersion) },
    }))
  }
}

function requestOf(order: PaymentOrder): RequestTerms {
  const { payeeId, amountPaise, reference, note, idempotencyKey, uniqueReference } = order
  return {
    ...{ agentId: order.payerId, payeeId, amountPaise, reference, note, idempotencyKey, uniqueReference },
    kind: 'payment',
    feePaise: paymentFee(amountPaise),
    terms: termsOf(null, order.context, order.app),
  }
}

function waitingResult(approval: Approval, balancePaise: Paise): PaymentResult {
  return {
    payment_id: null,
    status: 'pending_approval',
    from_balance: rupees(balancePaise),
    cost: rupees(approval.feePaise),
    approval_id: formatId('apr', approval.id),
    created_at: approval.createdAt.toISOString(),
    policy_version: policyVersionOf(approval.terms),
  }
}
