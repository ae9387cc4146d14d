import { type Paise, paise } from '../../kernel/money.ts'
import { at, type ExactJson, entriesOf, momentAt, paiseAt, textAt } from '../exact-json.ts'
import { type GatewayResult, value } from '../gateway-result.ts'
import type { GatewayRecord, GatewayRecords } from '../payment-gateway.ts'
import type { CallCashfree } from './http.ts'

const PAGE_SIZE = 100

/** The movements at Cashfree in a span of time: `POST /recon` has payments, refunds, disputes and settlements. */
export async function listRecords(
  ask: CallCashfree,
  from: Date,
  to: Date,
  cursor: string | null,
): Promise<GatewayResult<GatewayRecords>> {
  const response = await ask({
    method: 'POST',
    path: '/recon',
    isQuestion: true,
    body: {
      pagination: { limit: PAGE_SIZE, cursor },
      filters: { start_date: from.toISOString(), end_date: to.toISOString() },
    },
  })
  if (response.kind !== 'value') return response
  const entries = entriesOf(at(response.value, 'data'))
  if (entries === null) return { kind: 'retryable', message: 'Cashfree returned a body that cannot be read' }
  // The cursor of the last page leads to an empty page (assumed), so an empty page is the end.
  const nextCursor = entries.length === 0 ? null : textAt(response.value, 'cursor')
  return value({ records: entries.flatMap(entry => readRecord(entry) ?? []), nextCursor })
}

/** Null for entries that are no movement: refused, open, or corrected by a separate entry (`…_REVERSAL`). */
export function readRecord(entry: ExactJson): GatewayRecord | null {
  const moment = momentAt(entry, 'event_time')
  const named = nameOf(entry)
  const amountPaise = absolute(paiseAt(entry, 'event_amount'))
  if (moment === null || named === null || named.id === null) return null
  const { kind, id } = named
  if (kind === 'settlement') {
    const settled = absolute(paiseAt(entry, 'amount_settled')) ?? amountPaise
    const chargesPaise = sum(entry, 'settlement_charge', 'settlement_tax')
    return settled === null
      ? null
      : { kind, id, orderId: null, amountPaise: settled, chargesPaise, at: moment }
  }
  const chargesPaise = kind === 'payment' ? paymentCharges(entry) : null
  const orderId = textAt(entry, 'order_id')
  if (amountPaise === null) return null
  const record = { kind, id, orderId, amountPaise, chargesPaise, at: moment }
  // An entry names its settlement once it has one (assumed).
  const settlementId = settlementIdOf(entry)
  return settlementId === null ? record : { ...record, settlementId }
}

function nameOf(
  entry: ExactJson,
): { readonly kind: GatewayRecord['kind']; readonly id: string | null } | null {
  const isDone = (textAt(entry, 'event_status') ?? 'SUCCESS') === 'SUCCESS'
  switch (textAt(entry, 'event_type')) {
    case 'PAYMENT':
      return isDone ? { kind: 'payment', id: textAt(entry, 'cf_payment_id') } : null
    case 'REFUND':
      return isDone ? { kind: 'refund', id: textAt(entry, 'refund_id') } : null
    case 'CHARGEBACK':
    case 'DISPUTE':
      // While the dispute is open, the money is only blocked (assumed: the field is empty until then).
      return textAt(entry, 'closed_in_favor_of')?.toLowerCase() === 'customer'
        ? { kind: 'chargeback', id: textAt(entry, 'cf_payment_id') }
        : null
    case 'SETTLEMENT':
      return { kind: 'settlement', id: settlementIdOf(entry) }
    default:
      return null
  }
}

function settlementIdOf(entry: ExactJson): string | null {
  return textAt(entry, 'settlement_utr') ?? textAt(entry, 'cf_settlement_id')
}

/** The gateway's own amounts; its tax is not calculated here. */
function paymentCharges(entry: ExactJson): Paise | null {
  return sum(entry, 'payment_service_charge', 'payment_service_tax')
}

function sum(entry: ExactJson, ...fields: readonly string[]): Paise | null {
  const amounts = fields.map(field => paiseAt(entry, field)).filter(amount => amount !== null)
  return amounts.length === 0 ? null : paise(amounts.reduce((total, amount) => total + amount, 0n))
}

function absolute(amount: Paise | null): Paise | null {
  return amount === null ? null : paise(amount < 0n ? 0n - amount : amount)
}
