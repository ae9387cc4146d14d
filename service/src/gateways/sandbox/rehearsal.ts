import type { Database, Queryable } from '../../db/database.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newUuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { PaidMethod } from '../payment-gateway.ts'
import { makeNotice, type NoticeType, type OutgoingNotice } from './notices.ts'
import {
  type DueCollect,
  insertPayment,
  lockOrder,
  markChargedBack,
  resolvePayment,
  type SandboxOrder,
  type SandboxPayment,
  selectDueCollects,
  selectPayment,
  selectPayments,
  updateOrderStatus,
} from './store.ts'

/** Posts a notice to our intake. It resolves when the intake has answered, whatever it answered. */
export type Deliver = (notice: OutgoingNotice) => Promise<void>

/** An attempt to pay that differs from a plain success. */
export interface AttemptOptions {
  readonly method: PaidMethod
  readonly amountPaise?: Paise
  readonly currency?: string
}

/** What the outside world can do to an order: the human on the page, the bank behind, the network between. */
export interface Rehearsal {
  /** Money moves, also on an order that is closed: a bank may be late. */
  pay(orderId: string, options: AttemptOptions): Promise<SandboxPayment>
  /** An attempt without money: declined, abandoned, or still waiting at the bank. */
  attempt(
    orderId: string,
    method: PaidMethod,
    status: 'failed' | 'dropped' | 'pending',
  ): Promise<SandboxPayment>
  /** The order's time is over, or it was ended. It takes no more attempts. */
  close(orderId: string, status: 'expired' | 'terminated'): Promise<void>
  /** The first payment that succeeded; null when none did. */
  firstPaid(orderId: string): Promise<SandboxPayment | null>
  /** The bank takes a payment back for good. */
  chargeBack(orderId: string, paymentId: string): Promise<SandboxPayment>
  /** Tells our intake about a payment, as often as it is called. */
  notify(type: NoticeType, payment: SandboxPayment): Promise<void>
  /** A success notice for an unpaid order, signed with a key that is not the gateway's. */
  forge(orderId: string): Promise<void>
  /** Lets the payers who have an answer ready give it. Returns how many did. */
  answerCollects(now: Date, limit: number): Promise<number>
}

export interface RehearsalOptions {
  readonly database: Database
  readonly clock: Clock
  readonly secret: string
  readonly deliver: Deliver
}

export function openRehearsal({ database, clock, secret, deliver }: RehearsalOptions): Rehearsal {
  async function notify(type: NoticeType, payment: SandboxPayment, key = secret): Promise<void> {
    const order = await database.inTransaction(tx => lockOrder(tx, payment.orderId))
    assert(order !== null, 'a payment has an order')
    await deliver(makeNotice(type, order, payment, key, clock.now()))
  }

  return {
    notify: (type, payment) => notify(type, payment),
    pay: (orderId, options) =>
      database.inTransaction(async tx => {
        const order = await existing(tx, orderId)
        const payment = newPayment(order, clock.now(), 'success', options)
        await insertPayment(tx, payment)
        if (isExact(order, payment)) await updateOrderStatus(tx, orderId, 'paid')
        return payment
      }),
    attempt: (orderId, method, status) =>
      database.inTransaction(async tx => {
        const payment = newPayment(await existing(tx, orderId), clock.now(), status, { method })
        await insertPayment(tx, payment)
        return payment
      }),
    close: (orderId, status) =>
      database.inTransaction(async tx => {
        const order = await existing(tx, orderId)
        if (order.status === 'active') await updateOrderStatus(tx, orderId, status)
      }),
    chargeBack: (orderId, paymentId) =>
      database.inTransaction(async tx => {
        await existing(tx, orderId)
        await markChargedBack(tx, paymentId)
        const payment = await selectPayment(tx, paymentId)
        assert(payment !== null, 'the sandbox gateway took this payment')
        return payment
      }),
    async firstPaid(orderId) {
      const payments = await selectPayments(database, orderId)
      return payments.find(payment => payment.status === 'success') ?? null
    },
    async forge(orderId) {
      const order = await database.inTransaction(tx => existing(tx, orderId))
      await notify(
        'PAYMENT_SUCCESS_WEBHOOK',
        newPayment(order, clock.now(), 'success', { method: 'upi' }),
        'forged',
      )
    },
    async answerCollects(now, limit) {
      const due = await selectDueCollects(database, now, limit)
      for (const collect of due) {
        const answered = await database.inTransaction(tx => answerCollect(tx, collect, now))
        if (answered === null) continue
        const type = collect.resolvesTo === 'success' ? 'PAYMENT_SUCCESS_WEBHOOK' : 'PAYMENT_FAILED_WEBHOOK'
        await notify(type, answered)
      }
      return due.length
    },
  }
}

async function existing(tx: Queryable, orderId: string): Promise<SandboxOrder> {
  const order = await lockOrder(tx, orderId)
  assert(order !== null, 'the sandbox gateway knows the order')
  return order
}

function isExact(order: SandboxOrder, payment: SandboxPayment): boolean {
  return payment.amountPaise === order.amountPaise && payment.currency === order.currency
}

function newPayment(
  order: SandboxOrder,
  now: Date,
  status: SandboxPayment['status'],
  { method, amountPaise = order.amountPaise, currency = order.currency }: AttemptOptions,
): SandboxPayment {
  const id = newUuid(now)
  const paid = status === 'success'
  return {
    id,
    orderId: order.orderId,
    method,
    status,
    amountPaise,
    currency,
    bankReference: paid ? bankReferenceOf(id) : null,
    chargedBack: false,
    createdAt: now,
    paidAt: paid ? now : null,
  }
}

/** Twelve digits, as a UPI RRN has. */
function bankReferenceOf(paymentId: string): string {
  const digits = BigInt(`0x${paymentId.replaceAll('-', '').slice(-15)}`) % 1_000_000_000_000n
  return digits.toString().padStart(12, '0')
}

async function answerCollect(
  tx: Queryable,
  { id, orderId, resolvesTo }: DueCollect,
  now: Date,
): Promise<SandboxPayment | null> {
  const order = await existing(tx, orderId)
  const paid = resolvesTo === 'success'
  const resolved = await resolvePayment(
    tx,
    id,
    resolvesTo,
    paid ? bankReferenceOf(id) : null,
    paid ? now : null,
  )
  if (!resolved) return null
  if (paid && order.status !== 'paid') await updateOrderStatus(tx, orderId, 'paid')
  return selectPayment(tx, id)
}
