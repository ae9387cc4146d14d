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
 * Which limits are asked; absent: all. A hold that names nobody asks those on amounts, and its release those on payees.
 */
export type LimitsAsked = 'amounts' | 'payees'

/** Everything the rules look at. The same facts give the same answer, for real and for a rehearsal. */
export interface PolicyFacts {
  readonly layers: readonly Layer[]
  readonly amountPaise: Paise
  readonly escrowApplies: boolean
  readonly only?: LimitsAsked | undefined
  readonly spending: Spending
  /** null while no control of the payer looks at counterparties. */
  readonly counterparty: CounterpartyUse | null
  /** When a hold that had named nobody was last released; absent: not of late. */
  readonly lastReleaseMs?: number | undefined
  readonly nowMs: number
  /** When so much has fallen out of a rolling window. */
  readonly fitsAgainMs: (window: RollingWindow, amountPaise: bigint) => number
}

/** One limit of one layer as it stands at this moment: money in paise, or a number of recipients. */
export interface LimitUsage {
  readonly rule: PolicyControl | 'budget_limit'
  readonly layer: PolicyLayer
  readonly window: PolicyWindow
  readonly limit: bigint
  /** null: it depends on the payee, and none was named. */
  readonly used: bigint | null
  /** When the window is empty again if nothing more is spent; null where there is none, or nothing in it. */
  readonly resetsAtMs: number | null
}

interface Refusing {
  readonly standing: LimitUsage
  readonly remaining: Paise
  /** When enough of the window has passed; null where waiting does not help. */
  readonly retryAtMs: number | null
}

/** May this payer pay this payee at all, by the lists of its layers? */
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

/** Does the amount fit under every limit of every layer? Names the limit with the least left when it does not. */
export function decideLimits(facts: PolicyFacts): Refusal | null {
  const standings = limitUsages(facts)
  const most = maxAmountNow(facts, standings)
  const escrow = facts.escrowApplies ? decideEscrow(facts.layers, facts.amountPaise, most) : null
  const [first, ...others] = refusing(facts, standings)
  if (first === undefined) return escrow
  // The first of equals: general layers come before the agent's own.
  const tightest = others.reduce((least, each) => (each.remaining < least.remaining ? each : least), first)
  // What belongs into escrow never passes as a payment, however long it waits.
  const retry = escrow === null ? retryAt([first, ...others]) : {}
  const more = { max_amount_now: rupees(most ?? ZERO_PAISE), ...retry }
  return tightest.standing.rule === 'max_counterparties_per_hour'
    ? recipientRefusal(tightest.standing, more)
    : amountRefusal(tightest, facts.amountPaise, most ?? ZERO_PAISE, more)
}

/** Every limit of every layer, the general layers first. */
export function limitUsages(facts: PolicyFacts): LimitUsage[] {
  return facts.layers.flatMap(layer => layerStandings(layer, facts))
}

function layerStandings({ layer, controls }: Layer, facts: PolicyFacts): LimitUsage[] {
  const { spending, counterparty } = facts
  const standings: LimitUsage[] = []
  const add = (rule: LimitUsage['rule'], window: PolicyWindow, limit: bigint | null, used: bigint | null) => {
    if (limit === null || !isAsked(rule, facts.only)) return
    const resetsAtMs = used === 0n ? null : emptyAt(rule, window, facts)
    standings.push({ rule, layer, window, limit, used, resetsAtMs })
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
  return standings
}

const PAYEE_RULES: ReadonlySet<LimitUsage['rule']> = new Set([
  'per_counterparty_daily_limit',
  'max_counterparties_per_hour',
])

function isAsked(rule: LimitUsage['rule'], only: LimitsAsked | undefined): boolean {
  return only === undefined || PAYEE_RULES.has(rule) === (only === 'payees')
}

/** When somebody became a recipient last. */
function lastPaidMs({ spending, lastReleaseMs = 0 }: PolicyFacts): number {
  return Math.max(spending.lastSpentMs, lastReleaseMs)
}

/** When a window holds nothing any more of what it holds now. */
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

/** What is left of a limit; null where that depends on a payee who was not named. */
export function remaining({ limit, used }: LimitUsage): Paise | null {
  if (used === null) return null
  return limit > used ? paise(limit - used) : ZERO_PAISE
}

/** The limits that do not let the amount pass. */
function refusing(facts: PolicyFacts, standings: readonly LimitUsage[]): Refusing[] {
  const found: Refusing[] = []
  for (const standing of standings) {
    const left = remaining(standing)
    if (left === null) continue
    if (standing.rule === 'max_counterparties_per_hour') {
      if (recipientPasses(standing, facts)) continue
      found.push({ standing, remaining: ZERO_PAISE, retryAtMs: roomAt(standing, facts) })
    } else if (facts.amountPaise > left) {
      found.push({ standing, remaining: left, retryAtMs: whenFree(standing, facts) })
    }
  }
  return found
}

/** Whether there would not be more recipients than the limit with this payee among them. */
function recipientPasses({ limit }: LimitUsage, { counterparty }: PolicyFacts): boolean {
  if (counterparty === null) return true
  const { recentPayees, paidRecently } = counterparty
  return BigInt(recentPayees + (paidRecently ? 0 : 1)) <= limit
}

/** When enough recipients are an hour old for this payee to be one; at the latest when all are. */
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

/** When the amount would pass this limit: never, when it is above the limit itself. */
function whenFree(standing: LimitUsage, facts: PolicyFacts): number | null {
  const { window, limit, used, resetsAtMs } = standing
  if (facts.amountPaise > limit || used === null) return null
  const tooMuch = used + facts.amountPaise - limit
  if (window === 'last_hour') return facts.fitsAgainMs('hour', tooMuch)
  if (window === 'last_24_hours') return facts.fitsAgainMs('day', tooMuch)
  return resetsAtMs
}

/** The same payment passes once every limit that refuses it has let go; never, when one of them never does. */
function retryAt(refusing: readonly Refusing[]): { retry_at?: string } {
  let latestMs = 0
  for (const { retryAtMs } of refusing) {
    if (retryAtMs === null) return {}
    latestMs = Math.max(latestMs, retryAtMs)
  }
  return { retry_at: new Date(latestMs).toISOString() }
}

/** What every limit and the escrow thresholds would let pass now, whatever the balance; null: anything. */
export function maxAmountNow(facts: PolicyFacts, standings: readonly LimitUsage[]): Paise | null {
  const most: Paise[] = []
  for (const standing of standings) {
    const left = remaining(standing)
    if (standing.rule !== 'max_counterparties_per_hour') {
      if (left !== null) most.push(left)
    } else if (!recipientPasses(standing, facts)) most.push(ZERO_PAISE)
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
  { standing, remaining: left }: Refusing,
  amountPaise: Paise,
  most: Paise,
  more: Record<string, unknown>,
): Refusal {
  return refuse(
    'spend_limit_exceeded',
    `${rupeesText(amountPaise)} INR is above ${describe(standing, left)}. At most ${rupeesText(most)} INR can be paid now`,
    {
      field: 'amount',
      details: {
        rule: standing.rule,
        layer: standing.layer,
        limit: rupees(standing.limit),
        used: rupees(standing.used ?? 0n),
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
