import type { IncomingHttpHeaders } from 'node:http'
import type { Paise } from '../kernel/money.ts'
import type { GatewayResult } from './gateway-result.ts'

/** How a human really paid. `other` is what a gateway names beyond these. */
export type PaidMethod = 'upi' | 'card' | 'netbanking' | 'other'

/** The names of one order. Some gateways take ours as the order's own (Cashfree), others mint one (Razorpay). */
export interface OrderKey {
  /** Our id of it: the funding's id as it stands on the wire. */
  readonly orderId: string
  /** The gateway's id of it; null until its answer to createOrder was recorded. */
  readonly gatewayOrderId: string | null
}

export interface NewOrder {
  readonly orderId: string
  readonly amountPaise: Paise
  readonly currency: 'INR'
  readonly customer: { readonly id: string; readonly phone: string }
  readonly note: string
  readonly expiresAt: Date
  /** The ways to pay that are offered; absent: all. */
  readonly methods?: readonly Exclude<PaidMethod, 'other'>[]
  /** Where the gateway's own page sends the payer back to. */
  readonly returnUrl?: string
}

export interface CreatedOrder {
  readonly gatewayOrderId: string
  /** What the gateway's own script or page wants, where it has one. */
  readonly gatewaySessionId: string | null
}

export interface GatewayOrder extends CreatedOrder {
  readonly orderId: string
  /** `closed`: takes no new attempt. One that began before may still succeed. */
  readonly status: 'active' | 'paid' | 'closed'
  readonly amountPaise: Paise
  readonly currency: string
  /** Every attempt to pay, oldest first. */
  readonly payments: readonly GatewayPayment[]
}

export interface GatewayPayment {
  readonly gatewayPaymentId: string
  /** `pending` also while the gateway holds it back to look at it (flagged). */
  readonly status: 'pending' | 'success' | 'failed' | 'dropped'
  readonly amountPaise: Paise
  readonly currency: string
  readonly method: PaidMethod
  readonly paidAt: Date | null
  /** The bank's reference: a UPI RRN or a UTR. */
  readonly bankReference: string | null
  /** True once the bank has taken the money back for good. */
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

/** What a notice is about. It says where to look, never what is true: the gateway is asked for that. */
export type GatewayEvent =
  | { readonly kind: 'order'; readonly type: string; readonly orderId: string }
  | { readonly kind: 'refund'; readonly type: string; readonly refundId: string }

/** One movement in the gateway's own records of a span of time, as reconciliation compares it with the book. */
export interface GatewayRecord {
  readonly kind: 'payment' | 'refund' | 'chargeback' | 'settlement'
  /** Our id of the order; null for what belongs to none, such as a transfer of settled money. */
  readonly orderId: string | null
  /** The gateway's id of the payment, or ours of the refund. */
  readonly id: string
  readonly amountPaise: Paise
  /** What the gateway kept of it, taxes included; null where its records do not say. */
  readonly chargesPaise: Paise | null
  readonly at: Date
  /** The settlement that carries it to our bank account; absent or null while none does or the records do not say. */
  readonly settlementId?: string | null
}

export interface GatewayRecords {
  readonly records: readonly GatewayRecord[]
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null
}

export interface GatewayWebhook {
  /** Whether the signature is the gateway's. */
  readonly valid: boolean
  /** Empty for notices that do not concern us. */
  readonly events: readonly GatewayEvent[]
  /** The same for every copy of one notice. */
  readonly dedupeKey: string
}

/** A payment gateway as funding sees it. */
export interface PaymentGateway {
  /** Stands in our webhook address: `/v1/gateway/{name}/webhooks`. */
  readonly name: string
  readonly capabilities: { readonly upiCollect: boolean }
  createOrder(order: NewOrder): Promise<GatewayResult<CreatedOrder>>
  startUpi(key: OrderKey, request: UpiRequest): Promise<GatewayResult<UpiAttempt>>
  /** The order as it is now; null when the gateway knows none of that name. */
  getOrder(key: OrderKey): Promise<GatewayResult<GatewayOrder | null>>
  /** Ends the order: no new attempt can begin. Rejected when it is paid already. */
  cancelOrder(key: OrderKey): Promise<GatewayResult<null>>
  refund(key: OrderKey, refund: Refund): Promise<GatewayResult<RefundStatus>>
  /** The refund of that id; null when the gateway never got it. */
  getRefund(key: OrderKey, refundId: string): Promise<GatewayResult<RefundStatus | null>>
  /** What moved at the gateway from one moment to another, page by page: for finding what we never heard of. */
  listRecords(from: Date, to: Date, cursor: string | null): Promise<GatewayResult<GatewayRecords>>
  parseWebhook(rawBody: Buffer, headers: IncomingHttpHeaders): GatewayWebhook
}
