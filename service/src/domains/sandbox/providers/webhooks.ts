import { signTimestamped } from '../../../gateways/cashfree/signed-webhook.ts'
import { rupees } from '../../../kernel/money.ts'
import type { SandboxOrder, SandboxPayment, SandboxRefund } from './store.ts'

/** A webhook ready to be posted. */
export interface OutgoingWebhook {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export type WebhookType =
  | 'PAYMENT_SUCCESS_WEBHOOK'
  | 'PAYMENT_FAILED_WEBHOOK'
  | 'PAYMENT_USER_DROPPED_WEBHOOK'
  /** A type that is unknown to the service: gateways add types without announcing them. */
  | 'PAYMENT_REVIEWED_WEBHOOK'

export type DisputeStatus = 'CHARGEBACK_CREATED' | 'CHARGEBACK_MERCHANT_WON' | 'CHARGEBACK_MERCHANT_LOST'

const STATUS_OF: Record<WebhookType, string> = {
  PAYMENT_SUCCESS_WEBHOOK: 'SUCCESS',
  PAYMENT_FAILED_WEBHOOK: 'FAILED',
  PAYMENT_USER_DROPPED_WEBHOOK: 'USER_DROPPED',
  PAYMENT_REVIEWED_WEBHOOK: 'SUCCESS',
}

/** The body of a webhook in the shape of the simulated gateway (Cashfree, API version 2025-01-01). */
export function paymentBody(
  type: WebhookType,
  order: SandboxOrder,
  payment: SandboxPayment,
  now: Date,
): string {
  return JSON.stringify({
    data: {
      order: {
        order_id: order.orderId,
        order_amount: rupees(order.amountPaise),
        order_currency: order.currency,
      },
      payment: {
        cf_payment_id: payment.id,
        payment_status: STATUS_OF[type],
        payment_amount: rupees(payment.amountPaise),
        payment_currency: payment.currency,
        payment_time: (payment.paidAt ?? payment.createdAt).toISOString(),
        bank_reference: payment.bankReference,
        payment_group: payment.method,
      },
    },
    event_time: now.toISOString(),
    type,
  })
}

export function disputeBody(
  disputeId: string,
  status: DisputeStatus,
  payment: SandboxPayment,
  now: Date,
): string {
  return JSON.stringify({
    data: {
      dispute: { dispute_id: disputeId, dispute_type: 'CHARGEBACK', dispute_status: status },
      order_details: {
        order_id: payment.orderId,
        cf_payment_id: payment.id,
        payment_amount: rupees(payment.amountPaise),
      },
    },
    event_time: now.toISOString(),
    type: status === 'CHARGEBACK_CREATED' ? 'DISPUTE_CREATED' : 'DISPUTE_CLOSED',
  })
}

export function refundBody(refund: SandboxRefund, now: Date): string {
  return JSON.stringify({
    data: {
      refund: {
        refund_id: refund.refundId,
        order_id: refund.orderId,
        refund_amount: rupees(refund.amountPaise),
        refund_status: refund.status === 'done' ? 'SUCCESS' : refund.status.toUpperCase(),
      },
    },
    event_time: now.toISOString(),
    type: 'REFUND_STATUS_WEBHOOK',
  })
}

/** The signature covers the exact bytes of the body. */
export function signWebhook(body: string, secret: string, now: Date): OutgoingWebhook {
  const timestamp = String(now.getTime())
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-webhook-timestamp': timestamp,
      'x-webhook-signature': signTimestamped(body, timestamp, secret),
      'x-webhook-version': '2025-01-01',
    },
  }
}
