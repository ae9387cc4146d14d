import type { AgentStatus } from '@batua/contract'

/**
 * A reference model of the rules of wallets, written as simply as possible and sharing no code with the service: every
 * result is a scan of the whole history. Money in paise, times in Unix milliseconds.
 */
export interface ModelControls {
  readonly perTx: bigint | null
  readonly hourly: bigint | null
  readonly daily: bigint | null
  readonly monthly: bigint | null
  readonly perCounterparty: bigint | null
  readonly maxCounterparties: number | null
  /** null: no restriction. */
  readonly allowed: readonly string[] | null
  readonly blocked: readonly string[]
}

export interface ModelAgent {
  readonly status: AgentStatus
  readonly key: string
  readonly controls: ModelControls
}

export interface ModelTransfer {
  readonly id: string
  readonly kind: 'fund' | 'payment' | 'refund'
  /** null: from outside. */
  readonly from: string | null
  readonly to: string
  readonly amount: bigint
  readonly fee: bigint
  readonly postedMs: number
  readonly key: string | null
  readonly reference: string | null
  /** The refunded payment. */
  readonly refunds: string | null
}

export interface Model {
  readonly agents: ReadonlyMap<string, ModelAgent>
  readonly history: readonly ModelTransfer[]
}

export interface ModelPayment {
  readonly payer: string
  /** null: no agent has this name. */
  readonly payee: string | null
  readonly presentedKey: string
  readonly amount: bigint
  readonly key: string | null
  readonly reference: string | null
  readonly unique: boolean
}

export interface ModelRefund {
  readonly payment: ModelTransfer
  readonly presentedKey: string
  /** null: the whole remaining amount. */
  readonly amount: bigint | null
  readonly key: string | null
}

/** The expected result of a command: done or refused. */
export type ModelOutcome = Done | Refused

export interface Done {
  readonly kind: 'done'
  readonly amount: bigint
  readonly fee: bigint
}

export interface Refused {
  readonly kind: 'refused'
  readonly code: string
  /** Any of these is accepted; null: this code has none. */
  readonly details: readonly Record<string, unknown>[] | null
  /** Whether waiting alone makes the limits allow it. */
  readonly waitingHelps?: boolean
}

const HOUR_MS = 3_600_000
const NO_CONTROLS: ModelControls = {
  perTx: null,
  hourly: null,
  daily: null,
  monthly: null,
  perCounterparty: null,
  maxCounterparties: null,
  allowed: null,
  blocked: [],
}

export const OPEN_CONTROLS = NO_CONTROLS

export function balanceIn({ history }: Model, wallet: string): bigint {
  let balance = 0n
  for (const { from, to, amount, fee } of history) {
    if (from === wallet) balance -= amount + fee
    if (to === wallet) balance += amount
  }
  return balance
}

export function totalsIn(
  { history }: Model,
  wallet: string,
): { funded: bigint; spent: bigint; sequence: bigint } {
  let [funded, spent, sequence] = [0n, 0n, 0n]
  for (const { from, to, amount, fee } of history) {
    if (to === wallet) funded += amount
    if (from === wallet) spent += amount + fee
    if (to === wallet || from === wallet) sequence += 1n
  }
  return { funded, spent, sequence }
}

export function decideModelPayment(model: Model, payment: ModelPayment, nowMs: number): ModelOutcome {
  const { payer, payee, amount } = payment
  const sender = model.agents.get(payer)
  if (sender === undefined || sender.key !== payment.presentedKey) return refused('authentication_error')
  const used = keyUse(
    model,
    payer,
    payment.key,
    each => isPayment(each, payer, payee) && each.amount === amount && each.reference === payment.reference,
  )
  if (used !== null) return used
  const same = model.history.find(
    each => isPayment(each, payer, payee) && each.reference === payment.reference,
  )
  if (payment.unique && payment.reference !== null && same !== undefined) {
    return refused('conflict', { payment: same.id })
  }
  if (sender.status !== 'active') return refused('policy_denied')
  const receiver = payee === null ? undefined : model.agents.get(payee)
  if (payee === null || receiver === undefined) return refused('not_found')
  if (payee === payer || !canReceive(receiver.status)) return refused('validation_error')
  const { allowed, blocked } = sender.controls
  if (blocked.includes(payee) || !(allowed?.includes(payee) ?? true)) return refused('authorization_error')
  const over = limitExceeded(model, payer, payee, amount, nowMs)
  if (over !== null) return over
  const halfPercent = (amount + 100n) / 200n
  const fee = halfPercent > 100n ? halfPercent : 100n
  return short(model, payer, amount, fee) ?? { kind: 'done', amount, fee }
}

export function decideModelRefund(model: Model, refund: ModelRefund): ModelOutcome {
  const { payment } = refund
  const refunder = model.agents.get(payment.to)
  if (refunder === undefined || refunder.key !== refund.presentedKey) return refused('authentication_error')
  const used = keyUse(model, payment.to, refund.key, each => isSameRefund(model, refund, each))
  if (used !== null) return used
  if (refunder.status !== 'active') return refused('policy_denied')
  if (!canReceive(model.agents.get(payment.from ?? '')?.status)) return refused('validation_error')
  const given = sum(model.history, each => each.refunds === payment.id)
  const left = payment.amount - given
  const amount = refund.amount ?? left
  if (left === 0n || amount > left) {
    return refused('conflict', {
      amount: inr(payment.amount),
      refunded_total: inr(given),
      remaining: inr(left),
    })
  }
  return short(model, payment.to, amount, 0n) ?? { kind: 'done', amount, fee: 0n }
}

/** How much of a payment has been refunded. */
export function refundedIn({ history }: Model, payment: string): bigint {
  return sum(history, each => each.refunds === payment)
}

interface Limit {
  readonly rule: string
  readonly limit: bigint
  readonly used: bigint
}

export function limitExceeded(
  model: Model,
  payer: string,
  payee: string,
  amount: bigint,
  nowMs: number,
): Refused | null {
  const controls = model.agents.get(payer)?.controls ?? NO_CONTROLS
  const paid = model.history.filter(each => each.kind === 'payment' && each.from === payer)
  const today = (ms: number) => dateInIndia(ms) === dateInIndia(nowMs)
  const thisMonth = (ms: number) => dateInIndia(ms).slice(0, 7) === dateInIndia(nowMs).slice(0, 7)
  const withinHour = (ms: number) => nowMs - ms < HOUR_MS
  const all: [string, bigint | null, bigint][] = [
    ['spend_limit_per_tx', controls.perTx, 0n],
    ['spend_limit_hourly', controls.hourly, sum(paid, each => withinHour(each.postedMs))],
    ['spend_limit_daily', controls.daily, sum(paid, each => today(each.postedMs))],
    ['spend_limit_monthly', controls.monthly, sum(paid, each => thisMonth(each.postedMs))],
    [
      'per_counterparty_daily_limit',
      controls.perCounterparty,
      sum(paid, each => each.to === payee && today(each.postedMs)),
    ],
  ]
  const limits = all.flatMap(([rule, limit, used]) => (limit === null ? [] : [{ rule, limit, used }]))
  const over = limits.filter(limit => amount > leftOf(limit))

  const recent = new Set(paid.filter(each => withinHour(each.postedMs)).map(each => each.to))
  const most = controls.maxCounterparties
  const crowded = most !== null && new Set([...recent, payee]).size > most
  if (over.length === 0 && !crowded) return null

  const least = crowded ? 0n : min(limits.map(leftOf))
  const details = over.filter(limit => leftOf(limit) === least).map(limit => amountDetails(limit, least))
  if (crowded) {
    const rule = 'max_counterparties_per_hour'
    details.push({ rule, layer: 'agent', limit: most, used: recent.size, remaining: 0, max_amount_now: 0 })
  }
  const waitingHelps = over.every(({ limit }) => amount <= limit) && !(crowded && most === 0)
  return { kind: 'refused', code: 'spend_limit_exceeded', details, waitingHelps }
}

function amountDetails(limit: Limit, least: bigint): Record<string, unknown> {
  const { rule, used } = limit
  const amounts = {
    limit: inr(limit.limit),
    used: inr(used),
    remaining: inr(leftOf(limit)),
    max_amount_now: inr(least),
  }
  return { rule, layer: 'agent', ...amounts }
}

function leftOf({ limit, used }: Limit): bigint {
  return limit > used ? limit - used : 0n
}

function keyUse(
  { history }: Model,
  wallet: string,
  key: string | null,
  isSame: (used: ModelTransfer) => boolean,
): Refused | null {
  const used = key === null ? undefined : history.find(each => each.from === wallet && each.key === key)
  if (used === undefined) return null
  return refused('idempotency_error', {
    ...{ [used.kind]: used.id, status: 'completed', same_request: isSame(used) },
  })
}

/** A refund without an amount asks for what is left: it is the same as the one after which nothing was. */
function isSameRefund({ history }: Model, { payment, amount }: ModelRefund, used: ModelTransfer): boolean {
  if (used.refunds !== payment.id) return false
  if (amount !== null) return used.amount === amount
  const until = history.slice(0, history.indexOf(used) + 1)
  return sum(until, each => each.refunds === payment.id) === payment.amount
}

function isPayment(transfer: ModelTransfer, from: string, to: string | null): boolean {
  return transfer.kind === 'payment' && transfer.from === from && transfer.to === to
}

function short(model: Model, wallet: string, amount: bigint, fee: bigint): Refused | null {
  const balance = balanceIn(model, wallet)
  const required = amount + fee
  if (balance >= required) return null
  return refused('insufficient_balance', {
    ...{ balance: inr(balance), required: inr(required), amount: inr(amount), fee: inr(fee) },
  })
}

function canReceive(status: AgentStatus | undefined): boolean {
  return status === 'active' || status === 'quarantined'
}

function refused(code: string, details: Record<string, unknown> | null = null): Refused {
  return { kind: 'refused', code, details: details === null ? null : [details] }
}

function sum(transfers: readonly ModelTransfer[], counts: (transfer: ModelTransfer) => boolean): bigint {
  let total = 0n
  for (const transfer of transfers) if (counts(transfer)) total += transfer.amount
  return total
}

function min(amounts: readonly bigint[]): bigint {
  return amounts.reduce((least, each) => (each < least ? each : least))
}

function inr(amount: bigint): number {
  return Number(amount) / 100
}

// The calendar of the time zone database; remembered, because it is slow and always asked about the same moments.
const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata', dateStyle: 'short' })
const dates = new Map<number, string>()

function dateInIndia(ms: number): string {
  const known = dates.get(ms)
  if (known !== undefined) return known
  const date = calendar.format(ms)
  dates.set(ms, date)
  return date
}
