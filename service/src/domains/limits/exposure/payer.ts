import { assert } from '../../../kernel/assert.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { paise } from '../../../kernel/money.ts'
import { lower } from '../controls.ts'
import type { PayerFacts } from './pay-most.ts'
import {
  afterRun,
  covering,
  type Group,
  groupsOf,
  mergedGroups,
  mostAllowed,
  wasPaidRecently,
} from './payees.ts'
import type { Rules } from './rules.ts'
import { leftOf, nextLeft, openSpent, type Spent } from './spent.ts'

/** A payer at a moment: what it has left, and what it has paid since it began. */
export interface Payer {
  readonly facts: PayerFacts
  readonly spent: Spent
  /** Whether any of the rules limits the number of payees within an hour. */
  readonly countsPlaces: boolean
  groups: Group[]
  /** How many groups there were when they were last merged. */
  mergedLength: number
  balance: bigint
  paid: bigint
  atMs: number
  /** Which of the rules hold. */
  position: number
  turn: number
  /** The work done so far. */
  steps: number
}

/** An agent of the network that no list names and that was never paid: there is always one more. */
const NEVER_PAID: Group = {
  ...{ count: 0n, allowed: [], allowances: [] },
  ...{ spentTodayPaise: 0n, lastPaidMs: Number.NEGATIVE_INFINITY, turn: 0 },
}

export function openPayer(facts: PayerFacts): Payer {
  const groups = groupsOf(facts.payees, facts.allowances, facts.rules)
  return {
    facts,
    spent: openSpent(facts.spent, facts.nowMs),
    countsPlaces: facts.rules.some(({ ceiling }) => ceiling.recipientsPerHour !== null),
    ...{ groups, mergedLength: groups.length, balance: facts.balancePaise, paid: 0n },
    ...{ atMs: facts.nowMs, position: 0, turn: 1, steps: 0 },
  }
}

export function rulesOf({ facts, position }: Payer): Rules {
  const rules = facts.rules[position]
  assert(rules !== undefined, 'there are rules from the first moment on')
  return rules
}

/** Groups are compared and merged when there are this many more than after the last merge. */
const MERGED_EVERY = 32

/** Lets time pass: spending leaves its windows, days begin, and pending changes take effect. */
export function moveTo(payer: Payer, ms: number): void {
  const midnightMs = payer.spent.nextLeave('ist_day') ?? ms
  const isNewDay = ms >= midnightMs
  if (isNewDay) payer.groups = payer.groups.map(group => ({ ...group, spentTodayPaise: 0n }))
  payer.atMs = ms
  payer.spent.moveTo(ms)
  while ((payer.facts.rules[payer.position + 1]?.fromMs ?? Number.POSITIVE_INFINITY) <= ms)
    payer.position += 1
  if (!isNewDay && payer.groups.length <= payer.mergedLength + MERGED_EVERY) return
  payer.groups = mergedGroups(payer.groups, ms)
  payer.mergedLength = payer.groups.length
}

/** Pays the largest amounts, one after the other, until nothing can be paid at this moment. */
export function payAll(payer: Payer): void {
  for (let most = largest(payer); most > 0n; most = largest(payer)) {
    const choice = choose(payer, most)
    if (choice === null) break
    pay(payer, choice)
  }
  payer.steps += 1
}

/** The earliest moment of another payment; Infinity: never. */
export function nextMs(payer: Payer): number {
  const { facts, spent, position, groups, atMs } = payer
  const { ceiling } = rulesOf(payer)
  if (affordable(payer, 1n) === 0n) return Number.POSITIVE_INFINITY
  const rulesMs = facts.rules[position + 1]?.fromMs ?? Number.POSITIVE_INFINITY
  if (leftOf(ceiling, spent) === 0n) return Math.min(rulesMs, nextLeft(ceiling, spent))
  let payeeMs = spent.nextLeave('ist_day') ?? Number.POSITIVE_INFINITY
  if (ceiling.recipientsPerHour !== null) {
    for (const group of groups) {
      if (wasPaidRecently(group, atMs)) payeeMs = Math.min(payeeMs, group.lastPaidMs + HOUR_MS)
    }
  }
  return Math.min(rulesMs, payeeMs)
}

/** The largest amount up to `most` that the balance covers with its fee. */
export function affordable({ balance, facts }: Payer, most: bigint): bigint {
  const covers = (amount: bigint) => amount + facts.feeOf(paise(amount)) <= balance
  if (most <= 0n) return 0n
  if (covers(most)) return most
  let [low, high] = [0n, most]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (covers(middle)) low = middle
    else high = middle
  }
  return low
}

/** The largest amount of one payment to any payee; 0: none. */
function largest(payer: Payer): bigint {
  const { ceiling } = rulesOf(payer)
  const perPayment = lower<bigint>(ceiling.perTxPaise, ceiling.escrowPaise)
  const most = lower(perPayment, leftOf(ceiling, payer.spent))
  return affordable(payer, lower(most, payer.balance) ?? payer.balance)
}

/** A payee, or one of a group that are alike, and how much it can be paid at once. */
interface Choice {
  readonly group: Group
  readonly amount: bigint
  /** How many payees of the group may be paid; null: any number. */
  readonly available: bigint | null
  /** What the limit to one payee leaves; null: there is none. */
  readonly left: bigint | null
  readonly usesAllowance: boolean
  /** When the allowance ends that covers the amount; Infinity: there is none. */
  readonly endsMs: number
  /** When a list forbids the payee; Infinity: never. */
  readonly forbiddenMs: number
  /** Set if the payee was paid within the hour. */
  readonly recentTurn: number | null
}

/** The payee of the next payment: the one that can be paid most, and among equals by the order of decision 56. */
function choose(payer: Payer, most: bigint): Choice | null {
  const places = freePlaces(payer)
  payer.steps += payer.groups.length + 1
  if (places !== null && places < 0n) return null
  let best: Choice | null = null
  for (const group of payableGroups(payer)) {
    const choice = choiceOf(payer, group, most, places)
    if (choice !== null && (best === null || comesBefore(choice, best))) best = choice
  }
  return best
}

function choiceOf(payer: Payer, group: Group, most: bigint, places: bigint | null): Choice | null {
  const left = leftTo(payer, group)
  const amount = lower(lower(most, left), undecided(payer, group)) ?? most
  const isRecent = wasPaidRecently(group, payer.atMs)
  const all = group === NEVER_PAID ? null : group.count
  const available = isRecent ? all : lower(all, places)
  if (amount <= 0n || available === 0n) return null
  const { approvalPaise } = rulesOf(payer).ceiling
  return {
    ...{ group, amount, available, left },
    endsMs: covering(group, amount, payer.atMs)?.untilMs ?? Number.POSITIVE_INFINITY,
    forbiddenMs: forbiddenMs(payer, group),
    usesAllowance: approvalPaise !== null && mostAllowed(group, payer.atMs) > approvalPaise,
    recentTurn: isRecent ? group.turn : null,
  }
}

/**
 * The larger amount first; then a payee without an allowance; then the one paid last within the hour, which takes no
 * further place; then the one with the most left today, or, while nothing limits that, the one paid most today, which
 * would have the least left once a limit takes effect; then the one whose allowance ends first;
 * then the one whom no list forbids for longer.
 */
function comesBefore(one: Choice, other: Choice): boolean {
  if (one.amount !== other.amount) return one.amount > other.amount
  if (one.usesAllowance !== other.usesAllowance) return other.usesAllowance
  if (one.recentTurn !== other.recentTurn) {
    return (one.recentTurn ?? Number.NEGATIVE_INFINITY) > (other.recentTurn ?? Number.NEGATIVE_INFINITY)
  }
  const spent = [one.group.spentTodayPaise, other.group.spentTodayPaise] as const
  const [ownLeft, otherLeft] = one.left === null || other.left === null ? spent : [one.left, other.left]
  if (ownLeft !== otherLeft) return ownLeft > otherLeft
  return one.endsMs === other.endsMs ? one.forbiddenMs > other.forbiddenMs : one.endsMs < other.endsMs
}

/** When a list forbids those that it allows now; Infinity: never. */
function forbiddenMs({ facts: { rules }, position }: Payer, { allowed }: Group): number {
  const forbidding = rules.find(({ layers }, at) => {
    if (at <= position) return false
    return allowed.length === 0
      ? layers.some(({ allowedPayees }) => allowedPayees !== null)
      : allowed[at] !== true
  })
  return forbidding?.fromMs ?? Number.POSITIVE_INFINITY
}

/** How many payees more may be paid within the hour; null: any number; negative: not even those that were. */
function freePlaces(payer: Payer): bigint | null {
  const { recipientsPerHour } = rulesOf(payer).ceiling
  if (recipientsPerHour === null) return null
  let free = BigInt(recipientsPerHour)
  for (const group of payer.groups) if (wasPaidRecently(group, payer.atMs)) free -= group.count
  return free
}

/** The groups that the lists allow now. */
export function payableGroups(payer: Payer): Group[] {
  const isNetwork = rulesOf(payer).layers.every(({ allowedPayees }) => allowedPayees === null)
  const known = payer.groups.filter(({ allowed }) =>
    allowed.length === 0 ? isNetwork : allowed[payer.position] === true,
  )
  return isNetwork ? [...known, NEVER_PAID] : known
}

/** What the limit to one payee leaves; null: there is none. */
export function leftTo(payer: Payer, { spentTodayPaise }: Group): bigint | null {
  const { perCounterpartyPaise } = rulesOf(payer).ceiling
  if (perCounterpartyPaise === null) return null
  return perCounterpartyPaise > spentTodayPaise ? perCounterpartyPaise - spentTodayPaise : 0n
}

/** The most that needs no decision: what the threshold or an allowance lets pass; null: any amount. */
export function undecided(payer: Payer, group: Group): bigint | null {
  const { approvalPaise } = rulesOf(payer).ceiling
  if (approvalPaise === null || group.allowances.length === 0) return approvalPaise
  const allowed = mostAllowed(group, payer.atMs)
  return allowed > approvalPaise ? allowed : approvalPaise
}

/** Pays one amount as often as it stays the largest; that is one step. */
function pay(payer: Payer, { group, amount, available, left }: Choice): void {
  const { ceiling } = rulesOf(payer)
  const total = amount + payer.facts.feeOf(paise(amount))
  const isAboveThreshold = ceiling.approvalPaise !== null && amount > ceiling.approvalPaise
  const allowance = isAboveThreshold ? covering(group, amount, payer.atMs) : undefined
  const perPayee = lower(timesIn(left, amount), timesIn(allowance?.leftPaise ?? null, amount))
  const byPayees = perPayee === null || available === null ? null : perPayee * available
  const bySums = timesIn(leftOf(ceiling, payer.spent), amount)
  const payments = lower(lower(byPayees, bySums), payer.balance / total) ?? 0n
  assert(payments > 0n, 'a chosen amount can be paid at least once')
  payer.balance -= payments * total
  payer.paid += payments * amount
  payer.spent.add(payments * amount)
  if (allowance !== undefined) allowance.leftPaise -= payments * amount
  const isNew = group === NEVER_PAID
  // Without a limit on their number, there is another one for the next payment.
  if (isNew && !payer.countsPlaces) return
  const used = perPayee === null ? 1n : (payments + perPayee - 1n) / perPayee
  const run = { group: isNew ? { ...group, count: used } : group, amount, payments, perPayee }
  payer.groups = [...payer.groups.filter(each => each !== group), ...afterRun(run, payer.atMs, payer.turn)]
  payer.turn += 2
}

function timesIn(sum: bigint | null, amount: bigint): bigint | null {
  return sum === null ? null : sum / amount
}
