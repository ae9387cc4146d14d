import { type ExactJson, entriesOf, textAt } from '../exact-json.ts'
import { type GatewayResult, rejected, value } from '../gateway-result.ts'
import type {
  CreatedOrder,
  GatewayOrder,
  GatewayPayment,
  NewOrder,
  OrderKey,
  PaidMethod,
  PaymentGateway,
} from '../payment-gateway.ts'
import { type CallCashfree, type CashfreeAccess, isTaken, openCashfree, rupeesJson } from './http.ts'
import { byTime, type CashfreeOrder, readLostPayments, readOrder, readPayment } from './order.ts'
import { listRecords } from './records.ts'
import { getRefund, refund } from './refunds.ts'
import { startUpi } from './upi.ts'
import { readPaymentWebhook } from './webhooks.ts'

export interface CashfreeGatewayOptions extends CashfreeAccess {
  /** Cashfree signs webhooks with the client secret; several are valid while it is being rotated. */
  readonly webhookSecrets: readonly string[]
  /** The address for webhooks, https only; null: the one in Cashfree's dashboard. */
  readonly notifyUrl: string | null
  /** NPCI is withdrawing UPI collect: only exempt merchants have it. */
  readonly upiCollect: boolean
}

/** Cashfree's payment gateway. An order has the same id there as here, so it can always be looked up. */
export function createCashfreeGateway(options: CashfreeGatewayOptions): PaymentGateway {
  const ask = openCashfree(options)
  return {
    name: 'cashfree',
    capabilities: { upiCollect: options.upiCollect },
    createOrder: order => createOrder(ask, options.notifyUrl, order),
    async startUpi(key, request) {
      if (request.channel === 'collect' && !options.upiCollect) {
        return rejected('collect_disabled', 'This gateway takes no UPI collect requests')
      }
      const order = await fetchOrder(ask, key)
      return order.kind === 'value' ? startUpi(ask, order.value, request) : order
    },
    getOrder: key => getOrder(ask, key),
    cancelOrder: key => cancelOrder(ask, key),
    refund: (key, request) => refund(ask, key, request),
    getRefund: (key, refundId) => getRefund(ask, key, refundId),
    listRecords: (from, to, cursor) => listRecords(ask, from, to, cursor),
    parseWebhook: (rawBody, headers) => readPaymentWebhook(rawBody, headers, options.webhookSecrets),
  }
}

const METHODS: Record<Exclude<PaidMethod, 'other'>, string> = { upi: 'upi', card: 'cc,dc', netbanking: 'nb' }
const LONGEST_NOTE = 200

async function createOrder(
  ask: CallCashfree,
  notifyUrl: string | null,
  order: NewOrder,
): Promise<GatewayResult<CreatedOrder>> {
  const {
    orderId,
    amountPaise,
    currency,
    customer,
    methods = ['card', 'netbanking', 'upi'],
    returnUrl,
  } = order
  const response = await ask({
    method: 'POST',
    path: '/orders',
    idempotencyKey: orderId,
    body: {
      order_id: orderId,
      order_amount: rupeesJson(amountPaise),
      order_currency: currency,
      customer_details: {
        customer_id: customer.id.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 50),
        customer_phone: customer.phone,
      },
      order_meta: {
        payment_methods: methods.map(method => METHODS[method]).join(','),
        ...(notifyUrl === null ? {} : { notify_url: notifyUrl }),
        ...(returnUrl === undefined ? {} : { return_url: returnUrl }),
      },
      order_expiry_time: order.expiresAt.toISOString(),
      order_note: order.note.slice(0, LONGEST_NOTE),
    },
  })
  if (response.kind === 'rejected' && isTaken(response.code)) return existingOrder(ask, order)
  if (response.kind !== 'value') return response
  const created = readOrder(response.value)
  return created === null ? unreadable('unknown') : value(createdOrder(created))
}

/** An earlier request with this id succeeded. It counts as this one only with the same amount. */
async function existingOrder(ask: CallCashfree, order: NewOrder): Promise<GatewayResult<CreatedOrder>> {
  const found = await fetchOrder(ask, { orderId: order.orderId, gatewayOrderId: null })
  if (found.kind === 'retryable') return { kind: 'unknown', message: found.message }
  if (found.kind !== 'value') return found
  const isSame = found.value.amountPaise === order.amountPaise && found.value.currency === order.currency
  if (isSame) return value(createdOrder(found.value))
  return rejected('order_already_exists', 'There is an order of this id for another amount')
}

function createdOrder({ gatewayOrderId, sessionId }: CashfreeOrder): CreatedOrder {
  return { gatewayOrderId, gatewaySessionId: sessionId }
}

async function fetchOrder(ask: CallCashfree, key: OrderKey): Promise<GatewayResult<CashfreeOrder>> {
  const response = await ask({ method: 'GET', path: pathOf(key) })
  if (response.kind !== 'value') return response
  const order = readOrder(response.value)
  return order === null || order.orderId !== key.orderId ? unreadable('retryable') : value(order)
}

async function getOrder(ask: CallCashfree, key: OrderKey): Promise<GatewayResult<GatewayOrder | null>> {
  const [found, attempts] = await Promise.all([fetchOrder(ask, key), fetchPayments(ask, key)])
  if (found.kind === 'rejected' && found.code === 'order_not_found') return value(null)
  if (found.kind !== 'value') return found
  if (attempts.kind !== 'value') return attempts
  const order = found.value
  const disputes = await fetchDisputes(ask, key, attempts.value)
  if (disputes.kind !== 'value') return disputes
  const lost = readLostPayments(disputes.value, attempts.value)
  const payments = attempts.value.toSorted(byTime).map(payment => readPayment(payment, order, lost))
  const readable = payments.filter(payment => payment !== undefined)
  if (readable.length < payments.length) return unreadable('retryable')
  return value({
    ...createdOrder(order),
    orderId: order.orderId,
    status: order.status,
    amountPaise: order.amountPaise,
    currency: order.currency,
    payments: readable.filter((payment): payment is GatewayPayment => payment !== null),
  })
}

async function fetchPayments(ask: CallCashfree, key: OrderKey): Promise<GatewayResult<readonly ExactJson[]>> {
  const response = await ask({ method: 'GET', path: `${pathOf(key)}/payments` })
  if (response.kind !== 'value') return response
  const payments = entriesOf(response.value)
  return payments === null ? unreadable('retryable') : value(payments)
}

/**
 * Only a successful payment can be disputed. Cashfree refuses this request for an account without disputes, which must
 * not prevent payments from being credited.
 */
async function fetchDisputes(
  ask: CallCashfree,
  key: OrderKey,
  payments: readonly ExactJson[],
): Promise<GatewayResult<readonly ExactJson[]>> {
  const isPaid = payments.some(payment => textAt(payment, 'payment_status') === 'SUCCESS')
  if (!isPaid) return value([])
  const response = await ask({ method: 'GET', path: `${pathOf(key)}/disputes` })
  if (response.kind === 'rejected') return value([])
  if (response.kind !== 'value') return response
  const disputes = entriesOf(response.value)
  return disputes === null ? unreadable('retryable') : value(disputes)
}

async function cancelOrder(ask: CallCashfree, key: OrderKey): Promise<GatewayResult<null>> {
  const response = await ask({ method: 'PATCH', path: pathOf(key), body: { order_status: 'TERMINATED' } })
  if (response.kind === 'rejected' && response.code !== 'order_not_found')
    return endedAlready(ask, key, response)
  if (response.kind !== 'value') return response
  const order = readOrder(response.value)
  if (order === null) return unreadable('unknown')
  return order.status === 'paid' ? rejected('order_paid', 'The order is paid already') : value(null)
}

/** An order that has ended cannot be ended again, which counts as success unless it was paid. */
async function endedAlready(
  ask: CallCashfree,
  key: OrderKey,
  refusal: Extract<GatewayResult<null>, { readonly kind: 'rejected' }>,
): Promise<GatewayResult<null>> {
  const found = await fetchOrder(ask, key)
  if (found.kind !== 'value') return found.kind === 'rejected' ? refusal : found
  if (found.value.status === 'paid') return rejected('order_paid', 'The order is paid already')
  return found.value.status === 'closed' ? value(null) : refusal
}

function unreadable(kind: 'retryable' | 'unknown'): GatewayResult<never> {
  return { kind, message: 'Cashfree returned a body that cannot be read' }
}

function pathOf({ orderId }: OrderKey): string {
  return `/orders/${encodeURIComponent(orderId)}`
}
