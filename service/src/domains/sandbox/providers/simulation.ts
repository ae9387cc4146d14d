import type { Queryable } from '../../../db/database.ts'
import type { PaidMethod } from '../../../gateways/payment-gateway.ts'
import { assert } from '../../../kernel/assert.ts'
import { type AttemptOptions, newPayment } from './new-payment.ts'
import { resolveDue } from './resolve-due.ts'
import { openWebhookSimulation, type SimulationOptions, type WebhookSimulation } from './simulate-webhooks.ts'
import {
  insertPayment,
  lockOrder,
  markChargedBack,
  type SandboxOrder,
  type SandboxPayment,
  selectDuePayments,
  selectPayment,
  selectPayments,
  updateOrderStatus,
} from './store.ts'

/** What the outside world can do to an order: the payer, the bank and the network. */
export interface Simulation extends WebhookSimulation {
  /** A successful payment, possible also on a closed order: a bank may be late. */
  pay(orderId: string, options: AttemptOptions): Promise<SandboxPayment>
  /** An attempt without money: declined, abandoned, or still pending at the bank. */
  attempt(
    orderId: string,
    method: PaidMethod,
    status: 'failed' | 'dropped' | 'pending',
  ): Promise<SandboxPayment>
  /** An attempt that the gateway flags for review, and then approves. */
  flag(orderId: string, method: PaidMethod): Promise<SandboxPayment>
  /** The order expires or is cancelled. It takes no more attempts. */
  close(orderId: string, status: 'expired' | 'terminated'): Promise<void>
  /** The first successful payment; null when there is none. */
  firstPaid(orderId: string): Promise<SandboxPayment | null>
  /** A payment that exists. */
  payment(id: string): Promise<SandboxPayment>
  /** The bank reverses a payment for good. */
  chargeBack(orderId: string, paymentId: string): Promise<SandboxPayment>
  /** Decides the payments that are due. Returns the number decided. */
  resolvePayments(now: Date, limit: number): Promise<number>
}

const FLAGGED_MS = 2 * 60_000

export function openSimulation(options: SimulationOptions): Simulation {
  const { database, clock } = options
  const webhooks = openWebhookSimulation(options)

  return {
    ...webhooks,
    pay: (orderId, attempt) =>
      database.inTransaction(async tx => {
        const order = await existing(tx, orderId)
        const payment = newPayment(order, clock.now(), 'success', attempt)
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
    flag: (orderId, method) =>
      database.inTransaction(async tx => {
        const now = clock.now()
        const payment = newPayment(await existing(tx, orderId), now, 'pending', { method })
        await insertPayment(tx, payment, { at: new Date(now.getTime() + FLAGGED_MS), to: 'success' })
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
        await markChargedBack(tx, paymentId, clock.now())
        return taken(tx, paymentId)
      }),
    payment: id => taken(database, id),
    async firstPaid(orderId) {
      const payments = await selectPayments(database, orderId)
      return payments.find(payment => payment.status === 'success') ?? null
    },
    async resolvePayments(now, limit) {
      const due = await selectDuePayments(database, now, limit)
      for (const decided of due) {
        const payment = await database.inTransaction(tx => resolveDue(tx, decided))
        if (payment === null) continue
        const type = decided.resolvesTo === 'success' ? 'PAYMENT_SUCCESS_WEBHOOK' : 'PAYMENT_FAILED_WEBHOOK'
        await webhooks.notify(type, payment)
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

async function taken(db: Queryable, id: string): Promise<SandboxPayment> {
  const payment = await selectPayment(db, id)
  assert(payment !== null, 'the sandbox gateway took this payment')
  return payment
}

function isExact(order: SandboxOrder, payment: SandboxPayment): boolean {
  return payment.amountPaise === order.amountPaise && payment.currency === order.currency
}
