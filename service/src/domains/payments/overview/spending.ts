import { MAX_SPENDING_DAYS } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { type BoundedMap, boundedMap } from '../../../kernel/bounded-map.ts'
import { istDay, startOfIstDay } from '../../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { type SpentRow, selectSpent } from './spending-store.ts'

/** What was spent, without fees. */
export interface Spent {
  readonly count: number
  readonly paise: Paise
}

export const NOTHING: Spent = { count: 0, paise: ZERO_PAISE }

/** What an agent spent on each IST day, by payee; null: a hold that has no payee yet. */
export type SpentByDay = ReadonlyMap<number, ReadonlyMap<Uuid | null, Spent>>

/** Reads what an agent spent from an IST day on. */
export type ReadSpent = (agentId: Uuid, fromDay: number, now: Date) => Promise<SpentByDay>

/** The payments of days that are over. They never change. */
interface Counted {
  readonly fromDay: number
  /** The first day that is not counted. */
  readonly throughDay: number
  readonly days: SpentByDay
}

/** A payment whose commit takes longer than this is not posted. */
const LONGEST_COMMIT_MS = 600_000
const MAX_AGENTS = 200
const MAX_SUMS = 5_000

/**
 * What agents spent, for their owners. No index has these sums, because it would slow down every payment. So a node keeps
 * the sums of days that are over, and counts only newer payments when a page is read again after each event.
 */
export function openSpent(database: Queryable, rowsAtOnce?: number): ReadSpent {
  const known: BoundedMap<Uuid, Counted> = boundedMap(MAX_AGENTS)

  return async (agentId, fromDay, now) => {
    const before = known.get(agentId)
    const counted = before !== undefined && before.fromDay <= fromDay ? before : nothingCounted(fromDay)
    const from = firstUuidAt(startOfIstDay(counted.throughDay))
    const payments = await selectSpent(database, 'payments', { agentId, from }, rowsAtOnce)
    const days = sumOf(counted.days, payments)
    const isOver = istDay(new Date(now.getTime() - LONGEST_COMMIT_MS))
    const kept = betweenDays(days, isOver - MAX_SPENDING_DAYS, isOver)
    if (sizeOf(kept) <= MAX_SUMS) {
      const firstDay = Math.max(counted.fromDay, isOver - MAX_SPENDING_DAYS)
      known.set(agentId, { fromDay: firstDay, throughDay: Math.max(isOver, counted.throughDay), days: kept })
    }
    const range = { agentId, from: firstUuidAt(startOfIstDay(fromDay)) }
    const holds = await selectSpent(database, 'holds', range, rowsAtOnce)
    // What was captured counts on the day of its authorization, as it does for the limits.
    const captured = await selectSpent(database, 'authorizations', range, rowsAtOnce)
    return sumOf(betweenDays(days, fromDay, Number.POSITIVE_INFINITY), [...holds, ...captured])
  }
}

function nothingCounted(day: number): Counted {
  return { fromDay: day, throughDay: day, days: new Map() }
}

function sumOf(days: SpentByDay, rows: readonly SpentRow[]): SpentByDay {
  const sums = new Map([...days].map(([day, payees]) => [day, new Map(payees)]))
  for (const { day, payee, count, paise } of rows) {
    const payees = sums.get(day) ?? new Map<Uuid | null, Spent>()
    payees.set(payee, plus(payees.get(payee) ?? NOTHING, { count, paise }))
    sums.set(day, payees)
  }
  return sums
}

/** From a day on, before another one. */
function betweenDays(days: SpentByDay, from: number, until: number): SpentByDay {
  return new Map([...days].filter(([day]) => day >= from && day < until))
}

function sizeOf(days: SpentByDay): number {
  return [...days.values()].reduce((sum, payees) => sum + payees.size, 0)
}

export function plus(left: Spent, right: Spent): Spent {
  return { count: left.count + right.count, paise: (left.paise + right.paise) as Paise }
}

export function minus(left: Spent, right: Spent): Spent {
  return { count: left.count - right.count, paise: (left.paise - right.paise) as Paise }
}
