import type { ResponseOf, refundPayment } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId } from '../../kernel/ids.ts'
import { type Paise, rupees, rupeesText, ZERO_PAISE } from '../../kernel/money.ts'
import { sameHash } from '../../kernel/secrets.ts'
import { type Command, type LedgerBatch, read, type Transfer } from '../../ledger/index.ts'
import { agentActor } from '../../operations/act.ts'
import { record } from '../../operations/record.ts'
import { emit } from '../../operations/record-events.ts'
import type { AgentPolicyCache } from '../limits/index.ts'
import { canReceive, decideBalance, decideSender, keyUsed } from './decide.ts'
import { type PaymentRow, refundables } from './store.ts'
import { activeUse, type PayerKey, usedKeys } from './uses.ts'

export type Refund = ResponseOf<typeof refundPayment>

/** A refund as the payee of a payment requests it. */
export interface RefundOrder {
  readonly payment: PaymentRow
  readonly keyHash: Buffer
  /** null: the whole rest. */
  readonly amountPaise: Paise | null
  readonly idempotencyKey: string | null
}

export function refundCommand(agents: AgentPolicyCache, order: RefundOrder): Command<Refund> {
  const { payer, payee, id } = order.payment
  const keyed: PayerKey | null =
    order.idempotencyKey === null ? null : { payer: payee, key: order.idempotencyKey }
  return {
    accounts: [payee, payer],
    reads: [read(refundables, id), ...(keyed === null ? [] : [read(usedKeys, keyed)])],
    steps: [batch => agents.reads(batch, [payee, payer])],
    decide(batch) {
      const refused = refuseRefund(batch, agents, order, keyed)
      if (refused !== null) return refused
      return postRefund(batch, agents, order, keyed)
    },
  }
}

function refuseRefund(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  order: RefundOrder,
  keyed: PayerKey | null,
): Refusal | null {
  const { payment } = order
  const refunder = agents.facts(batch, payment.payee)
  const account = batch.account(payment.payee)
  const refundable = batch.read(refundables, payment.id)
  if (refunder === undefined || account === undefined || !sameHash(refunder.keyHash, order.keyHash)) {
    return refuse(
      'authentication_error',
      'The agent key is not valid; it may have been replaced, or its agent deactivated. Use the newest key',
    )
  }
  const used = keyed === null ? undefined : activeUse(batch.read(usedKeys, keyed), batch.nowMs)
  if (used !== undefined) return keyUsed(used)
  const stopped = decideSender(refunder.status)
  if (stopped !== null) return stopped
  if (refundable === undefined) return refuse('not_found', 'There is no such payment')
  // The request was prepared from a row that was read before the lock, without verifying its MAC.
  assert(isSamePayment(refundable.payment, payment), 'a payment is what it was')
  const receiver = agents.facts(batch, payment.payer)
  if (receiver === undefined || !canReceive(receiver.status)) {
    return refuse('validation_error', `The payer is ${receiver?.status ?? 'gone'} and cannot be refunded now`)
  }

  const leftPaise = payment.amountPaise - refundable.refundedPaise
  const amountPaise = order.amountPaise ?? leftPaise
  if (leftPaise === 0n || amountPaise > leftPaise) return tooMuch(payment, refundable.refundedPaise)
  return decideBalance(account.balancePaise, amountPaise as Paise, ZERO_PAISE)
}

/** Everything that a refund writes. */
function isSamePayment(left: PaymentRow, right: PaymentRow): boolean {
  return (
    left.payer === right.payer &&
    left.payee === right.payee &&
    left.amountPaise === right.amountPaise &&
    left.reference === right.reference
  )
}

function postRefund(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  order: RefundOrder,
  keyed: PayerKey | null,
): Refund {
  const { payment } = order
  const refundedPaise = batch.read(refundables, payment.id)?.refundedPaise ?? ZERO_PAISE
  const amountPaise = order.amountPaise ?? ((payment.amountPaise - refundedPaise) as Paise)
  const transfer = batch.post({
    kind: 'refund',
    debit: payment.payee,
    credit: payment.payer,
    amountPaise,
    linkedId: payment.id,
    idempotencyKey: order.idempotencyKey,
    reference: payment.reference,
  })
  const refundedTotal = (refundedPaise + amountPaise) as Paise
  batch.set(refundables, payment.id, { payment, refundedPaise: refundedTotal })
  if (keyed !== null) batch.set(usedKeys, keyed, { id: transfer.id, kind: transfer.kind })
  recordRefund(batch, transfer, payment)
  const refund = {
    refund_id: formatId('rfd', transfer.id),
    payment_id: formatId('pay', payment.id),
    amount: rupees(amountPaise),
    refunded_total: rupees(refundedTotal),
  }
  notifyOfRefund(batch, agents, payment, refund)
  return { ...refund, transaction_id: formatId('txn', transfer.id) }
}

function recordRefund(batch: LedgerBatch, { id, amountPaise }: Transfer, payment: PaymentRow): void {
  record(batch, {
    agentId: payment.payee,
    actor: agentActor(payment.payee),
    action: 'payment.refunded',
    target: formatId('rfd', id),
    data: {
      payment_id: formatId('pay', payment.id),
      to: formatId('agt', payment.payer),
      amount: rupees(amountPaise),
      transaction_id: formatId('txn', id),
    },
  })
}

/** One event for each platform concerned. A platform that has both sides gets one, for the agent that was refunded. */
function notifyOfRefund(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  { payer, payee }: PaymentRow,
  refund: Omit<Refund, 'transaction_id'>,
): void {
  const [from, to] = [formatId('agt', payee), formatId('agt', payer)]
  const onePlatform = agents.facts(batch, payee)?.platformId === agents.facts(batch, payer)?.platformId
  for (const agentId of onePlatform ? [payer] : [payee, payer]) {
    const data = { agent_id: formatId('agt', agentId), ...refund, from, to }
    emit(batch, { name: 'agent.payment.refunded', agentId, data })
  }
}

function tooMuch(payment: PaymentRow, refundedPaise: Paise): Refusal {
  const leftPaise = payment.amountPaise - refundedPaise
  const message =
    leftPaise > 0n
      ? `Of this payment ${rupeesText(leftPaise)} INR can still be refunded; ask for no more than that`
      : 'All of this payment was refunded already'
  return refuse('conflict', message, {
    field: 'amount',
    details: {
      amount: rupees(payment.amountPaise),
      refunded_total: rupees(refundedPaise),
      remaining: rupees(leftPaise),
    },
  })
}
