import type { Queryable } from '../../../db/database.ts'
import type { PaidMethod, RefundStatus } from '../../../gateways/payment-gateway.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { isThere } from '../../../operations/due-work.ts'

export interface SandboxOrder {
  readonly orderId: string
  readonly gatewayOrderId: string
  readonly amountPaise: Paise
  readonly currency: string
  readonly note: string
  readonly status: 'active' | 'paid' | 'expired' | 'terminated'
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface SandboxPayment {
  readonly id: Uuid
  readonly orderId: string
  readonly method: PaidMethod
  readonly status: 'pending' | 'success' | 'failed' | 'dropped'
  readonly amountPaise: Paise
  readonly currency: string
  readonly bankReference: string | null
  readonly chargedBack: boolean
  /** The outcome of a refund of it where the refund is not completed at once. */
  readonly refundFault: 'pending' | 'failed' | null
  readonly createdAt: Date
  readonly paidAt: Date | null
}

const ORDER = `order_id as "orderId", gateway_order_id as "gatewayOrderId", amount_paise as "amountPaise",
  currency, note, status, created_at as "createdAt", expires_at as "expiresAt"`

const PAYMENT = `id, order_id as "orderId", method, status, amount_paise as "amountPaise", currency,
  bank_reference as "bankReference", charged_back as "chargedBack", refund_fault as "refundFault", created_at as "createdAt",
  paid_at as "paidAt"`

/** Returns false when an order of that id exists already. */
export async function insertOrder(db: Queryable, order: SandboxOrder): Promise<boolean> {
  const rows = await db.query(
    `insert into sandbox_orders (order_id, gateway_order_id, amount_paise, currency, note, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning order_id`,
    [
      order.orderId,
      order.gatewayOrderId,
      order.amountPaise,
      order.currency,
      order.note,
      order.createdAt,
      order.expiresAt,
    ],
  )
  return rows.length === 1
}

export async function selectOrder(db: Queryable, orderId: string): Promise<SandboxOrder | null> {
  const [row] = await db.query<SandboxOrder>(`select ${ORDER} from sandbox_orders where order_id = $1`, [
    orderId,
  ])
  return row ?? null
}

export async function lockOrder(tx: Queryable, orderId: string): Promise<SandboxOrder | null> {
  const [row] = await tx.query<SandboxOrder>(
    `select ${ORDER} from sandbox_orders where order_id = $1 for update`,
    [orderId],
  )
  return row ?? null
}

export async function updateOrderStatus(
  tx: Queryable,
  orderId: string,
  status: SandboxOrder['status'],
): Promise<void> {
  await tx.query(`update sandbox_orders set status = $2 where order_id = $1`, [orderId, status])
}

export async function insertPayment(
  tx: Queryable,
  payment: SandboxPayment,
  resolves: { readonly at: Date; readonly to: 'success' | 'failed' } | null = null,
): Promise<void> {
  await tx.query(
    `insert into sandbox_payments (id, order_id, method, status, amount_paise, currency, bank_reference, created_at,
       paid_at, refund_fault, resolves_at, resolves_to)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      payment.id,
      payment.orderId,
      payment.method,
      payment.status,
      payment.amountPaise,
      payment.currency,
      payment.bankReference,
      payment.createdAt,
      payment.paidAt,
      payment.refundFault,
      resolves?.at ?? null,
      resolves?.to ?? null,
    ],
  )
}

export async function selectPayments(db: Queryable, orderId: string): Promise<SandboxPayment[]> {
  return db.query<SandboxPayment>(
    `select ${PAYMENT} from sandbox_payments where order_id = $1 order by created_at, id`,
    [orderId],
  )
}

export async function selectPayment(db: Queryable, id: Uuid): Promise<SandboxPayment | null> {
  const [row] = await db.query<SandboxPayment>(`select ${PAYMENT} from sandbox_payments where id = $1`, [id])
  return row ?? null
}

export async function markChargedBack(tx: Queryable, id: Uuid, now: Date): Promise<void> {
  await tx.query(`update sandbox_payments set charged_back = true, charged_back_at = $2 where id = $1`, [
    id,
    now,
  ])
}

/** A payment that is due to be decided: its order, and the result. */
export interface DuePayment {
  readonly id: Uuid
  readonly orderId: string
  readonly resolvesAt: Date
  readonly resolvesTo: 'success' | 'failed'
}

const DUE = `id, order_id as "orderId", resolves_at as "resolvesAt", resolves_to as "resolvesTo"`

export const PAYMENTS_DUE = isThere(
  'select from sandbox_payments where resolves_at <= $1 order by resolves_at limit 1',
)

export async function selectDuePayments(db: Queryable, now: Date, limit: number): Promise<DuePayment[]> {
  return db.query<DuePayment>(
    `select ${DUE} from sandbox_payments where resolves_at <= $1 order by resolves_at limit $2`,
    [now, limit],
  )
}

export async function selectDuePaymentsOf(db: Queryable, orderId: string, now: Date): Promise<DuePayment[]> {
  return db.query<DuePayment>(
    `select ${DUE} from sandbox_payments where order_id = $1 and resolves_at <= $2 order by resolves_at`,
    [orderId, now],
  )
}

/** Returns false when another call resolved it first. */
export async function resolvePayment(
  tx: Queryable,
  id: Uuid,
  status: 'success' | 'failed',
  bankReference: string | null,
  paidAt: Date | null,
): Promise<boolean> {
  const rows = await tx.query(
    `update sandbox_payments
     set status = $2, bank_reference = $3, paid_at = $4, resolves_at = null, resolves_to = null
     where id = $1 and resolves_at is not null returning id`,
    [id, status, bankReference, paidAt],
  )
  return rows.length === 1
}

export interface SandboxRefund {
  readonly refundId: string
  readonly orderId: string
  readonly paymentId: Uuid
  readonly amountPaise: Paise
  readonly status: RefundStatus
  readonly createdAt: Date
  /** When the refund is completed; in the future while it is pending, null when it never is. */
  readonly doneAt: Date | null
}

export async function insertRefund(tx: Queryable, refund: SandboxRefund): Promise<void> {
  await tx.query(
    `insert into sandbox_refunds (refund_id, order_id, payment_id, amount_paise, status, created_at, done_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      refund.refundId,
      refund.orderId,
      refund.paymentId,
      refund.amountPaise,
      refund.status,
      refund.createdAt,
      refund.doneAt,
    ],
  )
}

export async function selectRefund(db: Queryable, refundId: string, now: Date): Promise<RefundStatus | null> {
  const [row] = await db.query<{ status: RefundStatus }>(
    `select case when done_at <= $2 then 'done' else status end as status from sandbox_refunds
     where refund_id = $1`,
    [refundId, now],
  )
  return row?.status ?? null
}

export async function sumRefunded(db: Queryable, paymentId: Uuid): Promise<bigint> {
  const [row] = await db.query<{ sum: bigint }>(
    `select coalesce(sum(amount_paise), 0)::int8 as sum from sandbox_refunds
     where payment_id = $1 and status <> 'failed'`,
    [paymentId],
  )
  return row?.sum ?? 0n
}
