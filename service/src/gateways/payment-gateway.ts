import type { IncomingHttpHeaders } from 'node:http'
import type { Paise } from '../kernel/money.ts'
import type { GatewayResult } from './gateway-result.ts'

/** The method of a payment. `other`: any other method that the gateway names. */
export type PaidMethod = 'upi' | 'card' | 'netbanking' | 'other'

/** The ids of one order. Some gateways use ours as the order's id (Cashfree), others assign one (Razorpay). */
export interface OrderKey {
  /** Our id: the funding's public id. */
  readonly orderId: string
  /** The gateway's id; null until its response to createOrder was recorded. */
  readonly gatewayOrderId: string | null
}

export interface NewOrder {
  readonly orderId: string
  readonly amountPaise: Paise
  readonly currency: 'INR'
  readonly customer: { readonly id: string; readonly phone: string }
  readonly note: string
  readonly expiresAt: Date
  /** The payment methods that are offered; absent: all. */
  readonly methods?: readonly Exclude<PaidMethod, 'other'>[]
  /** The address to which the gateway's page returns the payer. */
  readonly returnUrl?: string
}

export interface CreatedOrder {
  readonly gatewayOrderId: string
  /** The session for the gateway's script or page, where it has one. */
  readonly gatewaySessionId: string | null
}

export interface GatewayOrder extends CreatedOrder {
  readonly orderId: string
  /** `closed`: no new attempt can begin. An earlier one may still succeed. */
  readonly status: 'active' | 'paid' | 'closed'
  readonly amountPaise: Paise
  readonly currency: string
  /** All payment attempts, oldest first. */
  readonly payments: readonly GatewayPayment[]
}

export interface GatewayPayment {
  readonly gatewayPaymentId: string
  /** `pending` also while the gateway reviews it (flagged). */
  readonly status: 'pending' | 'success' | 'failed' | 'dropped'
  readonly amountPaise: Paise
  readonly currency: string
  readonly method: PaidMethod
  readonly paidAt: Date | null
  /** The bank's reference: a UPI RRN or a UTR. */
  readonly bankReference: string | null
  /** True once the bank has finally reversed the payment. */
  readonly chargedBack: boolean
}

export type UpiRequest =
  | { readonly channel: 'intent' | 'qr' }
  /** Asks the payer's app for approval. `upiId` is personal data: never logged, never stored. */
  | { readonly channel: 'collect'; readonly upiId: string }

export interface UpiAttempt {
  /** `upi://pay?…`: what an app link opens and a QR code says. Null for a collect request. */
  readonly intent: string | null
}

export interface Refund {
  /** Ours; the same id never refunds twice. */
  readonly refundId: string
  readonly gatewayPaymentId: string
  readonly amountPaise: Paise
  readonly currency: string
  readonly note: string
}

export type RefundStatus = 'pending' | 'done' | 'failed'

/** The subject of a gateway webhook. It only says what to query; the gateway's API has the state. */
export type GatewayEvent =
  | { readonly kind: 'order'; readonly type: string; readonly orderId: string }
  | { readonly kind: 'refund'; readonly type: string; readonly refundId: string }

/** One movement in the gateway's records, for the comparison with the ledger by reconciliation. */
export interface GatewayRecord {
  readonly kind: 'payment' | 'refund' | 'chargeback' | 'settlement'
  /** Our id of the order; null for a movement without an order, such as a settlement. */
  readonly orderId: string | null
  /** The gateway's id of the payment, or ours of the refund. */
  readonly id: string
  readonly amountPaise: Paise
  /** The gateway's fee, taxes included; null where its records do not say. */
  readonly chargesPaise: Paise | null
  readonly at: Date
  /** The settlement that pays it into our bank account; absent or null while there is none or the records do not say. */
  readonly settlementId?: string | null
}

export interface GatewayRecords {
  readonly records: readonly GatewayRecord[]
  /** The cursor of the next page; null on the last one. */
  readonly nextCursor: string | null
}

export interface GatewayWebhook {
  /** Whether the signature is the gateway's. */
  readonly valid: boolean
  /** Empty for webhooks that do not concern us. */
  readonly events: readonly GatewayEvent[]
  /** The same for every copy of one webhook. */
  readonly dedupeKey: string
}

/** The port to a payment gateway. */
export interface PaymentGateway {
  /** The name in our webhook address: `/v1/gateway/{name}/webhooks`. */
  readonly name: string
  readonly capabilities: { readonly upiCollect: boolean }
  createOrder(order: NewOrder): Promise<GatewayResult<CreatedOrder>>
  startUpi(key: OrderKey, request: UpiRequest): Promise<GatewayResult<UpiAttempt>>
  /** The present state of the order; null when the gateway has no such order. */
  getOrder(key: OrderKey): Promise<GatewayResult<GatewayOrder | null>>
  /** Closes the order, so that no new attempt can begin. Rejected when it is paid already. */
  cancelOrder(key: OrderKey): Promise<GatewayResult<null>>
  refund(key: OrderKey, refund: Refund): Promise<GatewayResult<RefundStatus>>
  /** The refund with this id; null when the gateway never got it. */
  getRefund(key: OrderKey, refundId: string): Promise<GatewayResult<RefundStatus | null>>
  /** The movements at the gateway in a span of time, page by page, to find those that were never reported to us. */
  listRecords(from: Date, to: Date, cursor: string | null): Promise<GatewayResult<GatewayRecords>>
  parseWebhook(rawBody: Buffer, headers: IncomingHttpHeaders): GatewayWebhook
}

/** A gateway's own checkout, which a script of the gateway starts on our page. */
export interface CheckoutScript {
  /** The gateway whose sessions it can begin. */
  readonly gateway: string
  readonly src: string
  readonly mode: 'sandbox' | 'production'
  /** Other hosts that the page lets the script use, by directive of its content security policy. */
  readonly allows: {
    readonly script: readonly string[]
    readonly connect: readonly string[]
    readonly frame: readonly string[]
    readonly form: readonly string[]
  }
}
