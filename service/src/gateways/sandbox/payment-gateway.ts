import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newUuid } from '../../kernel/ids.ts'
import { rupeesText } from '../../kernel/money.ts'
import { type Answer, rejected, value } from '../answer.ts'
import type {
  CreatedOrder,
  GatewayOrder,
  NewOrder,
  OrderKey,
  PaymentGateway,
  Refund,
  RefundStatus,
  UpiAttempt,
  UpiRequest,
} from '../payment-gateway.ts'
import { readNotice } from './notices.ts'
import { type Deliver, openRehearsal, type Rehearsal } from './rehearsal.ts'
import {
  insertOrder,
  insertPayment,
  insertRefund,
  lockOrder,
  type SandboxOrder,
  selectOrder,
  selectPayment,
  selectPayments,
  selectRefund,
  sumRefunded,
  updateOrderStatus,
} from './store.ts'

export interface SandboxOptions {
  readonly database: Database
  readonly clock: Clock
  /** Signs the notices. Several: the first signs, all of them are accepted, as while a secret is rotated. */
  readonly webhookSecrets: readonly [string, ...string[]]
  /** Takes a notice to our own intake, as a gateway would over the network. */
  readonly deliver: Deliver
  /** The name that a payer's app shows. */
  readonly merchantName: string
  readonly upiCollect?: boolean
}

export interface SandboxGateway extends PaymentGateway {
  /** The human, the bank and the network, played on demand. */
  readonly rehearsal: Rehearsal
}

/** No payment app knows this address, so nobody's money can go there. */
const SANDBOX_VPA = 'payments@batuasandbox'
const COLLECT_ANSWER_MS = 2_000
/** Payers with an answer ready: the test addresses of the gateway that this one stands for. */
const MAGIC_PAYERS: ReadonlyMap<string, 'success' | 'failed'> = new Map([
  ['testsuccess@gocash', 'success'],
  ['testfailure@gocash', 'failed'],
])

/** A payment gateway that lives in the service's own database but behaves like an outside system. */
export function createSandboxGateway(options: SandboxOptions): SandboxGateway {
  const { database, clock, webhookSecrets } = options
  const upiCollect = options.upiCollect ?? true
  const rehearsal = openRehearsal({
    database,
    clock,
    secret: webhookSecrets[0],
    deliver: options.deliver,
  })

  return {
    name: 'sandbox',
    capabilities: { upiCollect },
    rehearsal,
    createOrder: order => createOrder(database, clock.now(), order),
    startUpi(key, request) {
      if (request.channel === 'collect' && !upiCollect) {
        return Promise.resolve(rejected('collect_disabled', 'This gateway takes no UPI collect requests'))
      }
      return startUpi(options, key, request)
    },
    getOrder: key => getOrder(database, clock.now(), key),
    cancelOrder: key => cancelOrder(database, key),
    refund: (key, refund) => makeRefund(database, clock.now(), key, refund),
    getRefund: async (_key, refundId) => value(await selectRefund(database, refundId)),
    parseWebhook: (rawBody, headers) => readNotice(rawBody, headers, webhookSecrets),
  }
}

async function createOrder(
  database: Database,
  now: Date,
  { orderId, amountPaise, currency, note, expiresAt }: NewOrder,
): Promise<Answer<CreatedOrder>> {
  const gatewayOrderId = `sandbox_${newUuid(now)}`
  const order = { orderId, gatewayOrderId, amountPaise, currency, note, expiresAt } as const
  const created = await insertOrder(database, { ...order, status: 'active', createdAt: now })
  if (!created) return rejected('order_already_exists', 'There is an order of this id already')
  return value({ gatewayOrderId, gatewaySessionId: null })
}

async function startUpi(
  { database, clock, merchantName }: SandboxOptions,
  { orderId }: OrderKey,
  request: UpiRequest,
): Promise<Answer<UpiAttempt>> {
  return database.inTransaction(async tx => {
    const now = clock.now()
    const order = await lockOrder(tx, orderId)
    if (order === null) return rejected('order_not_found', 'There is no such order')
    if (statusAt(order, now) !== 'active') return rejected('order_inactive', 'The order takes no payment')
    if (request.channel !== 'collect') return value({ intent: intentOf(order, merchantName) })
    const { id, createdAt } = { id: newUuid(now), createdAt: now }
    const { amountPaise, currency } = order
    const answer = MAGIC_PAYERS.get(request.upiId.toLowerCase())
    await insertPayment(
      tx,
      {
        id,
        orderId,
        method: 'upi',
        status: 'pending',
        amountPaise,
        currency,
        bankReference: null,
        chargedBack: false,
        createdAt,
        paidAt: null,
      },
      answer === undefined ? null : { at: new Date(now.getTime() + COLLECT_ANSWER_MS), to: answer },
    )
    return value({ intent: null })
  })
}

/** NPCI's deep link; `tr` holds letters and digits only, at most 35. Some apps read an address only with a plain `@`. */
function intentOf(order: SandboxOrder, merchantName: string): string {
  const fields = {
    pa: SANDBOX_VPA,
    pn: merchantName,
    tr: order.orderId.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 35),
    tn: order.note,
    am: rupeesText(order.amountPaise),
    cu: order.currency,
  }
  const query = Object.entries(fields).map(
    ([name, text]) => `${name}=${encodeURIComponent(text).replaceAll('%40', '@')}`,
  )
  return `upi://pay?${query.join('&')}`
}

async function getOrder(
  database: Database,
  now: Date,
  { orderId }: OrderKey,
): Promise<Answer<GatewayOrder | null>> {
  const order = await selectOrder(database, orderId)
  if (order === null) return value(null)
  const payments = await selectPayments(database, orderId)
  return value({
    orderId,
    gatewayOrderId: order.gatewayOrderId,
    gatewaySessionId: null,
    status: statusAt(order, now),
    amountPaise: order.amountPaise,
    currency: order.currency,
    payments: payments.map(({ id, ...payment }) => ({ ...payment, gatewayPaymentId: id })),
  })
}

function statusAt(order: SandboxOrder, now: Date): GatewayOrder['status'] {
  if (order.status === 'paid') return 'paid'
  return order.status === 'active' && now < order.expiresAt ? 'active' : 'closed'
}

async function cancelOrder(database: Database, { orderId }: OrderKey): Promise<Answer<null>> {
  return database.inTransaction(async tx => {
    const order = await lockOrder(tx, orderId)
    if (order === null) return rejected('order_not_found', 'There is no such order')
    if (order.status === 'paid') return rejected('order_paid', 'The order is paid already')
    await updateOrderStatus(tx, orderId, 'terminated')
    return value(null)
  })
}

async function makeRefund(
  database: Database,
  now: Date,
  { orderId }: OrderKey,
  { refundId, gatewayPaymentId, amountPaise }: Refund,
): Promise<Answer<RefundStatus>> {
  return database.inTransaction(async tx => {
    await lockOrder(tx, orderId)
    const known = await selectRefund(tx, refundId)
    if (known !== null) return value(known)
    const payment = await selectPayment(tx, gatewayPaymentId)
    if (payment === null || payment.orderId !== orderId || payment.status !== 'success') {
      return rejected('payment_not_found', 'There is no paid payment of this id')
    }
    const refunded = await sumRefunded(tx, payment.id)
    if (refunded + amountPaise > payment.amountPaise) {
      return rejected('refund_too_large', 'More than was paid cannot be refunded')
    }
    await insertRefund(tx, {
      refundId,
      orderId,
      paymentId: payment.id,
      amountPaise,
      status: 'done',
      createdAt: now,
    })
    return value('done')
  })
}
