import { type Paise, paiseFromRupees, type Rupees } from '../protocol/amount.ts'
import { payeeName } from '../protocol/payee.ts'
import type { BudgetLimit } from './journal.ts'
import type { Budget, PayingFetchOptions } from './options.ts'

/** What a buyer agrees to: its options, read once. */
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
}
const BUDGET_OPTIONS: Readonly<Record<keyof Budget, true>> = { amount: true, per: true, host: true }

export const HOUR_MS = 3_600_000
const WINDOW_MS = { hour: HOUR_MS, day: 24 * HOUR_MS }
const EACH_HOST = '*'

/** The terms in options; a TypeError or RangeError when they make none. */
export function termsOf(options: PayingFetchOptions): Terms {
  checkNames(options, OPTIONS, 'the options')
  const { approval = 'wait', approvalTimeoutMs = HOUR_MS, budgets = [], payees } = options
  if (!Array.isArray(budgets)) throw new TypeError('budgets and payees are lists')
  const isAny = payees === 'any'
  if (!isAny && !Array.isArray(payees ?? []))
    throw new TypeError("budgets and payees are lists, or payees is 'any'")
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
  }
}

/** A limit whose name is misspelt would limit nothing. */
function checkNames(options: object, known: Readonly<Record<string, true>>, what: string): void {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const [unknown] = given.find(([name]) => !Object.hasOwn(known, name)) ?? []
  if (unknown === undefined) return
  throw new TypeError(`${unknown} is not among ${what}: ${Object.keys(known).join(', ')}`)
}

function budgetTerm(budget: Budget): BudgetTerm {
  checkNames(budget, BUDGET_OPTIONS, 'what a budget has')
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
    throw new RangeError(`${name}: ${String(amount)} is no amount in INR`, { cause })
  }
}

/** A seller's host as journals and budgets name it: in lower case, without a dot at its end, without https' own port. */
export function hostOf({ protocol, hostname, port }: URL): string {
  const name = nameOf(hostname)
  if (protocol === 'http:') return `${name}:${port === '' ? '80' : port}`
  return port === '' ? name : `${name}:${port}`
}

/** A seller's origin as payees name theirs: without a dot at the end of its host. */
export function originOf({ protocol, hostname, port }: URL): string {
  return `${protocol}//${nameOf(hostname)}${port === '' ? '' : `:${port}`}`
}

function nameOf(hostname: string): string {
  return hostname.replace(/\.+$/, '')
}

const HOST_NAME = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/

/** The same form of the host of a budget, whose port stays if it has one: a budget that cannot bind is refused. */
function hostOfBudget(host: unknown): string {
  const isBare = typeof host === 'string' && /^[^\s/\\?#@]+$/.test(host)
  const urls = isBare ? [parsed(`https://${host}`), parsed(`http://${host}`)] : []
  const name = nameOf(urls[0]?.hostname ?? '')
  if (!HOST_NAME.test(name))
    throw new TypeError(`The host of a budget is like shop.example, not ${String(host)}`)
  // Each leaves out the port that is its own.
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

/** The budgets that a purchase from this host, as `hostOf` has it, must fit into. */
export function limitsFor(budgets: readonly BudgetTerm[], host: string): BudgetLimit[] {
  return budgets
    .map(budget => (budget.host === EACH_HOST ? { ...budget, host: splitHost(host).name } : budget))
    .filter(budget => budget.host === null || isOfHost(host, budget.host))
}

/** Whether a seller's host is the one of a budget, whose ports are all meant when it names none. */
export function isOfHost(host: string, budgetHost: string): boolean {
  const { name, port } = splitHost(host)
  return budgetHost === name || budgetHost === `${name}:${port}`
}

function splitHost(host: string): { readonly name: string; readonly port: string } {
  const [, name = host, port = '443'] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  return { name, port }
}
