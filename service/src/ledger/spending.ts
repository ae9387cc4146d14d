import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay } from '../kernel/clock.ts'
import type { Paise } from '../kernel/money.ts'

/**
 * What an account spent, per window. A rolling sum counts everything after its `from`, which lies at or
 * before the window's true start: it can be too high, never too low. A payment that fits under a limit by
 * this bound needs no reading; otherwise `from` moves up and the sum becomes exact (see rolling-window.ts).
 * Calendar sums (IST day and month) are exact as they stand.
 */
export interface Spending {
  /** When it last spent, or was opened. What others pay in does not move it. */
  lastSpentMs: number
  hourFromMs: number
  hourSpentPaise: Paise
  dayFromMs: number
  daySpentPaise: Paise
  istDay: number
  istDaySpentPaise: Paise
  istMonthSpentPaise: Paise
  /** At least as many as the recipients of the last hour: payments since the last exact count, and that count. */
  hourRecipientsBound: number
}

export type RollingWindow = 'hour' | 'day'

export const WINDOW_MS: Record<RollingWindow, number> = { hour: HOUR_MS, day: DAY_MS }

/** Brings the windows to a moment without reading: new days start at zero, idle rolling windows empty. */
export function rollForward(spending: Spending, nowMs: number): void {
  const today = istDay(new Date(nowMs))
  // Never back: another node's clock, a little ahead, may have opened the new day already.
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

/**
 * Takes what was spent at a moment and has been given back out of every sum that holds it. The number of recipients is
 * a bound and stays.
 */
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

/** Whether a rolling sum may still hold spending from before its window. */
export function isBound(spending: Spending, window: RollingWindow, nowMs: number): boolean {
  const fromMs = window === 'hour' ? spending.hourFromMs : spending.dayFromMs
  return fromMs < nowMs - WINDOW_MS[window]
}

/** Sets a rolling sum to its exact value at a moment. */
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
