import type { ResponseOf, refundPayment } from '@batua/contract'
import type { Database } from '../../db/database.ts'
import { type AgentCaller, type AppIdentity, appOfCaller } from '../../http/caller.ts'
import { AppError, type Refusal, refuse } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, parseId } from '../../kernel/ids.ts'
import { type Paise, rupees, rupeesText, ZERO_PAISE } from '../../kernel/money.ts'
import { sameHash } from '../../kernel/secrets.ts'
import { type Command, type Ledger, type LedgerBatch, read } from '../../ledger/index.ts'
import { actorFor, record } from '../../operations/facts.ts'
import {
  type AgentPolicyCache,
  appReads,
  checkAppCap,
  countAppSpend,
  keyOfApp,
  refuseEndedApp,
} from '../limits/index.ts'
import { canReceive, decideBalance, decideSender } from './decide.ts'
import { refundedFact } from './facts.ts'
import { type KeyCheck, keyCheck, type RequestKey } from './idempotency.ts'
import { findPayment, type PaymentRow, refundables } from './store.ts'

export type Refund = ResponseOf<typeof refundPayment>

/** A refund as the payee of a payment requests it. */
export interface RefundOrder {
  readonly payment: PaymentRow
  readonly keyHash: Buffer
  /** The app that refunds for the agent; null: none does. */
  readonly app: AppIdentity | null
  /** null: the whole rest. */
  readonly amountPaise: Paise | null
  readonly idempotencyKey: string | null
}

export interface RefundsContext {
  readonly database: Database
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
}

/** Refunds a payment that the caller received. */
export async function refundReceived(
  { database, ledger, agents }: RefundsContext,
  caller: AgentCaller,
  address: string,
  order: Pick<RefundOrder, 'amountPaise' | 'idempotencyKey'>,
): Promise<Refund> {
  const id = parseId('pay', address)
  const payment = id === null ? null : await findPayment(database, id)
  if (payment === null || payment.payee !== caller.agentId) {
    throw new AppError('not_found', 'This agent has received no payment with this id')
  }
  const asker = { keyHash: caller.keyHash, app: appOfCaller(caller) }
  return ledger.submit(refundCommand(agents, { payment, ...asker, ...order }))
}

export function refundCommand(agents: AgentPolicyCache, order: RefundOrder): Command<Refund> {
  const { payer, payee, id } = order.payment
  const key = keyCheck(payee, keyOfRefund(order))
  return {
    accounts: [payee, payer],
    reads: [read(refundables, id), ...key.reads, ...appReads(keyOfApp(payee, order.app))],
    phases: [batch => agents.reads(batch, [payee, payer])],
    decide(batch) {
      const refused = refuseRefund(batch, agents, order, key)
      if (refused !== null) return refused
      return postRefund(batch, agents, order, key)
    },
  }
}

function refuseRefund(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  order: RefundOrder,
  key: KeyCheck,
): Refusal | null {
  const { payment } = order
  const app = keyOfApp(payment.payee, order.app)
  const ended = refuseEndedApp(batch, app)
  if (ended !== null) return ended
  const refunder = agents.facts(batch, payment.payee)
  const account = batch.account(payment.payee)
  const refundable = batch.read(refundables, payment.id)
  if (refunder === undefined || account === undefined || !sameHash(refunder.keyHash, order.keyHash)) {
    return refuse(
      'authentication_error',
      'The agent key is not valid; it may have been replaced, or its agent deactivated. Use the newest key',
    )
  }
  const used = key.refusal(batch)
  if (used !== null) return used
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
  return (
    checkAppCap(batch, app, amountPaise as Paise) ??
    decideBalance(account.balancePaise, amountPaise as Paise, ZERO_PAISE)
  )
}

/** A refund without an amount is the same as the one that left nothing to refund. */
function keyOfRefund({ payment, amountPaise, idempotencyKey }: RefundOrder): RequestKey | null {
  if (idempotencyKey === null) return null
  return {
    text: idempotencyKey,
    field: 'idempotency_key',
    isSame(batch, use) {
      if (use.kind !== 'refund' || use.linkedId !== payment.id) return false
      if (amountPaise !== null) return use.amountPaise === amountPaise
      const refundable = batch.read(refundables, payment.id)
      return refundable?.refundedPaise === payment.amountPaise && refundable.lastRefundId === use.id
    },
  }
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

function postRefund(batch: LedgerBatch, agents: AgentPolicyCache, order: RefundOrder, key: KeyCheck): Refund {
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
  batch.set(refundables, payment.id, { payment, refundedPaise: refundedTotal, lastRefundId: transfer.id })
  key.noteUse(batch, transfer)
  const [refunder, receiver] = [agents.facts(batch, payment.payee), agents.facts(batch, payment.payer)]
  const onePlatform = refunder?.platformId === receiver?.platformId
  const actor = actorFor(payment.payee, order.app)
  record(batch, refundedFact(actor, transfer, payment, refundedTotal, onePlatform))
  const app = keyOfApp(payment.payee, order.app)
  countAppSpend(batch, app, amountPaise, { refund_id: formatId('rfd', transfer.id) })
  return {
    refund_id: formatId('rfd', transfer.id),
    payment_id: formatId('pay', payment.id),
    amount: rupees(amountPaise),
    refunded_total: rupees(refundedTotal),
    transaction_id: formatId('txn', transfer.id),
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
