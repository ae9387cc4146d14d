import type { LimitLayer } from '@batua/contract'
import type { Uuid } from '../../kernel/ids.ts'
import type { ControlColumns } from '../builders.ts'

/** One payment or hold of a payer's history, or the release of a hold without a recipient. */
export interface PastPayment {
  /** null: a hold without a recipient. */
  readonly payee: Uuid | null
  readonly amount: bigint
  readonly atMs: number
  readonly holdId?: Uuid
  /** A refunded hold: it does not count. */
  readonly undone?: boolean
  /** The earlier hold spent the amount: only the payee counts. */
  readonly isRelease?: boolean
  /** The connected app that spent it; absent: the agent itself. */
  readonly app?: Uuid
}

/** A connected app: its cap is one more layer, in which only its own spending counts. */
export interface PlainApp {
  readonly id: Uuid
  readonly controls: ControlColumns
  /** It may act before this moment. */
  readonly untilMs: number
}

/** The limits of one payer, the general layers first. */
export type PlainLayers = readonly (readonly [LimitLayer, ControlColumns])[]

/** All that a decision depends on; every figure is a scan of the whole history. */
export interface Question {
  readonly layers: PlainLayers
  readonly history: readonly PastPayment[]
  /** null: no payee. */
  readonly payee: Uuid | null
  readonly nowMs: number
  /** The app that asks; null or absent: the agent itself. */
  readonly app?: PlainApp | null
}

export interface PlainLimit {
  readonly rule: string
  readonly layer: LimitLayer
  readonly window: string
  readonly limit: number
  readonly used: number | null
  readonly resetsAtMs: number | null
}

export type PlainResponse =
  | { readonly kind: 'paid' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'refused'; readonly code: string; readonly details: PlainDetails | null }

type PlainDetails = Readonly<Record<string, unknown>>

const HOUR_MS = 3_600_000
const IST_MS = 19_800_000
/** The calendar in India as text: its day is ten characters long, its month seven. */
const inIndia = (ms: number, length: 7 | 10) => new Date(ms + IST_MS).toISOString().slice(0, length)

function nextMidnight(nowMs: number): number {
  return Date.parse(`${inIndia(nowMs, 10)}T00:00:00.000Z`) + 24 * HOUR_MS - IST_MS
}

function nextMonth(nowMs: number): number {
  const [year = 0, month = 0] = inIndia(nowMs, 7).split('-').map(Number)
  return Date.UTC(year, month, 1) - IST_MS
}

function sum(payments: readonly PastPayment[]): number {
  return payments.reduce((total, { amount }) => total + Number(amount), 0)
}

/** Every limit of every layer with its usage by the history. */
export function limitsByScan({ layers, history, payee, nowMs, app = null }: Question): PlainLimit[] {
  const everything = history.filter(({ atMs }) => atMs <= nowMs)
  const past = everything.filter(({ undone = false }) => !undone)
  const spent = (counts: (payment: PastPayment) => boolean) =>
    sum(past.filter(each => each.isRelease !== true && counts(each)))
  // When a window is empty is result by the last spending, undone or not: at the latest then.
  const lastMs = Math.max(...everything.flatMap(({ atMs, isRelease }) => (isRelease ? [] : [atMs])))
  const lastPaidMs = Math.max(...everything.map(({ atMs }) => atMs))
  const inHour = past.filter(({ atMs }) => atMs > nowMs - HOUR_MS)
  const today = (payment: PastPayment) => inIndia(payment.atMs, 10) === inIndia(nowMs, 10)
  const thisMonth = spent(({ atMs }) => inIndia(atMs, 7) === inIndia(nowMs, 7))
  const lastDay = spent(({ atMs }) => atMs > nowMs - 24 * HOUR_MS)
  const toPayee = payee === null ? null : sum(past.filter(each => each.payee === payee && today(each)))
  const ofApp: PlainLayers = app === null ? [] : [['app', app.controls]]
  return [...layers, ...ofApp].flatMap(([layer, set]) => {
    const isTier = layer === 'tier'
    const isCounted = layer === 'app' ? (each: PastPayment) => each.app === app?.id && today(each) : today
    const rows: [string, string, bigint | number | null | undefined, number | null, number][] = [
      ['spend_limit_per_tx', 'payment', set.spend_limit_per_tx_paise, 0, 0],
      [
        'spend_limit_hourly',
        'last_hour',
        set.spend_limit_hourly_paise,
        spent(({ atMs }) => atMs > nowMs - HOUR_MS),
        lastMs + HOUR_MS,
      ],
      [
        'spend_limit_daily',
        isTier ? 'last_24_hours' : 'ist_day',
        set.spend_limit_daily_paise,
        isTier ? lastDay : spent(isCounted),
        isTier ? lastMs + 24 * HOUR_MS : nextMidnight(nowMs),
      ],
      [
        layer === 'org' ? 'budget_limit' : 'spend_limit_monthly',
        'ist_month',
        set.spend_limit_monthly_paise,
        thisMonth,
        nextMonth(nowMs),
      ],
      [
        'per_counterparty_daily_limit',
        'ist_day',
        set.per_counterparty_daily_limit_paise,
        toPayee,
        nextMidnight(nowMs),
      ],
      [
        'max_counterparties_per_hour',
        'last_hour',
        set.max_counterparties_per_hour,
        new Set(inHour.flatMap(each => each.payee ?? [])).size,
        lastPaidMs + HOUR_MS,
      ],
    ]
    return rows.flatMap(([rule, window, limit, used, resetsAtMs]): PlainLimit[] =>
      limit === null || limit === undefined
        ? []
        : [{ rule, layer, window, limit: Number(limit), used, resetsAtMs: used === 0 ? null : resetsAtMs }],
    )
  })
}

/** The headroom of each limit for this payee; null if it is unknown. */
function leftOf(question: Question, { rule, limit, used }: PlainLimit): number | null {
  if (used === null) return null
  if (rule !== 'max_counterparties_per_hour') return Math.max(0, limit - used)
  const { history, payee, nowMs } = question
  const isKnown = history.some(
    each =>
      payee !== null &&
      !each.undone &&
      each.payee === payee &&
      each.atMs > nowMs - HOUR_MS &&
      each.atMs <= nowMs,
  )
  return used + (isKnown ? 0 : 1) <= limit ? Number.POSITIVE_INFINITY : 0
}

/** The largest amount that all limits and escrow thresholds allow; infinite if there are none. */
export function mostByScan(question: Question): number {
  const left = limitsByScan(question).map(limit => leftOf(question, limit) ?? Number.POSITIVE_INFINITY)
  const escrow = thresholds(question.layers, 'require_escrow_above_paise').map(([, above]) => above)
  return Math.min(...left, ...escrow)
}

type ThresholdColumn = 'require_escrow_above_paise' | 'require_human_approval_above_paise'

function thresholds(layers: PlainLayers, column: ThresholdColumn): [LimitLayer, number][] {
  return layers.flatMap(([layer, set]): [LimitLayer, number][] => {
    const above = set[column]
    return above === null || above === undefined ? [] : [[layer, Number(above)]]
  })
}

/** The result of a payment, by the rules of the contract. */
export function decideByScan(question: Question & { readonly payee: Uuid }, amount: bigint): PlainResponse {
  for (const [layer, set] of question.layers) {
    const { allowed_payees: allowed = ['network'], blocked_payee_agents: blocked = [] } = set
    const isAllowed = allowed.includes('network') || allowed.includes(question.payee)
    const isBlocked = blocked.includes(question.payee)
    if (!isAllowed || isBlocked) {
      const rule = isBlocked ? 'blocked_payee_agents' : 'allowed_payees'
      return { kind: 'refused', code: 'authorization_error', details: { rule, layer } }
    }
  }
  const asked = Number(amount)
  const max_amount_now = mostByScan(question) / 100
  let named: (PlainLimit & { left: number }) | null = null
  for (const limit of limitsByScan(question)) {
    const left = leftOf(question, limit)
    if (left !== null && asked > left && (named === null || left < named.left)) named = { ...limit, left }
  }
  if (named !== null) {
    const { rule, layer, limit, used, left } = named
    const unit = rule === 'max_counterparties_per_hour' ? 1 : 100
    const figures = { limit: limit / unit, used: (used ?? 0) / unit, remaining: left / 100, max_amount_now }
    return { kind: 'refused', code: 'spend_limit_exceeded', details: { rule, layer, ...figures } }
  }
  const escrow = exceeded(thresholds(question.layers, 'require_escrow_above_paise'), asked)
  if (escrow !== null) {
    const [layer, paise] = escrow
    const above = paise / 100
    const figures = { escrow_above: above, limit: above, used: 0, remaining: above, max_amount_now }
    return {
      kind: 'refused',
      code: 'escrow_required',
      details: { rule: 'require_escrow_above', layer, ...figures },
    }
  }
  const approval = exceeded(thresholds(question.layers, 'require_human_approval_above_paise'), asked)
  return { kind: approval === null ? 'paid' : 'asked' }
}

/** The lowest threshold, of equals the first, if the amount is above it. */
function exceeded(set: readonly [LimitLayer, number][], amount: number): [LimitLayer, number] | null {
  const [lowest] = set.filter(([, above]) => amount > above).toSorted(([, left], [, right]) => left - right)
  return lowest ?? null
}

/** Fails unless the refusal's `retry_at` is the first moment at which the same payment is allowed. */
export function checkRetry(
  question: Question & { readonly payee: Uuid },
  amount: bigint,
  retryAt: string | undefined,
): void {
  const at = (nowMs: number) => decideByScan({ ...question, nowMs }, amount).kind
  if (decideByScan({ ...question, history: [] }, amount).kind === 'refused') {
    if (retryAt !== undefined) throw new Error(`waiting does not help, not until ${retryAt} either`)
    return
  }
  const retryMs = Date.parse(retryAt ?? '')
  if (!(retryMs > question.nowMs)) throw new Error(`retry_at is ${retryAt}`)
  if (at(retryMs) === 'refused') throw new Error(`the same payment does not pass at ${retryAt}`)
  if (at(retryMs - 1) !== 'refused') throw new Error(`it passes before ${retryAt} already`)
}
