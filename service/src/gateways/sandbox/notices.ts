import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { rupees } from '../../kernel/money.ts'
import type { GatewayEvent, Notice } from '../payment-gateway.ts'
import { isSignedTimestamped, signTimestamped } from '../webhook-signature.ts'
import type { SandboxOrder, SandboxPayment } from './store.ts'

/** A webhook ready to be posted. */
export interface OutgoingNotice {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export type NoticeType =
  | 'PAYMENT_SUCCESS_WEBHOOK'
  | 'PAYMENT_FAILED_WEBHOOK'
  | 'PAYMENT_USER_DROPPED_WEBHOOK'
  | 'DISPUTE_CLOSED'

const ORDER_TYPES: ReadonlySet<string> = new Set<NoticeType>([
  'PAYMENT_SUCCESS_WEBHOOK',
  'PAYMENT_FAILED_WEBHOOK',
  'PAYMENT_USER_DROPPED_WEBHOOK',
  'DISPUTE_CLOSED',
])

const STATUS_OF: Record<NoticeType, string> = {
  PAYMENT_SUCCESS_WEBHOOK: 'SUCCESS',
  PAYMENT_FAILED_WEBHOOK: 'FAILED',
  PAYMENT_USER_DROPPED_WEBHOOK: 'USER_DROPPED',
  DISPUTE_CLOSED: 'SUCCESS',
}

/** A webhook in the shape of the gateway that the sandbox stands for (Cashfree, API version 2025-01-01). */
export function makeNotice(
  type: NoticeType,
  order: SandboxOrder,
  payment: SandboxPayment,
  secret: string,
  now: Date,
): OutgoingNotice {
  const body = JSON.stringify({
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

/** Reads a webhook that came in. It is judged by its signature over the raw bytes, before anything is parsed. */
export function readNotice(
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): Notice {
  const valid = isSignedTimestamped(
    rawBody,
    headers['x-webhook-timestamp'],
    headers['x-webhook-signature'],
    secrets,
  )
  const digest = createHash('sha256').update(rawBody).digest('hex')
  if (!valid) return { valid: false, events: [], dedupeKey: digest }
  const fields = readFields(rawBody.toString('utf8'))
  if (fields === null) return { valid: true, events: [], dedupeKey: digest }
  return {
    valid: true,
    events: eventsOf(fields),
    dedupeKey: `${fields.type}:${fields.paymentId ?? digest}`,
  }
}

interface NoticeFields {
  readonly type: string
  readonly orderId: string | null
  readonly paymentId: string | null
}

function eventsOf({ type, orderId }: NoticeFields): GatewayEvent[] {
  return orderId !== null && ORDER_TYPES.has(type) ? [{ kind: 'order', type, orderId }] : []
}

function readFields(text: string): NoticeFields | null {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  const type = textAt(body, ['type'])
  if (type === null) return null
  return {
    type,
    orderId: textAt(body, ['data', 'order', 'order_id']),
    paymentId: textAt(body, ['data', 'payment', 'cf_payment_id']),
  }
}

function textAt(value: unknown, path: readonly string[]): string | null {
  const found = path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : null,
    value,
  )
  return typeof found === 'string' ? found : null
}
