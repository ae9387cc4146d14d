import type { Database } from '../../../db/database.ts'
import { type GatewayResult, rejected, value } from '../../../gateways/gateway-result.ts'
import type { OrderKey, Refund, RefundStatus } from '../../../gateways/payment-gateway.ts'
import { insertLateWebhook } from './late-webhooks.ts'
import { SANDBOX_GATEWAY } from './simulate-webhooks.ts'
import {
  insertRefund,
  lockOrder,
  type SandboxPayment,
  type SandboxRefund,
  selectPayment,
  selectRefund,
  sumRefunded,
} from './store.ts'
import { refundBody } from './webhooks.ts'

const PENDING_MS = 2 * 60_000

export async function makeRefund(
  database: Database,
  now: Date,
  { orderId }: OrderKey,
  { refundId, gatewayPaymentId, amountPaise }: Refund,
): Promise<GatewayResult<RefundStatus>> {
  return database.inTransaction(async tx => {
    await lockOrder(tx, orderId)
    const known = await selectRefund(tx, refundId, now)
    if (known !== null) return value(known)
    const payment = await selectPayment(tx, gatewayPaymentId)
    if (payment === null || payment.orderId !== orderId || payment.status !== 'success') {
      return rejected('payment_not_found', 'There is no paid payment of this id')
    }
    const refunded = await sumRefunded(tx, payment.id)
    if (refunded + amountPaise > payment.amountPaise) {
      return rejected('refund_too_large', 'More than was paid cannot be refunded')
    }
    const { status, doneAt } = outcomeOf(payment, now)
    const refund = { refundId, orderId, paymentId: payment.id, amountPaise, status, createdAt: now, doneAt }
    await insertRefund(tx, refund)
    if (status === 'pending' && doneAt !== null) {
      const body = refundBody({ ...refund, status: 'done' }, doneAt)
      await insertLateWebhook(tx, { gateway: SANDBOX_GATEWAY, body, dueAt: doneAt })
    }
    return value(status)
  })
}

function outcomeOf({ refundFault }: SandboxPayment, now: Date): Pick<SandboxRefund, 'status' | 'doneAt'> {
  switch (refundFault) {
    case null:
      return { status: 'done', doneAt: now }
    case 'pending':
      return { status: 'pending', doneAt: new Date(now.getTime() + PENDING_MS) }
    case 'failed':
      return { status: 'failed', doneAt: null }
  }
}
