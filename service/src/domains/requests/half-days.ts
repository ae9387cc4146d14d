import { REQUESTS_KEPT_DAYS } from '@batua/contract'
import { DAY_MS } from '../../kernel/clock.ts'

export const MINUTE_MS = 60_000
const KEPT_MS = REQUESTS_KEPT_DAYS * DAY_MS
const MINUTES = 720
/** Partitions: the seven half days that three days may touch, and one to spare. */
export const SLOTS = 8

/** The minute of a moment, counted from 1970. */
export function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS)
}

export function halfDayOf(minute: number): number {
  return Math.floor(minute / MINUTES)
}

/** The partition of a minute. */
export function slotOf(minute: number): number {
  return halfDayOf(minute) % SLOTS
}

/** The first minute whose requests are shown. */
export function firstMinuteKept(now: Date): number {
  return minuteOf(now.getTime() - KEPT_MS)
}

/** The partitions of all minutes from this one until now. */
export function slotsSince(minute: number, now: Date): number[] {
  const first = halfDayOf(minute)
  const count = Math.min(SLOTS, halfDayOf(minuteOf(now.getTime())) - first + 1)
  return Array.from({ length: count }, (_, index) => (first + index) % SLOTS)
}
