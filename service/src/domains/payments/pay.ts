import type { PaymentResult } from '@batua/contract'
import { formatId } from '../../kernel/ids.ts'
import { type Paise, rupees, ZERO_PAISE } from '../../kernel/money.ts'
import type { Command, Ledger, Transfer } from '../../ledger/index.ts'
import { agentActor } from '../../operations/facts.ts'
import type { AgentPolicyCache } from '../limits/index.ts'
import type { Approval, Executor } from './approvals/approval.ts'
import { contextOf, policyVersionOf, termsOf } from './approvals/terms.ts'
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
  return ledger.submit(payCommand(agents, order, resultOf))
}

/** Pays, and returns the transfer that the ledger posted with the result; null while the payment waits. */
export async function payWithTransfer(
  ledger: Ledger,
  agents: AgentPolicyCache,
  order: PaymentOrder,
): Promise<{ readonly result: PaymentResult; readonly posted: Transfer | null }> {
  let posted: Transfer | null = null
  const result = await ledger.submit(
    payCommand(agents, order, (transfer, policyVersion) => {
      posted = transfer
      return resultOf(transfer, policyVersion)
    }),
  )
  // A batch that is decided again may need the owner's approval this time.
  return { result, posted: result.payment_id === null ? null : posted }
}

function payCommand(
  agents: AgentPolicyCache,
  order: PaymentOrder,
  posted: (transfer: Transfer, policyVersion: string) => PaymentResult,
): Command<PaymentResult> {
  const { keyHash, asksOwner } = order
  const spending = paymentSpending(agents, order, { by: 'agent', keyHash, asksOwner })
  return spendCommand(
    agents,
    spending,
    () => ({ request: requestOf(order), actor: agentActor(order.payerId) }),
    {
      posted,
      waiting: (approval, batch) =>
        waitingResult(approval, batch.account(order.payerId)?.balancePaise ?? ZERO_PAISE),
    },
  )
}

/** Pays what an owner approves, with the approval's own key and reference. */
export function executePayment(agents: AgentPolicyCache): Executor {
  return (approval, approver) => {
    const intent = { ...approval, payerId: approval.agentId, context: contextOf(approval.terms) }
    const spending = paymentSpending(agents, intent, { by: 'owner' })
    return spendApproved(agents, spending, { approval, approver }, (transfer, policyVersion) => ({
      payment: resultOf(transfer, policyVersion),
    }))
  }
}

function requestOf(order: PaymentOrder): RequestTerms {
  const { payeeId, amountPaise, reference, note, idempotencyKey, uniqueReference } = order
  return {
    ...{ agentId: order.payerId, payeeId, amountPaise, reference, note, idempotencyKey, uniqueReference },
    kind: 'payment',
    feePaise: paymentFee(amountPaise),
    terms: termsOf(null, order.context),
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
