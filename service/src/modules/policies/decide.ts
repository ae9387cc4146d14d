import type { PolicyControl, PolicyLayer } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay, startOfIstMonth } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, paise, rupees, rupeesText, ZERO_PAISE } from '../../kernel/money.ts'
import type { Spending } from '../../ledger/index.ts'
import type { Layer } from './controls.ts'
import type { CounterpartyUse } from './counterparties.ts'

/** Everything the rules look at. The same facts give the same answer, for real and for a rehearsal. */
export interface PolicyFacts {
  readonly layers: readonly Layer[]
  readonly payeeId: Uuid
  readonly amountPaise: Paise
  readonly spending: Spending
  /** null while no control of the payer looks at counterparties. */
  readonly counterparty: CounterpartyUse | null
  readonly nowMs: number
}

/** One limit of one layer as it stands at this moment: money in paise, or a number of recipients. */
interface Limit {
  readonly rule: PolicyControl
  readonly layer: PolicyLayer
  readonly limit: bigint
  readonly used: bigint
  readonly refuses: boolean
  /** When the window that refuses has passed; null where waiting does not help. */
  readonly retryAtMs: number | null
}

/** May this payer pay this payee at all, by the lists of its layers? */
export function decidePayee(layers: readonly Layer[], payeeId: Uuid): Refusal | null {
  for (const { controls } of layers) {
    if (controls.blockedPayees?.has(payeeId)) {
      return refuse('authorization_error', 'The policy blocks payments to this agent', { field: 'to' })
    }
    if (controls.allowedPayees !== null && !controls.allowedPayees.has(payeeId)) {
      return refuse('authorization_error', 'The policy does not allow payments to this agent', {
        field: 'to',
      })
    }
  }
  return null
}

/** Does the amount fit under every limit of every layer? Names the limit with the least left when it does not. */
export function decideLimits(facts: PolicyFacts): Refusal | null {
  const limits = facts.layers.flatMap(layer => [
    ...amountLimits(layer, facts),
    ...recipientLimits(layer, facts),
  ])
  const [first, ...others] = limits.filter(limit => limit.refuses)
  if (first === undefined) return null
  const refusing = [first, ...others]
  // The first of equals: general layers come before the agent's own.
  const tightest = others.reduce(
    (least, limit) => (remaining(limit) < remaining(least) ? limit : least),
    first,
  )
  const most = maxAmountNow(facts, limits)
  const more = { max_amount_now: rupees(most), ...retryAt(refusing) }
  return tightest.rule === 'max_counterparties_per_hour'
    ? recipientRefusal(tightest, more)
    : amountRefusal(tightest, facts.amountPaise, most, more)
}

function remaining({ limit, used }: Limit): Paise {
  return limit > used ? paise(limit - used) : ZERO_PAISE
}

/** The same payment passes once every limit that refuses it has let go; never, when one of them never does. */
function retryAt(refusing: readonly Limit[]): { retry_at?: string } {
  let latestMs = 0
  for (const { retryAtMs } of refusing) {
    if (retryAtMs === null) return {}
    latestMs = Math.max(latestMs, retryAtMs)
  }
  return { retry_at: new Date(latestMs).toISOString() }
}

/** The limits of a layer on amounts of money. */
function amountLimits({ layer, controls }: Layer, facts: PolicyFacts): Limit[] {
  const { spending, nowMs } = facts
  const limits: Limit[] = []
  const add = (rule: PolicyControl, limit: Paise | null, used: Paise, retryAtMs: () => number | null) => {
    if (limit === null) return
    const refuses = facts.amountPaise > (limit > used ? limit - used : 0n)
    const waitingHelps = used > 0n && facts.amountPaise <= limit
    limits.push({ rule, layer, limit, used, refuses, retryAtMs: waitingHelps ? retryAtMs() : null })
  }
  const afterIdle = (lengthMs: number) => () => facts.spending.lastSpentMs + lengthMs
  const tomorrow = () => nextIstDay(nowMs)
  add('spend_limit_per_tx', controls.perTxPaise, ZERO_PAISE, () => null)
  add('spend_limit_hourly', controls.hourlyPaise, spending.hourSpentPaise, afterIdle(HOUR_MS))
  if (layer === 'tier') {
    add('spend_limit_daily', controls.dailyPaise, spending.daySpentPaise, afterIdle(DAY_MS))
  } else {
    add('spend_limit_daily', controls.dailyPaise, spending.istDaySpentPaise, tomorrow)
  }
  add('spend_limit_monthly', controls.monthlyPaise, spending.istMonthSpentPaise, () => nextIstMonth(nowMs))
  const toPayee = facts.counterparty?.daySpentPaise ?? ZERO_PAISE
  add('per_counterparty_daily_limit', controls.perCounterpartyDailyPaise, toPayee, tomorrow)
  return limits
}

/** The limit of a layer on the number of recipients, when there would be more with this payee. */
function recipientLimits({ layer, controls }: Layer, facts: PolicyFacts): Limit[] {
  const { counterparty, spending } = facts
  const limit = controls.maxCounterpartiesPerHour
  if (limit === null || counterparty === null) return []
  if (counterparty.recentPayees + (counterparty.paidRecently ? 0 : 1) <= limit) return []
  return [
    {
      rule: 'max_counterparties_per_hour',
      layer,
      limit: BigInt(limit),
      used: BigInt(counterparty.recentPayees),
      refuses: true,
      retryAtMs: limit === 0 ? null : spending.lastSpentMs + HOUR_MS,
    },
  ]
}

function nextIstDay(nowMs: number): number {
  return startOfIstDay(istDay(new Date(nowMs)) + 1).getTime()
}

function nextIstMonth(nowMs: number): number {
  return startOfIstMonth(istMonth(new Date(nowMs)) + 1).getTime()
}

/** What every limit and the escrow thresholds would let pass now, whatever the balance. */
function maxAmountNow(facts: PolicyFacts, limits: readonly Limit[]): Paise {
  const most = limits.map(remaining)
  for (const { controls } of facts.layers) {
    if (controls.requireEscrowAbovePaise !== null) most.push(controls.requireEscrowAbovePaise)
  }
  return most.reduce((least, each) => (each < least ? each : least))
}

function standing(limit: Limit): string {
  const name = `${limit.rule} of the ${limit.layer} policy`
  if (limit.used === 0n) return `${name}, ${rupeesText(limit.limit)} INR`
  return `what ${name} leaves, ${rupeesText(remaining(limit))} of ${rupeesText(limit.limit)} INR`
}

function amountRefusal(
  limit: Limit,
  amountPaise: Paise,
  most: Paise,
  more: Record<string, unknown>,
): Refusal {
  return refuse(
    'spend_limit_exceeded',
    `${rupeesText(amountPaise)} INR is above ${standing(limit)}. At most ${rupeesText(most)} INR can be paid now`,
    {
      field: 'amount',
      details: {
        rule: limit.rule,
        layer: limit.layer,
        limit: rupees(limit.limit),
        used: rupees(limit.used),
        remaining: rupees(remaining(limit)),
        ...more,
      },
    },
  )
}

function recipientRefusal({ rule, layer, limit, used }: Limit, more: Record<string, unknown>): Refusal {
  return refuse(
    'spend_limit_exceeded',
    `${used} different agents were paid within the last hour; ${rule} of the ${layer} policy allows ${limit}`,
    {
      field: 'to',
      details: { rule, layer, limit: Number(limit), used: Number(used), remaining: 0, ...more },
    },
  )
}
