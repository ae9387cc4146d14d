import { at, type ExactJson, momentAt, paiseAt, textAt } from '../exact-json.ts'
import type { GatewayOrder, GatewayPayment, PaidMethod } from '../payment-gateway.ts'

export interface CashfreeOrder extends Omit<GatewayOrder, 'payments' | 'gatewaySessionId'> {
  readonly sessionId: string | null
  /** Cashfree's status code. */
  readonly word: string
}

/** Null when it is not an order. */
export function readOrder(json: ExactJson): CashfreeOrder | null {
  const orderId = textAt(json, 'order_id')
  const gatewayOrderId = textAt(json, 'cf_order_id')
  const word = textAt(json, 'order_status')
  const amountPaise = paiseAt(json, 'order_amount')
  const currency = textAt(json, 'order_currency')
  if (orderId === null || gatewayOrderId === null || word === null) return null
  if (amountPaise === null || currency === null) return null
  const sessionId = textAt(json, 'payment_session_id')
  return { orderId, gatewayOrderId, sessionId, word, status: orderStatus(word), amountPaise, currency }
}

function orderStatus(word: string): GatewayOrder['status'] {
  switch (word) {
    case 'PAID':
      return 'paid'
    case 'EXPIRED':
    case 'TERMINATED':
    case 'TERMINATION_REQUESTED':
      return 'closed'
    // An unknown status changes nothing: the session ends at its own time.
    default:
      return 'active'
  }
}

/** Null when there was no attempt; undefined when it cannot be read, because there may be a payment. */
export function readPayment(
  json: ExactJson,
  order: CashfreeOrder,
  lostPayments: ReadonlySet<string>,
): GatewayPayment | null | undefined {
  const gatewayPaymentId = textAt(json, 'cf_payment_id')
  const word = textAt(json, 'payment_status')
  const amountPaise = paiseAt(json, 'payment_amount')
  if (gatewayPaymentId === null || word === null || amountPaise === null) return undefined
  const status = paymentStatus(word)
  if (status === null) return null
  return {
    gatewayPaymentId,
    status,
    amountPaise,
    currency: textAt(json, 'payment_currency') ?? order.currency,
    method: paidMethod(json),
    paidAt: status === 'success' ? momentOf(json) : null,
    bankReference: textAt(json, 'bank_reference'),
    chargedBack: lostPayments.has(gatewayPaymentId),
  }
}

function paymentStatus(word: string): GatewayPayment['status'] | null {
  switch (word) {
    case 'NOT_ATTEMPTED':
      return null
    case 'SUCCESS':
      return 'success'
    case 'USER_DROPPED':
      return 'dropped'
    case 'FAILED':
    // Paid too late and refunded, or authorised and voided: in both cases we have no money.
    case 'CANCELLED':
    case 'VOID':
      return 'failed'
    // PENDING, FLAGGED and unknown statuses: no money yet, and not final.
    default:
      return 'pending'
  }
}

/** The time of the payment; without one, the start of the attempt. */
function momentOf(payment: ExactJson): Date | null {
  return momentAt(payment, 'payment_completion_time') ?? momentAt(payment, 'payment_time')
}

/** The method that was used: `payment_group`, or the only field of the details. */
function paidMethod(payment: ExactJson): PaidMethod {
  const group = textAt(payment, 'payment_group') ?? firstName(at(payment, 'payment_method')) ?? ''
  if (group.startsWith('upi')) return 'upi'
  if (/^(?:credit|debit|prepaid)_card/.test(group) || group === 'card') return 'card'
  if (/^net_?banking$/.test(group)) return 'netbanking'
  return 'other'
}

function firstName(json: ExactJson | undefined): string | null {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  return isObject ? (Object.keys(json)[0] ?? null) : null
}

/** Oldest first; entries without a time come last. */
export function byTime(left: ExactJson, right: ExactJson): number {
  const [a, b] = [left, right].map(payment => momentAt(payment, 'payment_time')?.getTime())
  return (a ?? Number.MAX_SAFE_INTEGER) - (b ?? Number.MAX_SAFE_INTEGER)
}

/** The payments that a bank has finally reversed in full. */
export function readLostPayments(
  disputes: readonly ExactJson[],
  payments: readonly ExactJson[],
): ReadonlySet<string> {
  const amounts = new Map(
    payments.map(json => [textAt(json, 'cf_payment_id'), paiseAt(json, 'payment_amount')]),
  )
  const lost = disputes.filter(isLost).flatMap(dispute => {
    const id = textAt(dispute, 'order_details', 'cf_payment_id') ?? textAt(dispute, 'cf_payment_id')
    const taken = paiseAt(dispute, 'dispute_amount')
    const paid = amounts.get(id) ?? null
    // An operator posts the reversal of a part of a payment; the records show it as a chargeback.
    const isWhole = taken === null || paid === null || taken >= paid
    return id !== null && isWhole ? [id] : []
  })
  return new Set(lost)
}

/** A retrieval only requests documents. A dispute is lost when it was decided so, accepted by us, or not contested in time. */
function isLost(dispute: ExactJson): boolean {
  const status = textAt(dispute, 'dispute_status') ?? ''
  return /^(?:DISPUTE|CHARGEBACK|PRE_ARBITRATION|ARBITRATION)_(?:MERCHANT_LOST|MERCHANT_ACCEPTED|INSUFFICIENT_EVIDENCE)$/.test(
    status,
  )
}
