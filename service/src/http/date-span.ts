import { isDate } from '@batua/contract'
import { DAY_MS, startOfIstDay } from '../kernel/clock.ts'

/** A span of time: from `from` on, before `until`. null: open on that side. */
export interface Span {
  readonly from: Date | null
  readonly until: Date | null
}

/**
 * The span that `from_date` and `to_date` name, both ends included: a date is a whole calendar day in IST, anything
 * else a moment (contract section 1, Times).
 */
export function spanOf(fromText: string | undefined, toText: string | undefined): Span {
  return {
    from: fromText === undefined ? null : firstMoment(fromText),
    until: toText === undefined ? null : momentAfter(toText),
  }
}

/** Stored times have whole milliseconds, so a finer bound is rounded up to the next millisecond. */
const BETWEEN_MILLISECONDS = /\.\d{3}\d*[1-9]/

function firstMoment(text: string): Date {
  if (isDate(text)) return startOfIstDay(dayNumber(text))
  const ms = momentMs(text)
  return new Date(BETWEEN_MILLISECONDS.test(text) ? ms + 1 : ms)
}

function momentAfter(text: string): Date {
  return isDate(text) ? startOfIstDay(dayNumber(text) + 1) : new Date(momentMs(text) + 1)
}

function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS
}

/** JavaScript truncates to milliseconds. RFC 3339 allows lower-case letters, ECMA-262 does not. */
function momentMs(timestamp: string): number {
  return Date.parse(timestamp.toUpperCase())
}
