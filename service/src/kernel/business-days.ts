import { DAY_MS, istDay, startOfIstDay } from './clock.ts'

/** Days are IST calendar days, counted from 1970-01-01. Banks work on all but weekends and holidays. */
export interface BusinessCalendar {
  isBusinessDay(day: number): boolean
}

const WEEK = 7
const SATURDAY = 6
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4
/** Longer than any list of holidays. It bounds the search in a calendar without a business day. */
const MAX_DAYS_SEARCHED = 3 * 366

export function calendarOf(holidays: Iterable<number>): BusinessCalendar {
  const closed = new Set(holidays)
  return { isBusinessDay: day => !isWeekend(day) && !closed.has(day) }
}

function isWeekend(day: number): boolean {
  const weekday = (((day + FIRST_WEEKDAY) % WEEK) + WEEK) % WEEK
  return weekday === 0 || weekday === SATURDAY
}

/** The business day that many after (or, below zero, before) a day. The day itself does not count. */
export function addBusinessDays(calendar: BusinessCalendar, day: number, count: number): number {
  const step = count < 0 ? -1 : 1
  let found = day
  for (let left = Math.abs(count); left > 0; left--) found = nextBusinessDay(calendar, found + step, step)
  return found
}

function nextBusinessDay(calendar: BusinessCalendar, from: number, step: 1 | -1): number {
  for (let searched = 0; searched < MAX_DAYS_SEARCHED; searched++) {
    const day = from + step * searched
    if (calendar.isBusinessDay(day)) return day
  }
  throw new Error('The calendar of bank holidays leaves no business day within three years')
}

/** The moment of an IST day at which a clock in India shows these hours and minutes. */
export function istTime(day: number, hours: number, minutes = 0): Date {
  return new Date(startOfIstDay(day).getTime() + (hours * 60 + minutes) * 60_000)
}

/** `2026-01-26` as a day, or null when there is no such day. */
export function dayFromText(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const ms = Date.parse(`${text}T00:00:00.000Z`)
  if (Number.isNaN(ms)) return null
  const day = ms / DAY_MS
  return dayText(day) === text ? day : null
}

export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** Settlement runs at this hour of business days. */
const RUN_HOUR = 10
const SETTLES_AFTER_DAYS = 2
/** The time by which banks are assumed to have booked the day's payments. */
const BANKING_ENDS_HOUR = 18

/** When the run of a business day begins. */
export function runMoment(day: number): Date {
  return istTime(day, RUN_HOUR)
}

/** The business day of the latest run that is due. It also covers runs that were missed. */
export function latestRunDay(calendar: BusinessCalendar, now: Date): number {
  const today = istDay(now)
  const begun = now >= runMoment(today) ? today : today - 1
  return nextBusinessDay(calendar, begun, -1)
}

/**
 * The first day whose money a run does not settle. Money of a business day T is due on T+2, and money of another day with
 * that of the next business day. So all money up to two business days before the run is due.
 */
export function firstYoungDay(calendar: BusinessCalendar, runDay: number): number {
  return addBusinessDays(calendar, runDay, -SETTLES_AFTER_DAYS) + 1
}

/** The latest time at which money that is sent now arrives. */
export function estimatedArrival(calendar: BusinessCalendar, now: Date): Date {
  return istTime(addBusinessDays(calendar, istDay(now), SETTLES_AFTER_DAYS), BANKING_ENDS_HOUR)
}
