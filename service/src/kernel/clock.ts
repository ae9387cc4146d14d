/** The service's time. Sandbox mode can move it forward; nothing else reads the machine's clock. */
export interface Clock {
  now(): Date
  /** Milliseconds ahead of the machine's clock. */
  offsetMs(): number
  /** Sets how far ahead this clock runs (sandbox and tests). */
  setOffsetMs(offsetMs: number): void
}

export function systemClock(offsetMs = 0): Clock {
  let offset = offsetMs
  return {
    now: () => new Date(Date.now() + offset),
    offsetMs: () => offset,
    setOffsetMs: value => {
      offset = value
    },
  }
}

/** Seconds of a monotonic clock, for durations; it never follows a moved clock. */
export function monotonicSeconds(): number {
  return performance.now() / 1000
}

/** The first and the longest pause between attempts. */
export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}

/** The pause before the next attempt: the first pause, doubled `doublings` times (never, if negative). */
export function backoffMs(doublings: number, { firstMs, longestMs }: Backoff): number {
  return Math.min(firstMs * 2 ** Math.max(0, doublings), longestMs)
}

const IST_OFFSET_MS = 5.5 * 60 * 60 * 1000
export const HOUR_MS = 60 * 60 * 1000
export const DAY_MS = 24 * HOUR_MS

let latestMs = Number.NaN
let latestText = ''

/** RFC 3339 with milliseconds. All transfers of a batch have one time, so the latest text is cached. */
export function timeText(moment: Date): string {
  const ms = moment.getTime()
  if (ms !== latestMs) {
    latestText = moment.toISOString()
    latestMs = ms
  }
  return latestText
}

/** The calendar day in IST (UTC+05:30, no summer time) as days since 1970-01-01. */
export function istDay(moment: Date): number {
  return Math.floor((moment.getTime() + IST_OFFSET_MS) / DAY_MS)
}

/** The hour in IST as hours since 1970-01-01 in IST. */
export function istHour(moment: Date): number {
  return Math.floor((moment.getTime() + IST_OFFSET_MS) / HOUR_MS)
}

/** The first moment of an hour in IST. */
export function startOfIstHour(hour: number): Date {
  return new Date(hour * HOUR_MS - IST_OFFSET_MS)
}

/** The calendar month in IST as months since January 1970. */
export function istMonth(moment: Date): number {
  const ist = new Date(moment.getTime() + IST_OFFSET_MS)
  return (ist.getUTCFullYear() - 1970) * 12 + ist.getUTCMonth()
}

/** A time as text in IST, to the minute: `2026-11-24 15:45 IST`. */
export function istTimeText(moment: Date): string {
  const [day = '', time = ''] = new Date(moment.getTime() + IST_OFFSET_MS).toISOString().split('T')
  return `${day} ${time.slice(0, 5)} IST`
}

/** The first moment of an IST calendar day. */
export function startOfIstDay(day: number): Date {
  return new Date(day * DAY_MS - IST_OFFSET_MS)
}

/** The first moment of an IST calendar month. */
export function startOfIstMonth(month: number): Date {
  return new Date(Date.UTC(1970 + Math.floor(month / 12), month % 12, 1) - IST_OFFSET_MS)
}
