import type { IncomingHttpHeaders } from 'node:http'
import { type ExactJson, textAt } from '../exact-json.ts'
import type { GatewayEvent, GatewayWebhook } from '../payment-gateway.ts'
import type { PayoutWebhook } from '../payout-provider.ts'
import { readSignedWebhook } from './signed-webhook.ts'

/**
 * Reads a webhook about a payment, a refund or a dispute in Cashfree's format, which the sandbox uses as well. A webhook
 * of an unknown type is valid and has no events.
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

/** Settlements into our bank account (`SETTLEMENT_*`) are read from the gateway's records, not from an order. */
function isAboutOrder(type: string): boolean {
  return /^(?:PAYMENT_(?:SUCCESS|FAILED|USER_DROPPED)_WEBHOOK|AUTO_REFUND_STATUS_WEBHOOK|DISPUTE_\w+)$/.test(
    type,
  )
}

/** The subject of a webhook and its state: equal for copies of one webhook, different for the next state. */
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

/** Reads a webhook about a transfer in Cashfree's format, which the sandbox uses as well. */
export function readPayoutWebhook(
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): PayoutWebhook {
  const { valid, digest, said } = readSignedWebhook(rawBody, headers, secrets)
  if (said === null) return { valid, transferIds: [], dedupeKey: digest }
  const { type, data } = said
  const transferId = textAt(data, 'transfer_id') ?? textAt(data, 'transfer', 'transfer_id')
  const isTransfer = type.startsWith('TRANSFER_') && transferId !== null
  if (!isTransfer) return { valid, transferIds: [], dedupeKey: `${type}:${digest}` }
  // The reference of the bank may arrive in a separate webhook, which is not a copy of the earlier one.
  const state = [textAt(data, 'status_code'), textAt(data, 'transfer_utr')].map(text => text ?? '')
  return { valid, transferIds: [transferId], dedupeKey: [type, transferId, ...state].join(':') }
}
