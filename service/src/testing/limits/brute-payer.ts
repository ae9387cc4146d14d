import type { PolicyLayer } from '@batua/contract'
import { type AgentFacts, NEVER_STOPPED } from '../../domains/limits/agent-facts.ts'
import type { CounterpartyUse } from '../../domains/limits/counterparties.ts'
import { decideLimits, decidePayee } from '../../domains/limits/decide.ts'
import { type PolicySources, type Rules, rulesOver } from '../../domains/limits/exposure/rules.ts'
import { watchesCounterparties } from '../../domains/limits/layers.ts'
import type { PolicyFacts } from '../../domains/limits/limit-usage.ts'
import { approvalNeeded } from '../../domains/limits/thresholds.ts'
import { type Allowance, covers } from '../../domains/payments/allowances/allowance.ts'
import { decideBalance, decidePayment, type PaymentFacts } from '../../domains/payments/decide.ts'
import { paymentFee } from '../../domains/payments/fee.ts'
import type { Refusal } from '../../kernel/app-error.ts'
import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay } from '../../kernel/clock.ts'
import { type Paise, paise } from '../../kernel/money.ts'
import type { Account } from '../../ledger/accounts.ts'
import { addSpending, rollForward, type Spending, setExact } from '../../ledger/spending.ts'
import { nothingSpent } from '../accounts.ts'

/** A payment, of the history or of the payer. */
export interface Paid {
  readonly payeeId: string
  readonly atMs: number
  readonly amount: bigint
}

/** Everything that decides what a payer can pay. */
export interface World {
  readonly nowMs: number
  readonly status: AgentFacts['status']
  readonly balance: bigint
  readonly sources: PolicySources
  /** The agents that lists name, and their status. */
  readonly agents: ReadonlyMap<string, AgentFacts['status']>
  /** Oldest first. */
  readonly history: readonly Paid[]
  readonly allowances: readonly Allowance[]
}

export interface BruteMost {
  readonly amount: bigint
  readonly bound: { readonly rule: string; readonly layer: PolicyLayer | null }
}

export const PAYER = 'payer'

/** The payments that a payer may make who tries each of them. */
const MOST_PAYMENTS = 150

/** The payer would try for too long. */
export class TooManyPayments extends Error {}

/**
 * A payer that tries at every tick of the clock: one payment after the other, each of the largest amount that the rules
 * of payments allow to anybody, found by bisection. Nothing happens between two ticks.
 */
export function payByForce(world: World, tickMs: number, lengthsMs: readonly number[]): BruteMost[] {
  const paid: Paid[] = [...world.history]
  let allowances = [...world.allowances]
  let balance = world.balance
  let spent = 0n
  let nowMs = world.nowMs
  let rules: Rules = rulesAt(nowMs)
  let spending: Spending = exactSpending()
  let strangers = 0
  const laterRules = rulesOver(world.sources, new Date(world.nowMs), world.nowMs + (lengthsMs.at(-1) ?? 0))

  function rulesAt(ms: number): Rules {
    const [first] = rulesOver(world.sources, new Date(ms), ms + 1)
    if (first === undefined) throw new Error('there are rules at every moment')
    return first
  }

  function moveTo(ms: number): void {
    nowMs = ms
    rules = rulesAt(ms)
    spending = exactSpending()
  }

  /** The ledger's own counting, made exact from all payments. */
  function exactSpending(): Spending {
    const counted = nothingSpent(nowMs - 40 * DAY_MS)
    for (const { atMs, amount } of paid) {
      rollForward(counted, atMs)
      addSpending(counted, paise(amount), atMs)
    }
    rollForward(counted, nowMs)
    const since = (ms: number) =>
      paise(paid.filter(({ atMs }) => atMs > nowMs - ms).reduce((sum, { amount }) => sum + amount, 0n))
    setExact(counted, 'hour', since(HOUR_MS), nowMs)
    setExact(counted, 'day', since(DAY_MS), nowMs)
    return counted
  }

  const recent = () => paid.filter(({ atMs }) => atMs > nowMs - HOUR_MS)
  const spentTodayOn = (payeeId: string) => {
    const todayMs = startOfIstDay(istDay(new Date(nowMs))).getTime()
    const theirs = paid.filter(({ payeeId: id, atMs }) => id === payeeId && atMs >= todayMs)
    return theirs.reduce((sum, { amount }) => sum + amount, 0n)
  }

  /** The same for every amount, so it is asked once for each payee and payment. */
  function useOf(payeeId: string): CounterpartyUse | null {
    if (!watchesCounterparties(rules.ceiling)) return null
    const payees = new Set(recent().map(each => each.payeeId))
    return {
      daySpentPaise: paise(spentTodayOn(payeeId)),
      recentPayees: payees.size,
      paidRecently: payees.has(payeeId),
      leaving: [],
    }
  }

  function limitFacts(
    counterparty: CounterpartyUse | null,
    amount: bigint,
    only?: PolicyFacts['only'],
  ): PolicyFacts {
    const { layers } = rules
    return {
      ...{ layers, amountPaise: paise(amount), escrowApplies: true, only, spending, nowMs, counterparty },
      fitsAgainMs: () => nowMs,
    }
  }

  function agentOf(id: string): AgentFacts {
    const { layers, ceiling } = rules
    const status = id === PAYER ? world.status : (world.agents.get(id) ?? 'active')
    const same = {
      ...{ platformId: 'p', ownerId: 'o', blockedAs: null, stops: NEVER_STOPPED, keyHash: Buffer.alloc(0) },
    }
    return { id, status, layers, ceiling, ...same, policyVersion: 'a version', policySinceMs: null }
  }

  const holding = (payeeId: string, amountPaise: bigint) =>
    allowances.find(each => covers(each, { payeeId, amountPaise: paise(amountPaise) }, nowMs))

  function isPaid(payeeId: string, amount: bigint, use: CounterpartyUse | null): boolean {
    const account = { balancePaise: balance } as Account
    const facts: PaymentFacts = {
      mandate: { by: 'dry run' },
      ...{ payer: agentOf(PAYER), payerAccount: account, payee: agentOf(payeeId), payeeAccount: account },
      ...{ amountPaise: paise(amount), keyUsed: null, sameReference: undefined },
      checkLimits: () => decideLimits(limitFacts(use, amount)),
    }
    const plan = decidePayment(facts)
    if (plan.kind === 'needs_approval') return holding(payeeId, amount) !== undefined
    return plan.kind === 'proceed'
  }

  function mostTo(payeeId: string): bigint {
    const use = useOf(payeeId)
    if (!isPaid(payeeId, 1n, use)) return 0n
    let [low, high] = [1n, balance + 1n]
    while (high - low > 1n) {
      const middle = (low + high) / 2n
      if (isPaid(payeeId, middle, use)) low = middle
      else high = middle
    }
    return low
  }

  const stranger = () => `stranger ${strangers}`
  const candidates = () => [
    ...world.agents.keys(),
    ...new Set(
      recent()
        .map(({ payeeId }) => payeeId)
        .filter(id => !world.agents.has(id)),
    ),
    stranger(),
  ]

  function order(payeeId: string, amount: bigint) {
    const { approvalPaise, perCounterpartyPaise } = rules.ceiling
    const isAllowed = approvalPaise !== null && holding(payeeId, approvalPaise + 1n) !== undefined
    const last = recent().length === 0 ? -1 : paid.findLastIndex(each => each.payeeId === payeeId)
    const isRecent = last >= 0 && (paid[last]?.atMs ?? 0) > nowMs - HOUR_MS
    const spentToday = spentTodayOn(payeeId)
    const left = perCounterpartyPaise === null ? spentToday : perCounterpartyPaise - spentToday
    const endsMs = holding(payeeId, amount)?.until.getTime() ?? Number.MAX_SAFE_INTEGER
    const forbidding = laterRules.find(
      ({ fromMs, layers }) => fromMs > nowMs && decidePayee(layers, payeeId) !== null,
    )
    const forbiddenMs = forbidding?.fromMs ?? Number.MAX_SAFE_INTEGER
    return [
      ...[isAllowed ? 0n : 1n, BigInt(isRecent ? last : -1), left > 0n ? left : 0n],
      ...[-BigInt(endsMs), BigInt(forbiddenMs)],
    ]
  }

  function best(): { readonly payeeId: string; readonly amount: bigint } | null {
    const able = candidates()
      .map(payeeId => ({ payeeId, amount: mostTo(payeeId) }))
      .filter(({ amount }) => amount > 0n)
      .map(each => ({ ...each, order: [each.amount, ...order(each.payeeId, each.amount)] }))
    const [first] = able.toSorted((left, right) => compare(right.order, left.order))
    return first ?? null
  }

  function payAll(): void {
    for (let next = best(); next !== null; next = best()) {
      const { payeeId, amount } = next
      if (paid.length >= MOST_PAYMENTS) throw new TooManyPayments()
      const threshold = approvalNeeded(rules, paise(amount))
      const used = threshold === null ? undefined : holding(payeeId, amount)
      allowances = allowances.map(each =>
        each === used ? { ...each, usedPaise: paise(each.usedPaise + amount) } : each,
      )
      balance -= amount + paymentFee(paise(amount))
      spent += amount
      paid.push({ payeeId, atMs: nowMs, amount })
      addSpending(spending, paise(amount), nowMs)
      if (payeeId === stranger()) strangers += 1
    }
  }

  function bound(): BruteMost['bound'] {
    if (world.status !== 'active') return { rule: 'status', layer: null }
    const { layers, ceiling } = rules
    const payable = candidates().filter(id => ['active', 'quarantined'].includes(agentOf(id).status))
    const some = (upTo: number) => payable.filter(id => decidePayee(layers.slice(0, upTo), id) === null)
    for (const [index, { layer, allowedPayees }] of layers.entries()) {
      if (some(index + 1).length > 0) continue
      const isByList = some(index).every(id => allowedPayees !== null && !allowedPayees.has(id))
      return { rule: isByList ? 'allowed_payees' : 'blocked_payee_agents', layer }
    }
    const allowed = some(layers.length)
    const [any = ''] = allowed
    const refused = decideLimits(limitFacts(useOf(any), 1n, 'amounts'))
    if (refused !== null) return named(refused)
    if (decideBalance(paise(balance), paise(1n), paymentFee(paise(1n))) !== null) {
      return { rule: 'balance', layer: null }
    }
    const threshold = approvalNeeded(rules, paise(1n))
    const asking = allowed.filter(id => threshold === null || holding(id, 1n) !== undefined)
    if (asking.length === 0) return { rule: 'require_human_approval_above', layer: threshold?.layer ?? null }
    const { perCounterpartyPaise } = ceiling
    const isFull = asking.some(id => perCounterpartyPaise === null || spentTodayOn(id) < perCounterpartyPaise)
    return tightest(layers, isFull ? 'max_counterparties_per_hour' : 'per_counterparty_daily_limit')
  }

  const found: BruteMost[] = []
  for (const lengthMs of lengthsMs) {
    const endMs = world.nowMs + lengthMs
    while (nowMs < endMs) {
      payAll()
      moveTo(nowMs + tickMs)
    }
    const tickedMs = nowMs
    moveTo(endMs - 1)
    found.push({ amount: spent, bound: bound() })
    moveTo(tickedMs)
  }
  return found
}

function named({ details }: Refusal): BruteMost['bound'] {
  const { rule, layer } = details as BruteMost['bound']
  return { rule, layer }
}

function tightest(layers: Rules['layers'], rule: string): BruteMost['bound'] {
  const limits = layers.flatMap(({ layer, limits: of }) => of.map(limit => ({ ...limit, layer })))
  const [least] = limits
    .filter(limit => limit.rule === rule)
    .toSorted((left, right) => Number(left.limit - right.limit))
  return { rule, layer: least?.layer ?? null }
}

function compare(left: readonly bigint[], right: readonly bigint[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0n
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

/** What the service would know of the history: what was spent today, this month, and in the rolling windows. */
export function spentBefore({ nowMs, history }: World) {
  const within = (ms: number) =>
    history.filter(({ atMs }) => atMs > nowMs - ms).map(({ atMs, amount }) => ({ atMs, paise: amount }))
  const sum = (paid: readonly Paid[]): Paise => paise(paid.reduce((total, { amount }) => total + amount, 0n))
  const now = new Date(nowMs)
  return {
    hour: within(HOUR_MS),
    day: within(DAY_MS),
    istDayPaise: sum(history.filter(({ atMs }) => istDay(new Date(atMs)) === istDay(now))),
    istMonthPaise: sum(history.filter(({ atMs }) => istMonth(new Date(atMs)) === istMonth(now))),
  }
}
