import type { Clock } from '../../../kernel/clock.ts'
import { bare, type Fields, type Incoming, ok, type Reply, refused } from './reply.ts'
import { MOMENT, misfit, ORDER_ID, optional, RUPEES, type Shape } from './shape.ts'

interface FakeOrder {
  readonly order_id: string
  readonly cf_order_id: string
  readonly payment_session_id: string
  readonly amount: string
  readonly currency: string
  readonly meta: Fields
  status: string
}

interface FakePayment extends Fields {
  readonly cf_payment_id: string
}

export interface PaymentOptions {
  readonly status?: string
  readonly amount?: string
  readonly currency?: string
  readonly group?: string
  /** When the attempt came to its end. */
  readonly at?: Date
  readonly begunAt?: Date
}

/** Cashfree's payment gateway, and the hands of the payer, the bank and the network in it. */
export interface FakePayments {
  handle(request: Incoming): Reply | null
  readonly orders: ReadonlyMap<string, FakeOrder>
  readonly refunds: ReadonlyMap<string, Fields>
  /** An attempt to pay; its id has 19 digits. */
  pay(orderId: string, options?: PaymentOptions): string
  setOrderStatus(orderId: string, status: string): void
  setPaymentStatus(paymentId: string, status: string): void
  setRefundStatus(refundId: string, status: string): void
  /** What new refunds come to at once. */
  refundsBecome(status: string): void
  dispute(orderId: string, paymentId: string, status: string, amount?: string): void
  record(entry: Fields): void
  /** How many entries a page of the records has. */
  pagesOf(entries: number): void
}

const NEW_ORDER: Shape = {
  order_id: ORDER_ID,
  order_amount: RUPEES,
  order_currency: /^INR$/,
  customer_details: { customer_id: /^[A-Za-z0-9]{3,50}$/, customer_phone: /^\d{10}$/ },
  order_meta: {
    payment_methods: /^(?:cc|dc|nb|upi)(?:,(?:cc|dc|nb|upi))*$/,
    notify_url: optional(/^https:\/\//),
    return_url: optional(/^https?:\/\//),
  },
  order_expiry_time: MOMENT,
  order_note: /^.{3,200}$/,
}

const NEW_REFUND: Shape = {
  refund_id: /^[A-Za-z0-9_-]{3,40}$/,
  refund_amount: RUPEES,
  refund_note: /^.{3,100}$/,
}

const UPI: Shape = {
  channel: /^(?:collect|link|qrcode)$/,
  upi_id: optional(/^[\w.-]{2,256}@\w{2,64}$/),
  upi_expiry_minutes: optional(/^(?:[5-9]|1[0-5])$/),
}

const RECON: Shape = { start_date: MOMENT, end_date: MOMENT }

interface State {
  readonly clock: Clock
  readonly orders: Map<string, FakeOrder>
  /** Newest first. */
  readonly payments: Map<string, readonly FakePayment[]>
  readonly refunds: Map<string, Fields>
  readonly disputes: Map<string, readonly Fields[]>
  readonly records: Fields[]
  newRefund: string
  pageSize: number
  lastId: bigint
}

export function createFakePayments(clock: Clock): FakePayments {
  const state: State = {
    clock,
    orders: new Map(),
    payments: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    records: [],
    newRefund: 'SUCCESS',
    pageSize: 100,
    // Ids that a double cannot hold.
    lastId: 9_007_199_254_740_993_000n,
  }
  const { orders, refunds } = state
  return {
    orders,
    refunds,
    handle: request => handle(state, request),
    pay: (orderId, options = {}) => addPayment(state, known(orders, orderId), options),
    setOrderStatus(orderId, status) {
      known(orders, orderId).status = status
    },
    setPaymentStatus: (paymentId, status) => setPaymentStatus(state, paymentId, status),
    setRefundStatus: (refundId, status) =>
      void refunds.set(refundId, { ...known(refunds, refundId), refund_status: status }),
    refundsBecome(status) {
      state.newRefund = status
    },
    dispute(orderId, paymentId, status, amount = known(orders, orderId).amount) {
      state.disputes.set(orderId, [disputeOf(orderId, paymentId, status, amount)])
    },
    record: entry => void state.records.push(entry),
    pagesOf(entries) {
      state.pageSize = entries
    },
  }
}

function handle(state: State, request: Incoming): Reply | null {
  if (request.path === '/orders') return createOrder(state, request)
  if (request.path === '/orders/sessions') return startSession(state, request)
  if (request.path === '/recon') return recon(state, request)
  const [, id = '', rest = ''] = /^\/orders\/([^/]+)\/?(.*)$/.exec(request.path) ?? []
  return id === '' ? null : ofOrder(state, request, id, rest)
}

function setPaymentStatus({ payments }: State, paymentId: string, status: string): void {
  for (const [orderId, list] of payments) {
    const changed = list.map(payment =>
      payment.cf_payment_id === paymentId ? { ...payment, payment_status: status } : payment,
    )
    payments.set(orderId, changed)
  }
}

/** As Cashfree writes it: with India's offset. */
function timeOf(moment: Date): string {
  const india = new Date(moment.getTime() + 5.5 * 60 * 60_000)
  return india.toISOString().replace('Z', '+05:30')
}

function disputeOf(orderId: string, paymentId: string, status: string, amount: string): Fields {
  return {
    dispute_id: bare('7'),
    dispute_status: status,
    dispute_amount: bare(amount),
    order_details: { order_id: orderId, cf_payment_id: bare(paymentId) },
  }
}

function newId(state: State): string {
  state.lastId += 7n
  return String(state.lastId)
}

function createOrder(state: State, { body }: Incoming): Reply {
  const wrong = misfit(NEW_ORDER, body)
  if (wrong !== null) return refused(400, `${wrong}_misfit`)
  const id = String(body.order_id)
  if (state.orders.has(id)) return refused(409, 'order_already_exists')
  const order: FakeOrder = {
    order_id: id,
    cf_order_id: newId(state),
    payment_session_id: `session_${id}`,
    amount: String(body.order_amount),
    currency: String(body.order_currency),
    meta: body.order_meta as Fields,
    status: 'ACTIVE',
  }
  state.orders.set(id, order)
  return ok(shown(order))
}

function startSession(state: State, { body }: Incoming): Reply {
  const upi = (body.payment_method as Fields | undefined)?.upi
  const wrong = misfit(UPI, upi)
  if (wrong !== null) return refused(400, `${wrong}_misfit`)
  const order = [...state.orders.values()].find(known => known.payment_session_id === body.payment_session_id)
  if (order === undefined) return refused(404, 'payment_session_id_not_found')
  if (order.status !== 'ACTIVE') return refused(400, 'order_inactive')
  const { channel, upi_id } = upi as Fields
  if (channel === 'collect' && upi_id === 'nobody@nowhere') return refused(400, 'upi_id_invalid')
  const status = channel === 'collect' ? 'PENDING' : 'NOT_ATTEMPTED'
  const id = addPayment(state, order, { status, group: 'upi' })
  const intent = `upi://pay?pa=shop@cf&pn=Shop&tr=${id}&am=${order.amount}&cu=INR`
  const payload = {
    link: { gpay: intent.replace('upi:', 'tez:'), default: intent },
    qrcode: { qrcode: 'data:image/png;base64,AA' },
  }
  const data = { url: null, payload: payload[channel as 'link' | 'qrcode'] ?? null }
  return ok({
    cf_payment_id: bare(id),
    payment_amount: bare(order.amount),
    channel,
    action: 'custom',
    data,
  })
}

function addPayment(state: State, order: FakeOrder, options: PaymentOptions): string {
  const { status = 'SUCCESS', amount = order.amount, currency = order.currency } = options
  const id = newId(state)
  const at = options.at ?? state.clock.now()
  const list = state.payments.get(order.order_id) ?? []
  state.payments.set(order.order_id, [
    {
      cf_payment_id: id,
      payment_status: status,
      payment_amount: bare(amount),
      payment_currency: currency,
      payment_time: timeOf(options.begunAt ?? at),
      payment_completion_time: status === 'SUCCESS' ? timeOf(at) : null,
      payment_group: options.group ?? 'upi',
      bank_reference: status === 'SUCCESS' ? bare(`4${id.slice(-11)}`) : null,
    },
    ...list,
  ])
  if (status === 'SUCCESS' && amount === order.amount) order.status = 'PAID'
  return id
}

function patchOrder(order: FakeOrder, { body }: Incoming): Reply {
  if (misfit({ order_status: /^TERMINATED$/ }, body) !== null) return refused(400, 'order_status_misfit')
  if (order.status !== 'ACTIVE') return refused(400, `order_${order.status.toLowerCase()}`)
  order.status = 'TERMINATED'
  return ok(shown(order))
}

function createRefund(state: State, order: FakeOrder, { body }: Incoming): Reply {
  const wrong = misfit(NEW_REFUND, body)
  if (wrong !== null) return refused(400, `${wrong}_misfit`)
  const id = String(body.refund_id)
  if (state.refunds.has(id)) return refused(409, 'refund_already_exists')
  const paid = (state.payments.get(order.order_id) ?? []).filter(
    payment => payment.payment_status === 'SUCCESS',
  )
  if (paid.length === 0) return refused(400, 'order_not_paid')
  const refund = {
    refund_id: id,
    order_id: order.order_id,
    cf_refund_id: newId(state),
    refund_amount: bare(String(body.refund_amount)),
    refund_status: state.newRefund,
  }
  state.refunds.set(id, refund)
  return ok(refund)
}

function recon(state: State, { body }: Incoming): Reply {
  const { limit, cursor } = body.pagination as Fields
  const wrong = misfit(RECON, body.filters)
  if (wrong !== null || !/^\d{1,4}$/.test(String(limit))) return refused(400, 'recon_misfit')
  const first = typeof cursor === 'string' ? Number(cursor) : 0
  const next = first + state.pageSize
  const data = state.records.slice(first, next)
  return ok({ cursor: next < state.records.length ? String(next) : null, limit: data.length, data })
}

function ofOrder(state: State, request: Incoming, id: string, rest: string): Reply | null {
  const order = state.orders.get(id)
  if (order === undefined) return refused(404, 'order_not_found')
  const line = `${request.method} ${rest}`
  if (line === 'GET ') return ok(shown(order))
  if (line === 'PATCH ') return patchOrder(order, request)
  if (line === 'GET payments') return ok((state.payments.get(id) ?? []).map(withBareId))
  if (line === 'GET disputes') return ok(state.disputes.get(id) ?? [])
  if (line === 'POST refunds') return createRefund(state, order, request)
  const [, refundId = ''] = /^GET refunds\/(.+)$/.exec(line) ?? []
  const refund = state.refunds.get(refundId)
  return refundId === '' ? null : refund === undefined ? refused(404, 'refund_not_found') : ok(refund)
}

function known<T>(map: ReadonlyMap<string, T>, id: string): T {
  const found = map.get(id)
  if (found === undefined) throw new Error('the stand-in does not know this id')
  return found
}

function shown({ amount, currency, status, meta, ...order }: FakeOrder): Fields {
  return {
    ...order,
    cf_order_id: bare(order.cf_order_id),
    order_amount: bare(amount),
    order_currency: currency,
    order_status: status,
    order_meta: meta,
  }
}

function withBareId(payment: FakePayment): Fields {
  return { ...payment, cf_payment_id: bare(payment.cf_payment_id) }
}
