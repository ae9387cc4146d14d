import { type ExactJson, paiseAt, textAt } from '../exact-json.ts'
import { type GatewayResult, rejected, value } from '../gateway-result.ts'
import type { OrderKey, Refund, RefundStatus } from '../payment-gateway.ts'
import { type CallCashfree, rupeesJson } from './http.ts'

const LONGEST_NOTE = 100

/**
 * Refunds a payment. Cashfree refunds an order, not one of its payments, and finds the payment itself. It automatically
 * refunds payments that arrive after an order was paid.
 */
export async function refund(
  ask: CallCashfree,
  key: OrderKey,
  { refundId, amountPaise, note }: Refund,
): Promise<GatewayResult<RefundStatus>> {
  const response = await ask({
    method: 'POST',
    path: `/orders/${encodeURIComponent(key.orderId)}/refunds`,
    idempotencyKey: refundId,
    body: {
      refund_id: refundId,
      refund_amount: rupeesJson(amountPaise),
      refund_note: note.slice(0, LONGEST_NOTE),
    },
  })
  if (response.kind === 'rejected') {
    const known = await fetchRefund(ask, key, refundId)
    // An earlier request with this id succeeded: its outcome is the result, whatever the reason of this refusal.
    if (known.kind === 'value' && known.value !== null) return refundStatusIn(known.value, amountPaise)
    return known.kind === 'value' || known.kind === 'rejected' ? response : { ...known, kind: 'unknown' }
  }
  return response.kind === 'value' ? refundStatusIn(response.value, amountPaise) : response
}

export async function getRefund(
  ask: CallCashfree,
  key: OrderKey,
  refundId: string,
): Promise<GatewayResult<RefundStatus | null>> {
  const found = await fetchRefund(ask, key, refundId)
  if (found.kind !== 'value') return found
  return found.value === null ? value(null) : refundStatusIn(found.value, null)
}

/** An unknown order has no refunds. */
const NOT_FOUND: readonly string[] = ['refund_not_found', 'order_not_found']

async function fetchRefund(
  ask: CallCashfree,
  key: OrderKey,
  refundId: string,
): Promise<GatewayResult<ExactJson | null>> {
  const path = `/orders/${encodeURIComponent(key.orderId)}/refunds/${encodeURIComponent(refundId)}`
  const response = await ask({ method: 'GET', path })
  return response.kind === 'rejected' && NOT_FOUND.includes(response.code) ? value(null) : response
}

function refundStatusIn(json: ExactJson, amountPaise: bigint | null): GatewayResult<RefundStatus> {
  if (amountPaise !== null && paiseAt(json, 'refund_amount') !== amountPaise) {
    return rejected('refund_already_exists', 'There is a refund of this id for another amount')
  }
  const status = textAt(json, 'refund_status')
  if (status === null) return { kind: 'unknown', message: 'Cashfree returned a body that cannot be read' }
  return value(refundStatus(status))
}

function refundStatus(word: string): RefundStatus {
  switch (word) {
    case 'SUCCESS':
      return 'done'
    case 'CANCELLED':
    case 'FAILED':
      return 'failed'
    // PENDING, ONHOLD and unknown statuses: it is queried again.
    default:
      return 'pending'
  }
}
