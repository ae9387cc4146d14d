import { type Paise, paiseFromRupees, type Rupees } from '../protocol/amount.ts'
import { payeeName } from '../protocol/payee.ts'
import type { BudgetLimit } from './journal.ts'
import type { Budget, PayingFetchOptions, TabOptions } from './options.ts'

/** A buyer's terms: its options, validated once. */
export interface Terms {
  readonly maxPaise: Paise
  readonly budgets: readonly BudgetTerm[]
  /** By `payeeName`; null: any payee. */
  readonly payees: ReadonlySet<string> | null
  /** Whether a payee is paid only where it sells. */
  readonly checksSellers: boolean
  readonly allowHttp: boolean
  readonly approval: 'wait' | 'return'
  readonly approvalTimeoutMs: number
  readonly payment: NonNullable<PayingFetchOptions['payment']>
}

/** What is set aside for vouchers. */
export interface TabTerms {
  readonly amountPaise: Paise
  readonly perHost: number
  readonly idleMs: number
}

interface BudgetTerm {
  readonly limitPaise: Paise
  readonly windowMs: number
  /** `shop.example`: on every port; `shop.example:8443`: on this one; `*`: each; null: all together. */
  readonly host: string | null
}

const OPTIONS: Readonly<Record<keyof PayingFetchOptions, true>> = {
  client: true,
  maxAmount: true,
  budgets: true,
  payees: true,
  approval: true,
  approvalTimeoutMs: true,
  allowHttp: true,
  journal: true,
  identity: true,
  service: true,
  tab: true,
  payment: true,
}
const PAYMENT_OPTIONS: Readonly<Record<keyof Terms['payment'], true>> = {
  key: true,
  context: true,
  voucherSecret: true,
}
const TAB_OPTIONS: Readonly<Record<keyof TabOptions, true>> = { amount: true, perHost: true, idleMs: true }
const BUDGET_OPTIONS: Readonly<Record<keyof Budget, true>> = { amount: true, per: true, host: true }

export const HOUR_MS = 3_600_000
const WINDOW_MS = { hour: HOUR_MS, day: 24 * HOUR_MS }
const EACH_HOST = '*'

/** The terms in options; throws a TypeError or RangeError if they are invalid. */
export function termsOf(options: PayingFetchOptions): Terms {
  checkNames(options, OPTIONS, 'the options')
  checkNames(options.payment ?? {}, PAYMENT_OPTIONS, 'the fields of payment')
  const { approval = 'wait', approvalTimeoutMs = HOUR_MS, budgets = [], payees, payment = {} } = options
  if (!Array.isArray(budgets)) throw new TypeError('budgets and payees must be lists')
  const isAny = payees === 'any'
  if (!isAny && !Array.isArray(payees ?? []))
    throw new TypeError("budgets and payees must be lists, or payees is 'any'")
  if (approval !== 'wait' && approval !== 'return') throw new TypeError("approval is 'wait' or 'return'")
  if (!(approvalTimeoutMs >= 0)) throw new RangeError('approvalTimeoutMs is not a number of milliseconds')
  return {
    maxPaise: amountIn('maxAmount', options.maxAmount),
    budgets: budgets.map(budgetTerm),
    payees: payees === undefined || isAny ? null : new Set(payees.map(payee => payeeName(payee.trim()))),
    checksSellers: !isAny,
    allowHttp: options.allowHttp === true,
    approval,
    approvalTimeoutMs,
    payment,
  }
}

const DEFAULT_PER_HOST = 2
const DEFAULT_IDLE_MS = 60_000
const MAX_TIMER_MS = 2 ** 31 - 1

/** The terms of vouchers; null: there are none. Throws a TypeError or RangeError if they are invalid. */
export function tabTermsOf({ tab, payment }: PayingFetchOptions): TabTerms | null {
  if (tab === undefined) return null
  checkNames(tab, TAB_OPTIONS, 'the fields of tab')
  if (payment?.key !== undefined) throw new TypeError('A payment with a key is one payment: it excludes tab')
  const { perHost = DEFAULT_PER_HOST, idleMs = DEFAULT_IDLE_MS } = tab
  if (!Number.isSafeInteger(perHost) || perHost < 1)
    throw new RangeError('tab.perHost is a number of 1 or more')
  if (!(idleMs > 0 && idleMs <= MAX_TIMER_MS))
    throw new RangeError(`tab.idleMs must be above 0 and at most ${MAX_TIMER_MS}`)
  const amountPaise = amountIn('tab.amount', tab.amount)
  if (amountPaise === 0n) throw new RangeError('tab.amount must be above 0')
  return { amountPaise, perHost, idleMs }
}

/** A limit whose name is misspelt would limit nothing. */
function checkNames(options: object, known: Readonly<Record<string, true>>, what: string): void {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const [unknown] = given.find(([name]) => !Object.hasOwn(known, name)) ?? []
  if (unknown === undefined) return
  throw new TypeError(`${unknown} is not one of ${what}: ${Object.keys(known).join(', ')}`)
}

function budgetTerm(budget: Budget): BudgetTerm {
  checkNames(budget, BUDGET_OPTIONS, 'the fields of a budget')
  const { amount, per, host } = budget
  if (!Object.hasOwn(WINDOW_MS, per)) throw new TypeError("A budget is per 'hour' or 'day'")
  return {
    limitPaise: amountIn('The amount of a budget', amount),
    windowMs: WINDOW_MS[per],
    host: host === undefined || host === EACH_HOST ? (host ?? null) : hostOfBudget(host),
  }
}

function amountIn(name: string, amount: Rupees | undefined): Paise {
  if (typeof amount !== 'number' && typeof amount !== 'string') throw new TypeError(`${name} is missing`)
  try {
    return paiseFromRupees(amount)
  } catch (cause) {
    throw new RangeError(`${name}: ${String(amount)} is not an amount in INR`, { cause })
  }
}

/**
 * A seller's host in journals and budgets: in lower case, without a trailing dot and without the default port of
 * https.
 */
export function hostOf({ protocol, hostname, port }: URL): string {
  const name = nameOf(hostname)
  if (protocol === 'http:') return `${name}:${port === '' ? '80' : port}`
  return port === '' ? name : `${name}:${port}`
}

/** A seller's origin in the form of payees' origins: without a trailing dot of its host. */
export function originOf({ protocol, hostname, port }: URL): string {
  return `${protocol}//${nameOf(hostname)}${port === '' ? '' : `:${port}`}`
}

function nameOf(hostname: string): string {
  return hostname.replace(/\.+$/, '')
}

const HOST_NAME = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/

/** The same form for the host of a budget, with its port if it has one: a budget that cannot match is refused. */
function hostOfBudget(host: unknown): string {
  const isBare = typeof host === 'string' && /^[^\s/\\?#@]+$/.test(host)
  const urls = isBare ? [parsed(`https://${host}`), parsed(`http://${host}`)] : []
  const name = nameOf(urls[0]?.hostname ?? '')
  if (!HOST_NAME.test(name))
    throw new TypeError(`The host of a budget must be like shop.example, not ${String(host)}`)
  // Each scheme omits its default port.
  const port = urls.map(url => url?.port).find(text => text)
  return port === undefined ? name : `${name}:${port}`
}

function parsed(url: string): URL | null {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

/** The budgets for a purchase from this host, in the form of `hostOf`. */
export function limitsFor(budgets: readonly BudgetTerm[], host: string): BudgetLimit[] {
  return budgets
    .map(budget => (budget.host === EACH_HOST ? { ...budget, host: splitHost(host).name } : budget))
    .filter(budget => budget.host === null || isOfHost(host, budget.host))
}

/** Whether a seller's host matches that of a budget, which without a port matches every port. */
export function isOfHost(host: string, budgetHost: string): boolean {
  const { name, port } = splitHost(host)
  return budgetHost === name || budgetHost === `${name}:${port}`
}

function splitHost(host: string): { readonly name: string; readonly port: string } {
  const [, name = host, port = '443'] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  return { name, port }
}
