import { DAY_MS, istDay, startOfIstDay } from '../../../kernel/clock.ts'
import type { Span } from './run.ts'
import type { LastRuns } from './store.ts'

/** 03:30 in IST: the banks' day is over and few people pay. */
const DUE_AFTER_MIDNIGHT_MS = 3.5 * 60 * 60_000
/** The span of one run, apart from what earlier runs could not read: late changes at a gateway are found for a week. */
const SPAN_MS = 7 * DAY_MS
/** Records may reach a gateway's list late, so runs overlap. */
const OVERLAP_MS = DAY_MS
/** The span of the first run. */
const FIRST_SPAN_MS = 90 * DAY_MS

/** The day whose reconciliation was due last. */
export function lastDueDay(now: Date): number {
  return istDay(new Date(now.getTime() - DUE_AFTER_MIDNIGHT_MS))
}

/** When the reconciliation of a day is due. */
export function dueMoment(day: number): Date {
  return new Date(startOfIstDay(day).getTime() + DUE_AFTER_MIDNIGHT_MS)
}

/** The span of the next run: the last days, and those whose records at the gateway were not read until now. */
export function nightlySpan({ listedTo, unlistedFrom }: LastRuns, now: Date): Span {
  const [listed, unlisted] = [listedTo?.getTime() ?? null, unlistedFrom?.getTime() ?? null]
  const isFirst = listed === null && unlisted === null
  const fromMs = Math.min(
    now.getTime() - (isFirst ? FIRST_SPAN_MS : SPAN_MS),
    listed === null ? Infinity : listed - OVERLAP_MS,
    unlisted ?? Infinity,
  )
  return { from: new Date(fromMs), to: upTo(now) }
}

/** The end of a span that includes this moment. */
export function upTo(now: Date): Date {
  return new Date(now.getTime() + 1)
}
