import type { PolicyWindow } from '@batua/contract'
import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay, startOfIstMonth } from '../../../kernel/clock.ts'
import type { Ceiling } from '../layers.ts'

/** Money that was spent at a moment. */
export interface SpentAt {
  readonly atMs: number
  readonly paise: bigint
}

/** What a payer has spent before it begins to pay. */
export interface SpentBefore {
  /** In the 60 minutes before, oldest first. */
  readonly hour: readonly SpentAt[]
  /** In the 24 hours before, oldest first. */
  readonly day: readonly SpentAt[]
  readonly istDayPaise: bigint
  readonly istMonthPaise: bigint
}

/** The sums in the windows of the limits on amounts, as time passes. */
export interface Spent {
  /** Removes the payments that have left their window at this moment. */
  moveTo(ms: number): void
  add(paise: bigint): void
  in(window: PolicyWindow): bigint
  /** When something leaves this window next; null: never, because nothing is in it. */
  nextLeave(window: PolicyWindow): number | null
  /** Counts pairs of neighbours as one that leaves with the earlier of them. */
  coarsen(): void
}

export function openSpent(before: SpentBefore, nowMs: number): Spent {
  const hour = rollingSum(before.hour, HOUR_MS)
  const day = rollingSum(before.day, DAY_MS)
  let atMs = nowMs
  let today = istDay(new Date(nowMs))
  let month = istMonth(new Date(nowMs))
  let tomorrowMs = startOfIstDay(today + 1).getTime()
  let dayPaise = before.istDayPaise
  let monthPaise = before.istMonthPaise
  return {
    moveTo(ms) {
      atMs = ms
      hour.moveTo(ms)
      day.moveTo(ms)
      if (ms < tomorrowMs) return
      const moment = new Date(ms)
      dayPaise = 0n
      if (istMonth(moment) !== month) monthPaise = 0n
      today = istDay(moment)
      month = istMonth(moment)
      tomorrowMs = startOfIstDay(today + 1).getTime()
    },
    add(paise) {
      hour.add(atMs, paise)
      day.add(atMs, paise)
      dayPaise += paise
      monthPaise += paise
    },
    in(window) {
      switch (window) {
        case 'payment':
          return 0n
        case 'last_hour':
          return hour.sum()
        case 'last_24_hours':
          return day.sum()
        case 'ist_day':
          return dayPaise
        case 'ist_month':
          return monthPaise
      }
    },
    nextLeave(window) {
      switch (window) {
        case 'payment':
          return null
        case 'last_hour':
          return hour.nextLeave()
        case 'last_24_hours':
          return day.nextLeave()
        case 'ist_day':
          return tomorrowMs
        case 'ist_month':
          return startOfIstMonth(month + 1).getTime()
      }
    },
    coarsen() {
      hour.coarsen()
      day.coarsen()
    },
  }
}

function rollingSum(before: readonly SpentAt[], lengthMs: number) {
  let entries = [...before]
  let first = 0
  let sum = before.reduce((total, { paise }) => total + paise, 0n)
  return {
    sum: () => sum,
    moveTo(ms: number): void {
      for (let oldest = entries[first]; oldest !== undefined; oldest = entries[first]) {
        if (oldest.atMs + lengthMs > ms) break
        sum -= oldest.paise
        first += 1
      }
      if (first > 1_000) {
        entries = entries.slice(first)
        first = 0
      }
    },
    add(atMs: number, paise: bigint): void {
      entries.push({ atMs, paise })
      sum += paise
    },
    nextLeave(): number | null {
      const oldest = entries[first]
      return oldest === undefined ? null : oldest.atMs + lengthMs
    },
    coarsen(): void {
      const coarser: SpentAt[] = []
      for (let index = first; index < entries.length; index += 2) {
        const [entry, next] = [entries[index], entries[index + 1]]
        if (entry !== undefined) coarser.push({ ...entry, paise: entry.paise + (next?.paise ?? 0n) })
      }
      entries = coarser
      first = 0
    },
  }
}

const WINDOWS = ['last_hour', 'last_24_hours', 'ist_day', 'ist_month'] as const

type CountedWindow = (typeof WINDOWS)[number]

function limitIn(ceiling: Ceiling, window: CountedWindow): bigint | null {
  switch (window) {
    case 'last_hour':
      return ceiling.hourPaise
    case 'last_24_hours':
      return ceiling.dayPaise
    case 'ist_day':
      return ceiling.istDayPaise
    case 'ist_month':
      return ceiling.istMonthPaise
  }
}

/** What the limits on sums leave; null: there is none. */
export function leftOf(ceiling: Ceiling, spent: Spent): bigint | null {
  let least: bigint | null = null
  for (const window of WINDOWS) {
    const limit = limitIn(ceiling, window)
    if (limit === null) continue
    const left = limit - spent.in(window)
    if (least === null || left < least) least = left
  }
  return least === null || least > 0n ? least : 0n
}

/** When each limit on sums that is used up may have something left; Infinity: never. */
export function nextLeft(ceiling: Ceiling, spent: Spent): number {
  let latestMs = 0
  for (const window of WINDOWS) {
    const limit = limitIn(ceiling, window)
    if (limit === null || spent.in(window) < limit) continue
    latestMs = Math.max(latestMs, limit === 0n ? Infinity : (spent.nextLeave(window) ?? Infinity))
  }
  return latestMs
}
