import type { PaymentResult } from '@batua/contract'
import { formatId } from '../../kernel/ids.ts'
import { type Paise, rupees, ZERO_PAISE } from '../../kernel/money.ts'
import type { Book, Command, Ledger, Transfer } from '../../ledger/index.ts'
import {
  type Approval,
  type ApprovalRequest,
  approvalIn,
  approvalNeed,
  decidePlace,
  placeNeeds,
  requestApproval,
} from '../approvals/index.ts'
import { agentActor } from '../audit/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { type PaymentIntent, preparePayment, resultOf } from './command.ts'
import type { ApprovalPlan } from './decide.ts'

/** A payment as an agent asks for it. */
export interface PaymentOrder extends PaymentIntent {
  /** SHA-256 of the key that the request came with. */
  readonly keyHash: Buffer
}

/** Pays, or asks the owner: everything is decided and written in one commit with its neighbours. */
export function pay(ledger: Ledger, agents: AgentRegister, order: PaymentOrder): Promise<PaymentResult> {
  return ledger.submit(payCommand(agents, order, null))
}

/** Pays, and returns the transfer that the ledger posted beside the result; null while the payment waits. */
export async function payWithTransfer(
  ledger: Ledger,
  agents: AgentRegister,
  order: PaymentOrder,
): Promise<{ readonly result: PaymentResult; readonly posted: Transfer | null }> {
  let posted: Transfer | null = null
  const onPosted = (transfer: Transfer) => {
    posted = transfer
  }
  const result = await ledger.submit(payCommand(agents, order, onPosted))
  // A batch that is decided again may ask the owner this time.
  return { result, posted: result.payment_id === null ? null : posted }
}

function payCommand(
  agents: AgentRegister,
  order: PaymentOrder,
  onPosted: ((transfer: Transfer) => void) | null,
): Command<PaymentResult> {
  const payment = preparePayment(agents, order, { by: 'agent', keyHash: order.keyHash })
  // What an earlier decision of this very command asked: if that was committed and the answer lost, it is done.
  let asked: Approval | null = null
  return {
    ...payment,
    steps: [
      ...payment.steps,
      book => {
        const needs = placeNeeds(agents.facts(book, order.payerId), order.amountPaise)
        return asked === null ? needs : [...needs, approvalNeed(asked)]
      },
    ],
    decide(book) {
      const known = asked === null ? undefined : approvalIn(book, asked)
      if (known !== undefined) return waitingResult(known, balanceIn(book, known))
      const plan = payment.decide(book)
      if (plan.kind === 'refusal') return plan
      if (plan.kind === 'pay') {
        const transfer = payment.post(book, plan)
        onPosted?.(transfer)
        return resultOf(transfer)
      }
      const full = decidePlace(book, order.payerId)
      if (full !== null) return full
      asked = ask(book, order, plan)
      payment.noteUse(book, { kind: 'approval', id: asked.id, expiresAt: asked.expiresAt })
      return waitingResult(asked, plan.payerAccount.balancePaise)
    },
  }
}

function ask(book: Book, order: PaymentOrder, plan: ApprovalPlan): Approval {
  const request: ApprovalRequest = {
    agentId: order.payerId,
    kind: 'payment',
    payeeId: plan.payeeId,
    amountPaise: plan.amountPaise,
    feePaise: plan.feePaise,
    reference: order.reference,
    note: order.note,
    idempotencyKey: order.idempotencyKey,
    uniqueReference: order.uniqueReference,
    layer: plan.threshold.layer,
    terms: null,
  }
  return requestApproval(book, request, agentActor(order.payerId))
}

function balanceIn(book: Book, { agentId }: Approval): Paise {
  return book.account(agentId)?.balancePaise ?? ZERO_PAISE
}

function waitingResult(approval: Approval, balancePaise: Paise): PaymentResult {
  return {
    payment_id: null,
    status: 'pending_approval',
    from_balance: rupees(balancePaise),
    cost: rupees(approval.feePaise),
    approval_id: formatId('apr', approval.id),
    created_at: approval.createdAt.toISOString(),
  }
}
