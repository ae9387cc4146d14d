import type { IncomingHttpHeaders } from 'node:http'
import { type ExactJson, textAt } from './exact-json.ts'
import type { GatewayEvent, GatewayWebhook } from './payment-gateway.ts'
import { readSignedWebhook } from './signed-webhook.ts'

/**
 * Reads a notice about a payment, a refund or a dispute in Cashfree's shape, which the sandbox speaks as well. One of
 * a type that is not known here is valid and concerns nobody.
 */
export function readPaymentWebhook(
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): GatewayWebhook {
  const { valid, digest, said } = readSignedWebhook(rawBody, headers, secrets)
  if (said === null) return { valid, events: [], dedupeKey: digest }
  const { type, data } = said
  return { valid, events: eventsOf(type, data), dedupeKey: `${type}:${subjectOf(data) ?? digest}` }
}

function eventsOf(type: string, data: ExactJson | undefined): GatewayEvent[] {
  const refundId = textAt(data, 'refund', 'refund_id')
  if (type === 'REFUND_STATUS_WEBHOOK') return refundId === null ? [] : [{ kind: 'refund', type, refundId }]
  if (!isAboutOrder(type)) return []
  const orderId =
    textAt(data, 'order', 'order_id') ??
    textAt(data, 'order_details', 'order_id') ??
    textAt(data, 'auto_refund', 'order_id')
  return orderId === null ? [] : [{ kind: 'order', type, orderId }]
}

/** What the gateway paid into our bank account (`SETTLEMENT_*`) is found in its records, not in an order. */
function isAboutOrder(type: string): boolean {
  return /^(?:PAYMENT_(?:SUCCESS|FAILED|USER_DROPPED)_WEBHOOK|AUTO_REFUND_STATUS_WEBHOOK|DISPUTE_\w+)$/.test(
    type,
  )
}

/** What a notice is about and in which state: its copies say the same, the next state of it something else. */
function subjectOf(data: ExactJson | undefined): string | null {
  return (
    joined(textAt(data, 'dispute', 'dispute_id'), textAt(data, 'dispute', 'dispute_status')) ??
    joined(textAt(data, 'refund', 'refund_id'), textAt(data, 'refund', 'refund_status')) ??
    joined(textAt(data, 'auto_refund', 'cf_refund_id'), textAt(data, 'auto_refund', 'refund_status')) ??
    textAt(data, 'payment', 'cf_payment_id')
  )
}

function joined(id: string | null, status: string | null): string | null {
  return id === null || status === null ? null : `${id}:${status}`
}
