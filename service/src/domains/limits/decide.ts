import type { PolicyControl, PolicyLayer, PolicyWindow } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay, startOfIstMonth } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, paise, rupees, rupeesText, ZERO_PAISE } from '../../kernel/money.ts'
import type { RollingWindow, Spending } from '../../ledger/index.ts'
import type { Layer } from './controls.ts'
import type { CounterpartyUse } from './counterparties.ts'
import { decideEscrow } from './thresholds.ts'

/**
 * Which limits are checked; absent: all. A hold without a payee checks those on amounts, its release those on payees.
 */
export type LimitsChecked = 'amounts' | 'payees'

/** Everything that the rules depend on. The same facts give the same decision, for a payment and for a dry run. */
export interface PolicyFacts {
  readonly layers: readonly Layer[]
  readonly amountPaise: Paise
  readonly escrowApplies: boolean
  readonly only?: LimitsChecked | undefined
  readonly spending: Spending
  /** null while no control of the payer limits counterparties. */
  readonly counterparty: CounterpartyUse | null
  /** When a hold without a payee was last released; absent: not recently. */
  readonly lastReleaseMs?: number | undefined
  readonly nowMs: number
  /** When this amount has left a rolling window. */
  readonly fitsAgainMs: (window: RollingWindow, amountPaise: bigint) => number
}

/** One limit of one layer and how much of it is used: in paise, or a number of recipients. */
export interface LimitUsage {
  readonly rule: PolicyControl | 'budget_limit'
  readonly layer: PolicyLayer
  readonly window: PolicyWindow
  readonly limit: bigint
  /** null: it depends on the payee, and the request names none. */
  readonly used: bigint | null
  /** When the window is empty again if nothing more is spent; null without a window, or if it is empty. */
  readonly resetsAtMs: number | null
}

interface Refusing {
  readonly usage: LimitUsage
  readonly remaining: Paise
  /** When enough has left the window; null if waiting does not help. */
  readonly retryAtMs: number | null
}

/** Refuses a payee that the lists of any layer do not allow. */
export function decidePayee(layers: readonly Layer[], payeeId: Uuid): Refusal | null {
  for (const { layer, controls } of layers) {
    if (controls.blockedPayees?.has(payeeId)) {
      return refuse(
        'authorization_error',
        `The ${layer} policy blocks payments to this agent: take it out of blocked_payee_agents, or name another`,
        {
          field: 'to',
          details: { rule: 'blocked_payee_agents', layer },
        },
      )
    }
    if (controls.allowedPayees !== null && !controls.allowedPayees.has(payeeId)) {
      return refuse(
        'authorization_error',
        `The ${layer} policy does not allow payments to this agent: add it to allowed_payees, or name another`,
        {
          field: 'to',
          details: { rule: 'allowed_payees', layer },
        },
      )
    }
  }
  return null
}

/** Refuses an amount that exceeds any limit of any layer. The refusal names the limit with the least left. */
export function decideLimits(facts: PolicyFacts): Refusal | null {
  const usages = limitUsages(facts)
  const most = maxAmountNow(facts, usages)
  const escrow = facts.escrowApplies ? decideEscrow(facts.layers, facts.amountPaise, most) : null
  const [first, ...others] = refusing(facts, usages)
  if (first === undefined) return escrow
  // Among equal ones the first is named: general layers come before the agent's own.
  const tightest = others.reduce((least, each) => (each.remaining < least.remaining ? each : least), first)
  // A payment above the escrow threshold never passes, however long the caller waits.
  const retry = escrow === null ? retryAt([first, ...others]) : {}
  const more = { max_amount_now: rupees(most ?? ZERO_PAISE), ...retry }
  return tightest.usage.rule === 'max_counterparties_per_hour'
    ? recipientRefusal(tightest.usage, more)
    : amountRefusal(tightest, facts.amountPaise, most ?? ZERO_PAISE, more)
}

/** Every limit of every layer, the general layers first. */
export function limitUsages(facts: PolicyFacts): LimitUsage[] {
  return facts.layers.flatMap(layer => layerUsages(layer, facts))
}

function layerUsages({ layer, controls }: Layer, facts: PolicyFacts): LimitUsage[] {
  const { spending, counterparty } = facts
  const usages: LimitUsage[] = []
  const add = (rule: LimitUsage['rule'], window: PolicyWindow, limit: bigint | null, used: bigint | null) => {
    if (limit === null || !isChecked(rule, facts.only)) return
    const resetsAtMs = used === 0n ? null : emptyAt(rule, window, facts)
    usages.push({ rule, layer, window, limit, used, resetsAtMs })
  }
  add('spend_limit_per_tx', 'payment', controls.perTxPaise, 0n)
  add('spend_limit_hourly', 'last_hour', controls.hourlyPaise, spending.hourSpentPaise)
  if (layer === 'tier') {
    add('spend_limit_daily', 'last_24_hours', controls.dailyPaise, spending.daySpentPaise)
  } else {
    add('spend_limit_daily', 'ist_day', controls.dailyPaise, spending.istDaySpentPaise)
  }
  const monthly = layer === 'org' ? 'budget_limit' : 'spend_limit_monthly'
  add(monthly, 'ist_month', controls.monthlyPaise, spending.istMonthSpentPaise)
  const toPayee = counterparty?.daySpentPaise ?? null
  add('per_counterparty_daily_limit', 'ist_day', controls.perCounterpartyDailyPaise, toPayee)
  const recipients = controls.maxCounterpartiesPerHour
  add(
    'max_counterparties_per_hour',
    'last_hour',
    recipients === null ? null : BigInt(recipients),
    BigInt(counterparty?.recentPayees ?? 0),
  )
  return usages
}

const PAYEE_RULES: ReadonlySet<LimitUsage['rule']> = new Set([
  'per_counterparty_daily_limit',
  'max_counterparties_per_hour',
])

function isChecked(rule: LimitUsage['rule'], only: LimitsChecked | undefined): boolean {
  return only === undefined || PAYEE_RULES.has(rule) === (only === 'payees')
}

/** When an agent was last paid. */
function lastPaidMs({ spending, lastReleaseMs = 0 }: PolicyFacts): number {
  return Math.max(spending.lastSpentMs, lastReleaseMs)
}

/** When everything that is in the window now has left it. */
function emptyAt(rule: LimitUsage['rule'], window: PolicyWindow, facts: PolicyFacts): number | null {
  const { spending, nowMs } = facts
  switch (window) {
    case 'payment':
      return null
    case 'last_hour':
      return (rule === 'max_counterparties_per_hour' ? lastPaidMs(facts) : spending.lastSpentMs) + HOUR_MS
    case 'last_24_hours':
      return spending.lastSpentMs + DAY_MS
    case 'ist_day':
      return startOfIstDay(istDay(new Date(nowMs)) + 1).getTime()
    case 'ist_month':
      return startOfIstMonth(istMonth(new Date(nowMs)) + 1).getTime()
  }
}

/** What is left of a limit; null if that depends on a payee and the request names none. */
export function remaining({ limit, used }: LimitUsage): Paise | null {
  if (used === null) return null
  return limit > used ? paise(limit - used) : ZERO_PAISE
}

/** The limits that refuse the amount. */
function refusing(facts: PolicyFacts, usages: readonly LimitUsage[]): Refusing[] {
  const found: Refusing[] = []
  for (const usage of usages) {
    const left = remaining(usage)
    if (left === null) continue
    if (usage.rule === 'max_counterparties_per_hour') {
      if (recipientPasses(usage, facts)) continue
      found.push({ usage, remaining: ZERO_PAISE, retryAtMs: roomAt(usage, facts) })
    } else if (facts.amountPaise > left) {
      found.push({ usage, remaining: left, retryAtMs: whenFree(usage, facts) })
    }
  }
  return found
}

/** Whether the number of recipients, with this payee, stays within the limit. */
function recipientPasses({ limit }: LimitUsage, { counterparty }: PolicyFacts): boolean {
  if (counterparty === null) return true
  const { recentPayees, paidRecently } = counterparty
  return BigInt(recentPayees + (paidRecently ? 0 : 1)) <= limit
}

/** When enough recipients have left the hour for this payee to be paid; at the latest when all have. */
function roomAt({ limit }: LimitUsage, facts: PolicyFacts): number | null {
  const { counterparty } = facts
  if (limit === 0n || counterparty === null) return null
  let { recentPayees: left, paidRecently: isAmong } = counterparty
  for (const { lastPaidMs, isPayee } of counterparty.leaving) {
    left -= 1
    if (isPayee) isAmong = false
    if (BigInt(left + (isAmong ? 0 : 1)) <= limit) return lastPaidMs + HOUR_MS
  }
  return lastPaidMs(facts) + HOUR_MS
}

/** When the amount would fit under this limit; null (never) if it is above the limit itself. */
function whenFree(usage: LimitUsage, facts: PolicyFacts): number | null {
  const { window, limit, used, resetsAtMs } = usage
  if (facts.amountPaise > limit || used === null) return null
  const tooMuch = used + facts.amountPaise - limit
  if (window === 'last_hour') return facts.fitsAgainMs('hour', tooMuch)
  if (window === 'last_24_hours') return facts.fitsAgainMs('day', tooMuch)
  return resetsAtMs
}

/** The payment passes once every refusing limit allows it; never, if one of them never does. */
function retryAt(refusing: readonly Refusing[]): { retry_at?: string } {
  let latestMs = 0
  for (const { retryAtMs } of refusing) {
    if (retryAtMs === null) return {}
    latestMs = Math.max(latestMs, retryAtMs)
  }
  return { retry_at: new Date(latestMs).toISOString() }
}

/** The most that all limits and escrow thresholds allow now, whatever the balance; null: any amount. */
export function maxAmountNow(facts: PolicyFacts, usages: readonly LimitUsage[]): Paise | null {
  const most: Paise[] = []
  for (const usage of usages) {
    const left = remaining(usage)
    if (usage.rule !== 'max_counterparties_per_hour') {
      if (left !== null) most.push(left)
    } else if (!recipientPasses(usage, facts)) most.push(ZERO_PAISE)
  }
  for (const { controls } of facts.escrowApplies ? facts.layers : []) {
    if (controls.requireEscrowAbovePaise !== null) most.push(controls.requireEscrowAbovePaise)
  }
  return most.reduce<Paise | null>((least, each) => (least === null || each < least ? each : least), null)
}

function describe({ rule, layer, limit, used }: LimitUsage, left: Paise): string {
  const name = `${rule} of the ${layer} policy`
  if (used === 0n) return `${name}, ${rupeesText(limit)} INR`
  return `what ${name} leaves, ${rupeesText(left)} of ${rupeesText(limit)} INR`
}

function amountRefusal(
  { usage, remaining: left }: Refusing,
  amountPaise: Paise,
  most: Paise,
  more: Record<string, unknown>,
): Refusal {
  return refuse(
    'spend_limit_exceeded',
    `${rupeesText(amountPaise)} INR is above ${describe(usage, left)}. At most ${rupeesText(most)} INR can be paid now`,
    {
      field: 'amount',
      details: {
        rule: usage.rule,
        layer: usage.layer,
        limit: rupees(usage.limit),
        used: rupees(usage.used ?? 0n),
        remaining: rupees(left),
        ...more,
      },
    },
  )
}

function recipientRefusal({ rule, layer, limit, used }: LimitUsage, more: Record<string, unknown>): Refusal {
  return refuse(
    'spend_limit_exceeded',
    `${used} different agents were paid within the last hour; ${rule} of the ${layer} policy allows ${limit}. Name one of them, or wait until one of them was paid an hour ago`,
    {
      field: 'to',
      details: { rule, layer, limit: Number(limit), used: Number(used), remaining: 0, ...more },
    },
  )
}
