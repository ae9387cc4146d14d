import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { decidePayee } from '../decide.ts'
import type { Rules } from './rules.ts'

/** What is left of an allowance when the payer begins. */
export interface AllowanceLeft {
  readonly payeeId: Uuid
  readonly leftPaise: bigint
  readonly untilMs: number
}

/** An agent whose limits differ from those of an agent that was never paid, or that a list names. */
export interface KnownPayee {
  readonly id: Uuid
  /** Whether its status lets it be paid. */
  readonly canReceive: boolean
  /** null: never, or long ago. */
  readonly lastPaidMs: number | null
  readonly spentTodayPaise: bigint
}

interface OpenAllowance {
  readonly untilMs: number
  leftPaise: bigint
}

/** Payees in the same state. It makes no difference which of them is paid. */
export interface Group {
  readonly count: bigint
  /** By the position of the rules: whether the lists allow them. */
  readonly allowed: readonly boolean[]
  /** One payee with allowances that hold, the first to end first; most have none. */
  readonly allowances: readonly OpenAllowance[]
  spentTodayPaise: bigint
  lastPaidMs: number
  /** Counts the payments: of two payees, the one with the higher turn was paid later. 0: before all of them. */
  turn: number
}

const NEVER_MS = Number.NEGATIVE_INFINITY

/** Groups the known payees; those that an unrestricted list adds are never known. */
export function groupsOf(
  known: readonly KnownPayee[],
  allowances: readonly AllowanceLeft[],
  rules: readonly Rules[],
): Group[] {
  const paid = known.toSorted((left, right) => (left.lastPaidMs ?? 0) - (right.lastPaidMs ?? 0))
  const alike = new Map<string, Group>()
  const groups: Group[] = []
  for (const [index, { id, canReceive, lastPaidMs, spentTodayPaise }] of paid.entries()) {
    const allowed = rules.map(({ layers }) => canReceive && decidePayee(layers, id) === null)
    const theirs = allowances
      .filter(({ payeeId, leftPaise }) => payeeId === id && leftPaise > 0n)
      .toSorted((left, right) => left.untilMs - right.untilMs)
    const group: Group = {
      ...{ count: 1n, allowed, spentTodayPaise },
      allowances: theirs.map(({ untilMs, leftPaise }) => ({ untilMs, leftPaise })),
      lastPaidMs: lastPaidMs ?? NEVER_MS,
      turn: lastPaidMs === null ? 0 : index - paid.length,
    }
    if (lastPaidMs !== null || theirs.length > 0) groups.push(group)
    else countAlike(alike, group)
  }
  return [...groups, ...alike.values()]
}

function countAlike(alike: Map<string, Group>, group: Group): void {
  const key = `${group.spentTodayPaise} ${group.allowed.join()}`
  const count = (alike.get(key)?.count ?? 0n) + group.count
  alike.set(key, { ...group, count })
}

/**
 * Merges groups that no longer differ. The time of the last payment matters only within the hour; an
 * agent of the network that no list names is dropped afterwards, because there is always another one that was never
 * paid.
 */
export function mergedGroups(groups: readonly Group[], atMs: number): Group[] {
  const alike = new Map<string, Group>()
  const apart: Group[] = []
  for (const group of groups) {
    if (group.allowances.length > 0 || wasPaidRecently(group, atMs)) apart.push(group)
    else if (group.allowed.length > 0) countAlike(alike, { ...group, lastPaidMs: NEVER_MS, turn: 0 })
  }
  return [...apart, ...alike.values()]
}

export function wasPaidRecently({ lastPaidMs }: Group, atMs: number): boolean {
  return lastPaidMs > atMs - HOUR_MS
}

/** The allowance that covers an amount, as `allowanceFor` chooses it. */
export function covering({ allowances }: Group, amount: bigint, atMs: number): OpenAllowance | undefined {
  return allowances.find(({ untilMs, leftPaise }) => untilMs > atMs && leftPaise >= amount)
}

/** The most that one allowance covers now. */
export function mostAllowed({ allowances }: Group, atMs: number): bigint {
  let most = 0n
  for (const { untilMs, leftPaise } of allowances) {
    if (untilMs > atMs && leftPaise > most) most = leftPaise
  }
  return most
}

/** What a group is paid in equal payments: as many payees as possible whole, then one in part. */
export interface Run {
  readonly group: Group
  readonly amount: bigint
  readonly payments: bigint
  /** The most payments that one payee takes; null: any number. */
  readonly perPayee: bigint | null
}

/** The groups that a run leaves of the group that it pays. */
export function afterRun({ group, amount, payments, perPayee }: Run, atMs: number, turn: number): Group[] {
  const whole = perPayee === null ? 0n : payments / perPayee
  const rest = perPayee === null ? payments : payments % perPayee
  const paid = (count: bigint, times: bigint, at: number): Group => ({
    ...group,
    ...{ count, lastPaidMs: atMs, turn: at },
    spentTodayPaise: group.spentTodayPaise + times * amount,
  })
  const groups: Group[] = []
  if (whole > 0n && perPayee !== null) groups.push(paid(whole, perPayee, turn))
  if (rest > 0n) groups.push(paid(1n, rest, turn + 1))
  const others = group.count - whole - (rest > 0n ? 1n : 0n)
  if (others > 0n) groups.push({ ...group, count: others })
  return groups
}
