import type { Uuid } from '../../../kernel/ids.ts'
import { assert } from '../../../kernel/assert.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { type Paise, paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { lower } from '../controls.ts'
import { type Bound, listBound, payeeBound, sumBound, thresholdBound } from './bound.ts'
import {
  type AllowanceLeft,
  afterRun,
  covering,
  type Group,
  groupsOf,
  type KnownPayee,
  mergedGroups,
  mostAllowed,
  wasPaidRecently,
} from './payees.ts'
import type { Rules } from './rules.ts'
import { leftOf, nextLeft, openSpent, type SpentBefore } from './spent.ts'

/** What decides how much an agent can pay from a moment on. */
export interface PayerFacts {
  readonly nowMs: number
  /** Only an active agent pays. */
  readonly isActive: boolean
  readonly balancePaise: Paise
  /** The rules now, and those that pending changes make later. */
  readonly rules: readonly Rules[]
  readonly spent: SpentBefore
  /** The payees that lists or allowances name, and those whose limits are partly used. */
  readonly payees: readonly KnownPayee[]
  readonly allowances: readonly AllowanceLeft[]
  readonly feeOf: (amount: Paise) => Paise
}

/** The most that can be paid until a moment, and what keeps the payer from paying more then. */
export interface Most {
  readonly amountPaise: Paise
  readonly bound: Bound
}

/** Steps between two pauses, so that other work gets its turn. */
const STEPS_BETWEEN_PAUSES = 5_000

/** After so many steps the payments in the windows are counted in pairs, and after as many again in pairs of pairs. */
const STEPS_BEFORE_COARSER = 60_000

/**
 * The most that payments can take out within each of these times, shortest first, by a payer that always pays the
 * largest amount allowed at once. Decision 56 defines it. Equal payments at one moment are one step, and moments at
 * which nothing can be paid are passed over. It yields now and then, so that a caller may let other work run.
 */
export function* payMost(facts: PayerFacts, lengthsMs: readonly number[]): Generator<void, Most[]> {
  if (!facts.isActive) {
    return lengthsMs.map(() => ({ amountPaise: ZERO_PAISE, bound: { rule: 'status', layer: null } }))
  }
  const payer = openPayer(facts)
  const found: Most[] = []
  let nextMs = facts.nowMs
  let pauseAt = STEPS_BETWEEN_PAUSES
  let coarserAt = STEPS_BEFORE_COARSER
  for (const lengthMs of lengthsMs) {
    const endMs = facts.nowMs + lengthMs
    while (nextMs < endMs) {
      payer.moveTo(nextMs)
      payer.payAll()
      nextMs = payer.nextMs()
      if (payer.steps() > pauseAt) {
        yield
        pauseAt = payer.steps() + STEPS_BETWEEN_PAUSES
      }
      if (payer.steps() > coarserAt) {
        payer.coarsen()
        coarserAt = payer.steps() + STEPS_BEFORE_COARSER
      }
    }
    payer.moveTo(endMs - 1)
    found.push({ amountPaise: payer.paid(), bound: payer.bound() })
  }
  return found
}

function openPayer(facts: PayerFacts) {
  const { rules, feeOf } = facts
  const spent = openSpent(facts.spent, facts.nowMs)
  const receivers: Uuid[] = facts.payees.filter(({ canReceive }) => canReceive).map(({ id }) => id)
  const countsPayees = rules.some(({ ceiling }) => ceiling.recipientsPerHour !== null)
  let groups = groupsOf(facts.payees, facts.allowances, rules)
  let mergedLength = groups.length
  let balance: bigint = facts.balancePaise
  let paid = 0n
  let atMs = facts.nowMs
  let position = 0
  let turn = 1
  let steps = 0

  function rulesNow(): Rules {
    const now = rules[position]
    assert(now !== undefined, 'there are rules from the first moment on')
    return now
  }

  function moveTo(ms: number): void {
    const midnightMs = spent.nextLeave('ist_day') ?? ms
    if (ms >= midnightMs) groups = groups.map(group => ({ ...group, spentTodayPaise: 0n }))
    atMs = ms
    spent.moveTo(ms)
    for (let next = rules[position + 1]; next !== undefined && next.fromMs <= ms; next = rules[position + 1]) {
      position += 1
    }
    if (ms < midnightMs && groups.length <= mergedLength + MERGED_EVERY) return
    groups = mergedGroups(groups, atMs)
    mergedLength = groups.length
  }

  /** The largest amount up to `most` that the balance covers with its fee. */
  function affordable(most: bigint): bigint {
    const covers = (amount: bigint) => amount + feeOf(paise(amount)) <= balance
    if (most <= 0n || covers(most)) return most > 0n ? most : 0n
    let [low, high] = [0n, most]
    while (high - low > 1n) {
      const middle = (low + high) / 2n
      if (covers(middle)) low = middle
      else high = middle
    }
    return low
  }

  /** The largest amount of one payment, to whomever; 0: none. */
  function largest(): bigint {
    const { ceiling } = rulesNow()
    const { perTxPaise, escrowPaise } = ceiling
    const most = lower(lower<bigint>(perTxPaise, escrowPaise), leftOf(ceiling, spent))
    return affordable(lower(most, balance) ?? balance)
  }

  /** How many payees more may be paid within the hour; null: any number; negative: not even those that were. */
  function freePlaces(): bigint | null {
    const { recipientsPerHour } = rulesNow().ceiling
    if (recipientsPerHour === null) return null
    let free = BigInt(recipientsPerHour)
    for (const group of groups) if (wasPaidRecently(group, atMs)) free -= group.count
    return free
  }

  function isAllowed({ allowed }: Group): boolean {
    return allowed.length === 0 ? isNetwork() : allowed[position] === true
  }

  function isNetwork(): boolean {
    return rulesNow().layers.every(({ allowedPayees }) => allowedPayees === null)
  }

  /** What the limit to one payee leaves; null: there is none. */
  function leftTo({ spentTodayPaise }: Group): bigint | null {
    const { perCounterpartyPaise } = rulesNow().ceiling
    if (perCounterpartyPaise === null) return null
    return perCounterpartyPaise > spentTodayPaise ? perCounterpartyPaise - spentTodayPaise : 0n
  }

  /** The most that needs no decision: what the threshold or an allowance lets pass; null: any amount. */
  function undecided(group: Group): bigint | null {
    const { approvalPaise } = rulesNow().ceiling
    if (approvalPaise === null || group.allowances.length === 0) return approvalPaise
    const allowed = mostAllowed(group, atMs)
    return allowed > approvalPaise ? allowed : approvalPaise
  }

  /** The payee of the next payment: who can be paid most, and among these as decision 56 orders them. */
  function choose(most: bigint): Choice | null {
    const places = freePlaces()
    steps += groups.length + 1
    if (places !== null && places < 0n) return null
    let best: Choice | null = null
    const consider = (group: Group, available: bigint | null) => {
      const left = leftTo(group)
      const amount = lower(lower<bigint>(most, left), undecided(group)) ?? most
      if (amount <= 0n || available === 0n) return
      const { approvalPaise } = rulesNow().ceiling
      const usesAllowance = approvalPaise !== null && mostAllowed(group, atMs) > approvalPaise
      const recentTurn = wasPaidRecently(group, atMs) ? group.turn : null
      const choice = { group, amount, available, left, usesAllowance, recentTurn }
      if (best === null || comesBefore(choice, best)) best = choice
    }
    for (const group of groups) {
      if (!isAllowed(group)) continue
      const isFree = places === null || wasPaidRecently(group, atMs) || places > group.count
      consider(group, isFree ? group.count : places)
    }
    if (isNetwork()) consider(NEVER_PAID, places)
    return best
  }

  /** Pays one amount as often as it stays the largest, which is one step. */
  function pay({ group, amount, available, left }: Choice): void {
    const { ceiling } = rulesNow()
    const total = amount + feeOf(paise(amount))
    let perPayee = left === null ? null : left / amount
    const isAboveThreshold = ceiling.approvalPaise !== null && amount > ceiling.approvalPaise
    const allowance = isAboveThreshold ? covering(group, amount, atMs) : undefined
    if (allowance !== undefined) perPayee = lower(perPayee, allowance.leftPaise / amount)
    const byPayees = perPayee === null || available === null ? null : perPayee * available
    const left2 = leftOf(ceiling, spent)
    const bySums = left2 === null ? null : left2 / amount
    const payments = lower(lower(byPayees, bySums), balance / total) ?? 0n
    assert(payments > 0n, 'a chosen amount can be paid at least once')
    balance -= payments * total
    paid += payments * amount
    spent.add(payments * amount)
    if (allowance !== undefined) allowance.leftPaise -= payments * amount
    const isNew = group === NEVER_PAID
    if (isNew && !countsPayees) return
    const used = perPayee === null ? 1n : (payments + perPayee - 1n) / perPayee
    const run = { group: isNew ? { ...group, count: used } : group, amount, payments, perPayee }
    groups = [...groups.filter(each => each !== group), ...afterRun(run, atMs, turn)]
    turn += 2
  }

  return {
    moveTo,
    steps: () => steps,
    paid: () => paise(paid),
    coarsen: spent.coarsen,
    payAll(): void {
      for (let most = largest(); most > 0n; most = largest()) {
        const choice = choose(most)
        if (choice === null) return
        pay(choice)
      }
      steps += 1
    },
    /** When something can be paid again at the earliest; Infinity: never. */
    nextMs(): number {
      const { ceiling } = rulesNow()
      const nextRulesMs = rules[position + 1]?.fromMs ?? Number.POSITIVE_INFINITY
      if (affordable(1n) === 0n) return Number.POSITIVE_INFINITY
      if (leftOf(ceiling, spent) === 0n) return Math.min(nextRulesMs, nextLeft(ceiling, spent))
      let nextPayeeMs = spent.nextLeave('ist_day') ?? Number.POSITIVE_INFINITY
      if (ceiling.recipientsPerHour !== null) {
        for (const group of groups) {
          if (wasPaidRecently(group, atMs)) nextPayeeMs = Math.min(nextPayeeMs, group.lastPaidMs + HOUR_MS)
        }
      }
      return Math.min(nextRulesMs, nextPayeeMs)
    },
    /** What refuses one paisa more. */
    bound(): Bound {
      const { layers } = rulesNow()
      const general =
        listBound(layers, receivers) ??
        sumBound(layers, window => spent.in(window)) ??
        thresholdBound(layers, 'require_escrow_above')
      if (general !== null) return general
      if (affordable(1n) === 0n) return { rule: 'balance', layer: null }
      const candidates = [...groups.filter(isAllowed), ...(isNetwork() ? [NEVER_PAID] : [])]
      const asking = candidates.filter(group => undecided(group) !== 0n)
      const byPayees =
        asking.length === 0
          ? null
          : payeeBound(layers, asking.some(group => leftTo(group) !== 0n) ? 'payees' : 'amount_to_payee')
      const bound = byPayees ?? thresholdBound(layers, 'require_human_approval_above')
      assert(bound !== null, 'a payer that can pay nothing more is bound by something')
      return bound
    },
  }
}

/** Groups are compared and merged when there are so many more than the last time. */
const MERGED_EVERY = 32

/** An agent of the network that no list names and that was never paid: there is always one more. */
const NEVER_PAID: Group = {
  ...{ count: 0n, allowed: [], allowances: [] },
  ...{ spentTodayPaise: 0n, lastPaidMs: Number.NEGATIVE_INFINITY, turn: 0 },
}

interface Choice {
  readonly group: Group
  readonly amount: bigint
  /** How many payees of the group may be paid; null: any number. */
  readonly available: bigint | null
  readonly left: bigint | null
  readonly usesAllowance: boolean
  /** Set if the payee was paid within the hour. */
  readonly recentTurn: number | null
}

/**
 * The larger amount first; then a payee without an allowance; then the one paid last within the hour, which takes no
 * further place; then the one with the most left today.
 */
function comesBefore(one: Choice, other: Choice): boolean {
  if (one.amount !== other.amount) return one.amount > other.amount
  if (one.usesAllowance !== other.usesAllowance) return other.usesAllowance
  if (one.recentTurn !== other.recentTurn) {
    return (one.recentTurn ?? Number.NEGATIVE_INFINITY) > (other.recentTurn ?? Number.NEGATIVE_INFINITY)
  }
  if (one.left !== other.left && one.left !== null && other.left !== null) return one.left > other.left
  return false
}
