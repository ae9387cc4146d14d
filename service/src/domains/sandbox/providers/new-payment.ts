import type { PaidMethod } from '../../../gateways/payment-gateway.ts'
import { newUuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { SandboxOrder, SandboxPayment } from './store.ts'

/** The options of an attempt that differs from a plain success. */
export interface AttemptOptions {
  readonly method: PaidMethod
  readonly amountPaise?: Paise
  readonly currency?: string
  readonly refundFault?: 'pending' | 'failed'
}

/** An attempt to pay an order. Only a successful one has a payment time and a bank reference. */
export function newPayment(
  order: SandboxOrder,
  now: Date,
  status: SandboxPayment['status'],
  { method, amountPaise = order.amountPaise, currency = order.currency, refundFault }: AttemptOptions,
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
    bankReference: paid ? paymentReference(id) : null,
    chargedBack: false,
    refundFault: refundFault ?? null,
    createdAt: now,
    paidAt: paid ? now : null,
  }
}

/** Twelve digits, as a UPI RRN has. */
export function paymentReference(paymentId: string): string {
  const digits = BigInt(`0x${paymentId.replaceAll('-', '').slice(-15)}`) % 1_000_000_000_000n
  return digits.toString().padStart(12, '0')
}
