import type { listPayments, Payment, PaymentContext, QueryOf, ResponseOf } from '@batua/contract'
import type { Database } from '../../db/database.ts'
import type { Caller } from '../../http/caller.ts'
import { page, pageOf } from '../../http/paging.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import { requireAccess } from '../parties/index.ts'
import { contextOf, policyVersionOf } from './approvals/approval.ts'
import { selectApprovalsOf } from './approvals/store.ts'
import { selectContexts } from './context.ts'
import { countPayments, type ListedPayment, selectPayments } from './list-store.ts'
import { findPaymentOf } from './store.ts'

/** A payment that this agent made, for a client that lost the response. */
export async function lookUpPayment(
  db: Database,
  caller: Caller,
  agentId: string,
  paymentId: string,
): Promise<Payment> {
  const agent = await requireAccess(db, caller, agentId)
  const id = parseId('pay', paymentId)
  const [payment, beside] =
    id === null ? [null] : await Promise.all([findPaymentOf(db, agent.id, id), besidePayments(db, [id])])
  if (payment === null) throw new AppError('not_found', 'This agent has made no payment with this id')
  return paymentRecord({ ...payment, waits: false, at: payment.postedAt, terms: null }, beside)
}

export async function lookUpPayments(
  db: Database,
  caller: Caller,
  agentId: string,
  query: QueryOf<typeof listPayments>,
  now: Date,
): Promise<ResponseOf<typeof listPayments>> {
  const agent = await requireAccess(db, caller, agentId)
  const request = pageOf(query)
  const filter = {
    payer: agent.id,
    idempotencyKey: query.idempotency_key ?? null,
    reference: query.reference?.normalize() ?? null,
    now,
  }
  const [rows, total] = await Promise.all([selectPayments(db, filter, request), countPayments(db, filter)])
  const beside = await besidePayments(
    db,
    rows.filter(row => !row.waits).map(row => row.id),
  )
  return page('payments', rows, row => paymentRecord(row, beside), total, request)
}

/** What is stored elsewhere about payments that were made. */
interface BesidePayments {
  readonly contexts: ReadonlyMap<Uuid, PaymentContext>
  /** The approvals by which they were made. */
  readonly approvals: ReadonlyMap<Uuid, Uuid>
}

async function besidePayments(db: Database, ids: readonly Uuid[]): Promise<BesidePayments> {
  const [contexts, approvals] = await Promise.all([selectContexts(db, ids), selectApprovalsOf(db, ids)])
  return { contexts, approvals }
}

function paymentRecord(payment: ListedPayment, { contexts, approvals }: BesidePayments): Payment {
  return {
    ...becameOf(payment, approvals.get(payment.id)),
    from_balance: rupees(payment.payerBalancePaise),
    cost: rupees(payment.feePaise),
    created_at: payment.at.toISOString(),
    policy_version: payment.waits ? policyVersionOf(payment.terms) : payment.policyVersion,
    from: formatId('agt', payment.payer),
    to: formatId('agt', payment.payee),
    amount: rupees(payment.amountPaise),
    refunded_total: rupees(payment.refundedPaise),
    reference: payment.reference,
    context: payment.waits ? contextOf(payment.terms) : (contexts.get(payment.id) ?? null),
  }
}

function becameOf({ id, waits }: ListedPayment, approvedBy: Uuid | undefined) {
  if (waits) {
    return { payment_id: null, status: 'pending_approval', approval_id: formatId('apr', id) } as const
  }
  return {
    payment_id: formatId('pay', id),
    status: 'completed',
    ...(approvedBy === undefined ? {} : { approval_id: formatId('apr', approvedBy) }),
    receipt_id: formatId('rcp', id),
    transaction_id: formatId('txn', id),
  } as const
}
