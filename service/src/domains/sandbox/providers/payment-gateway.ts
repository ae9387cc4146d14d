import type { Database } from '../../../db/database.ts'
import { readPaymentWebhook } from '../../../gateways/cashfree/webhooks.ts'
import { type GatewayResult, type Rejected, rejected, value } from '../../../gateways/gateway-result.ts'
import type {
  CreatedOrder,
  GatewayOrder,
  NewOrder,
  OrderKey,
  PaymentGateway,
  UpiAttempt,
  UpiRequest,
} from '../../../gateways/payment-gateway.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { rupeesText } from '../../../kernel/money.ts'
import type { Deliver } from './deliver.ts'
import { faultOf, responseOf, tookEffect } from './magic-amounts.ts'
import { listRecords } from './records.ts'
import { makeRefund } from './refunds.ts'
import { resolveDueOf } from './resolve-due.ts'
import { openSimulation, type Simulation } from './simulation.ts'
import {
  insertOrder,
  insertPayment,
  lockOrder,
  type SandboxOrder,
  selectOrder,
  selectPayments,
  selectRefund,
  updateOrderStatus,
} from './store.ts'

export interface SandboxOptions {
  readonly database: Database
  readonly clock: Clock
  /** The webhook secrets, newest first. The first signs; all are accepted, as while a secret is rotated. */
  readonly webhookSecrets: readonly [string, ...string[]]
  /** Delivers a webhook to our own route, as a gateway would over the network. */
  readonly deliver: Deliver
  /** The name that a payer's app shows. */
  readonly merchantName: string
  readonly upiCollect?: boolean
}

export interface SandboxGateway extends PaymentGateway {
  /** The payer, the bank and the network, simulated on demand. */
  readonly simulation: Simulation
}

/** No payment app knows this UPI address, so no money can be sent to it. */
const SANDBOX_VPA = 'payments@batuasandbox'
const COLLECT_RESPONSE_MS = 2_000
/** The test UPI ids of the simulated gateway, each with its result. */
const MAGIC_PAYERS: ReadonlyMap<string, 'success' | 'failed'> = new Map([
  ['testsuccess@gocash', 'success'],
  ['testfailure@gocash', 'failed'],
])
/** UPI ids that take no collect requests. */
const NOT_COLLECTED: ReadonlyMap<string, Rejected> = new Map([
  ['testincorrect@gocash', rejected('upi_id_invalid', 'No UPI app knows this UPI id')],
  ['testnocollect@gocash', rejected('collect_disabled', 'This payer takes no UPI collect requests')],
])

/** A payment gateway that is stored in the service's own database but behaves like an outside system. */
export function createSandboxGateway(options: SandboxOptions): SandboxGateway {
  const { database, clock, webhookSecrets } = options
  const upiCollect = options.upiCollect ?? true
  const simulation = openSimulation(options)

  return {
    name: 'sandbox',
    capabilities: { upiCollect },
    simulation,
    createOrder: order => createFaultyOrder(database, clock.now(), simulation, order),
    startUpi(key, request) {
      const refusal = request.channel === 'collect' ? collectRefusal(upiCollect, request.upiId) : undefined
      return refusal === undefined ? startUpi(options, key, request) : Promise.resolve(refusal)
    },
    getOrder: key => getOrder(database, clock.now(), key),
    cancelOrder: key => cancelOrder(database, key),
    refund: (key, refund) => makeRefund(database, clock.now(), key, refund),
    getRefund: async (_key, refundId) => value(await selectRefund(database, refundId, clock.now())),
    listRecords: (from, to, cursor) => listRecords(database, from, to, cursor),
    parseWebhook: (rawBody, headers) => readPaymentWebhook(rawBody, headers, webhookSecrets),
  }
}

function collectRefusal(upiCollect: boolean, upiId: string): Rejected | undefined {
  return upiCollect
    ? NOT_COLLECTED.get(upiId.toLowerCase())
    : rejected('collect_disabled', 'This gateway takes no UPI collect requests')
}

/** An order of a magic amount meets the fault of that amount. */
async function createFaultyOrder(
  database: Database,
  now: Date,
  simulation: Simulation,
  order: NewOrder,
): Promise<GatewayResult<CreatedOrder>> {
  const fault = faultOf(order.amountPaise)
  const response = fault === null ? null : responseOf(fault)
  if (fault !== null && response !== null && !tookEffect(fault)) return response
  const created = await createOrder(database, now, order)
  if (fault === 'webhook_first' && created.kind === 'value') {
    const payment = await simulation.pay(order.orderId, { method: 'upi' })
    await simulation.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
  }
  return response ?? created
}

async function createOrder(
  database: Database,
  now: Date,
  { orderId, amountPaise, currency, note, expiresAt }: NewOrder,
): Promise<GatewayResult<CreatedOrder>> {
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
): Promise<GatewayResult<UpiAttempt>> {
  return database.inTransaction(async tx => {
    const now = clock.now()
    const order = await lockOrder(tx, orderId)
    if (order === null) return rejected('order_not_found', 'There is no such order')
    if (statusAt(order, now) !== 'active') return rejected('order_inactive', 'The order takes no payment')
    if (request.channel !== 'collect') return value({ intent: intentOf(order, merchantName) })
    const { id, createdAt } = { id: newUuid(now), createdAt: now }
    const { amountPaise, currency } = order
    const response = MAGIC_PAYERS.get(request.upiId.toLowerCase())
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
        refundFault: null,
        createdAt,
        paidAt: null,
      },
      response === undefined ? null : { at: new Date(now.getTime() + COLLECT_RESPONSE_MS), to: response },
    )
    return value({ intent: null })
  })
}

/**
 * NPCI's deep link; `tr` holds letters and digits only, at most 35. Some apps read an address only with a plain `@`.
 */
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
): Promise<GatewayResult<GatewayOrder | null>> {
  await resolveDueOf(database, orderId, now)
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

async function cancelOrder(database: Database, { orderId }: OrderKey): Promise<GatewayResult<null>> {
  return database.inTransaction(async tx => {
    const order = await lockOrder(tx, orderId)
    if (order === null) return rejected('order_not_found', 'There is no such order')
    if (order.status === 'paid') return rejected('order_paid', 'The order is paid already')
    await updateOrderStatus(tx, orderId, 'terminated')
    return value(null)
  })
}
