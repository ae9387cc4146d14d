import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay } from '../kernel/clock.ts'
import type { Paise } from '../kernel/money.ts'

/**
 * The sums that an account spent, for each window, in paise. A rolling sum includes everything after its `from`, which
 * is at or before the true start of the window. So it is an upper bound. A payment that fits under a limit by this bound
 * needs no read; otherwise `from` moves forward and the sum becomes exact (see rolling-window.ts). Calendar sums (IST day
 * and month) are always exact.
 */
export interface Spending {
  /** The time of the last spending, or the millisecond before the opening. Credits do not change it. */
  lastSpentMs: number
  hourFromMs: number
  hourSpentPaise: Paise
  dayFromMs: number
  daySpentPaise: Paise
  istDay: number
  istDaySpentPaise: Paise
  istMonthSpentPaise: Paise
  /** An upper bound on the recipients of the last hour: the last exact count plus the payments since. */
  hourRecipientsBound: number
}

export type RollingWindow = 'hour' | 'day'

export const WINDOW_MS: Record<RollingWindow, number> = { hour: HOUR_MS, day: DAY_MS }

/** Moves the windows to a given time without a read: new days start at zero, and idle rolling windows become empty. */
export function rollForward(spending: Spending, nowMs: number): void {
  const today = istDay(new Date(nowMs))
  // Never backwards: another node, whose clock is ahead, may have opened the new day already.
  if (today > spending.istDay) {
    if (monthOf(today) !== monthOf(spending.istDay)) spending.istMonthSpentPaise = 0n as Paise
    spending.istDaySpentPaise = 0n as Paise
    spending.istDay = today
  }
  if (spending.lastSpentMs <= nowMs - HOUR_MS) {
    spending.hourSpentPaise = 0n as Paise
    spending.hourFromMs = nowMs - HOUR_MS
    spending.hourRecipientsBound = 0
  }
  if (spending.lastSpentMs <= nowMs - DAY_MS) {
    spending.daySpentPaise = 0n as Paise
    spending.dayFromMs = nowMs - DAY_MS
  }
}

function monthOf(day: number): number {
  return istMonth(startOfIstDay(day))
}

export function addSpending(spending: Spending, amount: Paise, nowMs: number): void {
  spending.lastSpentMs = nowMs
  spending.hourSpentPaise = (spending.hourSpentPaise + amount) as Paise
  spending.daySpentPaise = (spending.daySpentPaise + amount) as Paise
  spending.istDaySpentPaise = (spending.istDaySpentPaise + amount) as Paise
  spending.istMonthSpentPaise = (spending.istMonthSpentPaise + amount) as Paise
  spending.hourRecipientsBound = Math.min(spending.hourRecipientsBound + 1, MOST_RECIPIENTS)
}

/** Subtracts a spending that was undone from every sum that includes it. The bound on recipients stays. */
export function removeSpending(spending: Spending, amount: Paise, spentMs: number): void {
  const spentDay = istDay(new Date(spentMs))
  if (spentMs > spending.hourFromMs) spending.hourSpentPaise = (spending.hourSpentPaise - amount) as Paise
  if (spentMs > spending.dayFromMs) spending.daySpentPaise = (spending.daySpentPaise - amount) as Paise
  if (spentDay === spending.istDay) {
    spending.istDaySpentPaise = (spending.istDaySpentPaise - amount) as Paise
  }
  if (monthOf(spentDay) === monthOf(spending.istDay)) {
    spending.istMonthSpentPaise = (spending.istMonthSpentPaise - amount) as Paise
  }
}

/** More than any limit on recipients allows, and far from where a column overflows. */
const MOST_RECIPIENTS = 2_000_000

/** Whether a rolling sum may still include spending from before its window. */
export function isBound(spending: Spending, window: RollingWindow, nowMs: number): boolean {
  const fromMs = window === 'hour' ? spending.hourFromMs : spending.dayFromMs
  return fromMs < nowMs - WINDOW_MS[window]
}

/** Sets a rolling sum to its exact value at `nowMs`. */
export function setExact(spending: Spending, window: RollingWindow, spent: Paise, nowMs: number): void {
  if (window === 'hour') {
    spending.hourSpentPaise = spent
    spending.hourFromMs = nowMs - HOUR_MS
  } else {
    spending.daySpentPaise = spent
    spending.dayFromMs = nowMs - DAY_MS
  }
}

export function rollingSpent(spending: Spending, window: RollingWindow): Paise {
  return window === 'hour' ? spending.hourSpentPaise : spending.daySpentPaise
}
