import type { PolicyControl, PolicyLayer } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay, startOfIstMonth } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees, rupeesText, ZERO_PAISE } from '../../kernel/money.ts'
import type { Spending } from '../../ledger/index.ts'
import type { Layer } from './controls.ts'
import type { CounterpartyUse } from './counterparties.ts'

/** Everything the rules look at. The same facts give the same answer, for real and for a rehearsal. */
export interface PolicyFacts {
  readonly layers: readonly Layer[]
  readonly payeeId: Uuid
  readonly amountPaise: Paise
  readonly spending: Spending
  readonly lastPostedMs: number
  /** null while no control of the payer looks at counterparties. */
  readonly counterparty: CounterpartyUse | null
  readonly nowMs: number
}

/** One limit of one layer as it stands at this moment. Used and remaining in paise. */
interface Limit {
  readonly rule: PolicyControl
  readonly layer: PolicyLayer
  readonly limitPaise: Paise
  readonly usedPaise: Paise
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
  const limits = limitsOf(facts)
  let tightest: Limit | null = null
  for (const limit of limits) {
    if (facts.amountPaise <= remaining(limit)) continue
    if (tightest === null || remaining(limit) < remaining(tightest)) tightest = limit
  }
  const crowd = tooManyCounterparties(facts)
  if (crowd !== null) return crowd
  return tightest === null ? null : limitRefusal(tightest, facts, limits)
}

function remaining(limit: Limit): Paise {
  return limit.limitPaise > limit.usedPaise ? ((limit.limitPaise - limit.usedPaise) as Paise) : ZERO_PAISE
}

/** Every limit that is set, general layers first: on a tie the first is named. */
function limitsOf(facts: PolicyFacts): Limit[] {
  const { spending, nowMs } = facts
  const limits: Limit[] = []
  for (const { layer, controls } of facts.layers) {
    const add = (
      rule: PolicyControl,
      limitPaise: Paise | null,
      usedPaise: Paise,
      retryAtMs: () => number | null,
    ) => {
      if (limitPaise === null) return
      const waitingHelps = usedPaise > 0n && facts.amountPaise <= limitPaise
      limits.push({ rule, layer, limitPaise, usedPaise, retryAtMs: waitingHelps ? retryAtMs() : null })
    }
    add('spend_limit_per_tx', controls.perTxPaise, ZERO_PAISE, () => null)
    add(
      'spend_limit_hourly',
      controls.hourlyPaise,
      spending.hourSpentPaise,
      () => facts.lastPostedMs + HOUR_MS,
    )
    if (layer === 'tier') {
      add('spend_limit_daily', controls.dailyPaise, spending.daySpentPaise, () => facts.lastPostedMs + DAY_MS)
    } else {
      add('spend_limit_daily', controls.dailyPaise, spending.istDaySpentPaise, () => nextIstDay(nowMs))
    }
    add('spend_limit_monthly', controls.monthlyPaise, spending.istMonthSpentPaise, () => nextIstMonth(nowMs))
    const toPayee = facts.counterparty?.daySpentPaise ?? ZERO_PAISE
    add('per_counterparty_daily_limit', controls.perCounterpartyDailyPaise, toPayee, () => nextIstDay(nowMs))
  }
  return limits
}

function nextIstDay(nowMs: number): number {
  return startOfIstDay(istDay(new Date(nowMs)) + 1).getTime()
}

function nextIstMonth(nowMs: number): number {
  return startOfIstMonth(istMonth(new Date(nowMs)) + 1).getTime()
}

function maxAmountNow(facts: PolicyFacts, limits: readonly Limit[]): Paise {
  let least: Paise | null = null
  for (const limit of limits) {
    const left = remaining(limit)
    if (least === null || left < least) least = left
  }
  for (const { controls } of facts.layers) {
    const threshold = controls.requireEscrowAbovePaise
    if (threshold !== null && (least === null || threshold < least)) least = threshold
  }
  return least ?? ZERO_PAISE
}

function limitRefusal(limit: Limit, facts: PolicyFacts, limits: readonly Limit[]): Refusal {
  const most = maxAmountNow(facts, limits)
  return refuse(
    'spend_limit_exceeded',
    `${rupeesText(facts.amountPaise)} INR is above what ${limit.rule} of the ${limit.layer} policy leaves: ` +
      `${rupeesText(remaining(limit))} INR of ${rupeesText(limit.limitPaise)} INR. ` +
      `At most ${rupeesText(most)} INR can be paid now`,
    {
      field: 'amount',
      details: {
        rule: limit.rule,
        layer: limit.layer,
        limit: rupees(limit.limitPaise),
        used: rupees(limit.usedPaise),
        remaining: rupees(remaining(limit)),
        max_amount_now: rupees(most),
        ...(limit.retryAtMs === null ? {} : { retry_at: new Date(limit.retryAtMs).toISOString() }),
      },
    },
  )
}

/** A new recipient beyond the hourly number. Nothing remains of such a limit, so it is the one that is named. */
function tooManyCounterparties(facts: PolicyFacts): Refusal | null {
  const use = facts.counterparty
  if (use === null || use.paidRecently) return null
  for (const { layer, controls } of facts.layers) {
    const limit = controls.maxCounterpartiesPerHour
    if (limit === null || use.recentPayees < limit) continue
    return refuse(
      'spend_limit_exceeded',
      `This would be the ${use.recentPayees + 1}th different recipient within an hour; ` +
        `max_counterparties_per_hour of the ${layer} policy is ${limit}`,
      {
        field: 'to',
        details: {
          rule: 'max_counterparties_per_hour',
          layer,
          limit,
          used: use.recentPayees,
          remaining: 0,
          max_amount_now: 0,
          ...(limit === 0 ? {} : { retry_at: new Date(facts.lastPostedMs + HOUR_MS).toISOString() }),
        },
      },
    )
  }
  return null
}
