import type { PaymentResult } from '@batua/contract'
import type { Refusal } from '../../kernel/app-error.ts'
import { typeidSuffix, type Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees } from '../../kernel/money.ts'
import { type Book, type Command, type Ledger, type Need, need, type Transfer } from '../../ledger/index.ts'
import {
  type AgentRegister,
  checkLimits,
  countCounterparty,
  limitNeeds,
  watchesCounterparties,
} from '../policies/index.ts'
import { decidePayment } from './decide.ts'
import { payerKey, referenceKey, usedKeys, usedReferences } from './store.ts'

/** A payment as asked for, parsed: money in paise, the payee resolved. */
export interface PaymentOrder {
  readonly payerId: Uuid
  readonly keyHash: Buffer
  /** null: no agent has the id or handle that was given. */
  readonly payeeId: Uuid | null
  readonly amountPaise: Paise
  readonly reference: string | null
  readonly note: string | null
  readonly idempotencyKey: string | null
  readonly uniqueReference: boolean
}

/** Pays: everything is decided and written in one commit with its neighbours. */
export function pay(ledger: Ledger, agents: AgentRegister, order: PaymentOrder): Promise<PaymentResult> {
  return ledger.submit(paymentCommand(agents, order))
}

function paymentCommand(agents: AgentRegister, order: PaymentOrder): Command<PaymentResult> {
  const { payerId, payeeId } = order
  const accounts = payeeId === null || payeeId === payerId ? [payerId] : [payerId, payeeId]
  return {
    accounts,
    needs: needsOf(order),
    steps: [book => agents.needs(book, accounts), book => limitNeedsOf(book, agents, order)],
    decide: book => decideAndPost(book, agents, order),
  }
}

function needsOf(order: PaymentOrder): Need[] {
  const { payerId, payeeId, idempotencyKey, reference } = order
  const needs: Need[] = []
  if (idempotencyKey !== null) needs.push(need(usedKeys, payerKey(payerId, idempotencyKey)))
  if (order.uniqueReference && payeeId !== null && reference !== null) {
    needs.push(need(usedReferences, referenceKey(payerId, payeeId, reference)))
  }
  return needs
}

function limitNeedsOf(book: Book, agents: AgentRegister, order: PaymentOrder): Need[] {
  const facts = agents.facts(book, order.payerId)
  const payer = book.account(order.payerId)
  if (facts === undefined || payer === undefined || order.payeeId === null) return []
  return limitNeeds(book, {
    layers: facts.layers,
    payer,
    payeeId: order.payeeId,
    amountPaise: order.amountPaise,
  })
}

function decideAndPost(book: Book, agents: AgentRegister, order: PaymentOrder): Refusal | PaymentResult {
  const { payerId, payeeId, reference, idempotencyKey, amountPaise } = order
  const keyed = idempotencyKey === null ? null : payerKey(payerId, idempotencyKey)
  // Every payment with a reference makes it known to the rest of the batch, unique or not.
  const referenced = reference === null || payeeId === null ? null : referenceKey(payerId, payeeId, reference)
  const payer = agents.facts(book, payerId)
  const plan = decidePayment({
    payer,
    payerAccount: book.account(payerId),
    payee: payeeId === null ? undefined : agents.facts(book, payeeId),
    payeeAccount: payeeId === null ? undefined : book.account(payeeId),
    keyHash: order.keyHash,
    amountPaise,
    sameKey: keyed === null ? undefined : book.fact(usedKeys, keyed),
    sameReference:
      order.uniqueReference && referenced !== null ? book.fact(usedReferences, referenced) : undefined,
    checkLimits: (from, account, to) =>
      checkLimits(book, { layers: from.layers, payer: account, payeeId: to.id, amountPaise }),
  })
  if (plan.kind === 'refusal') return plan

  const transfer = book.post({
    kind: 'payment',
    debit: payerId,
    credit: plan.payeeId,
    amountPaise,
    feePaise: plan.feePaise,
    idempotencyKey,
    reference,
    note: order.note,
  })
  if (keyed !== null) book.setFact(usedKeys, keyed, { id: transfer.id, kind: transfer.kind })
  // The first payment with a reference is the one that is named, so a later one does not take its place.
  if (referenced !== null && book.fact(usedReferences, referenced) === undefined) {
    book.setFact(usedReferences, referenced, transfer.id)
  }
  if (payer !== undefined && watchesCounterparties(payer.layers)) {
    countCounterparty(book, plan.payerAccount, plan.payeeId, amountPaise)
  }
  return resultOf(transfer)
}

function resultOf(transfer: Transfer): PaymentResult {
  const suffix = typeidSuffix(transfer.id)
  return {
    payment_id: `pay_${suffix}`,
    status: 'completed',
    from_balance: rupees(transfer.debitBalancePaise ?? 0n),
    cost: rupees(transfer.feePaise),
    receipt_id: `rcp_${suffix}`,
    transaction_id: `txn_${suffix}`,
    created_at: transfer.postedAt.toISOString(),
  }
}
