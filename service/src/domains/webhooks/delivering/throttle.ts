/** Limits how many attempts this process starts: any number while the process has time to spare, few a second while payments need it. */
export interface Throttle {
  readonly isOpen: () => boolean
  /** Calls `begin` when one more attempt may start, in the order of the calls. */
  enter(begin: () => void): void
  /** Calls every waiting `begin` now. */
  close(): void
}

/** Utilization of the payments' event loop: below the first attempts are unlimited, from the second on the limit is lowest. */
const SPARE_BELOW = 0.5
const FULL_FROM = 0.62
/** Attempts a second at these two ends. Under a full load they take about a tenth of the machine. */
const MOST_PER_SECOND = 3_000
const LEAST_PER_SECOND = 1_000
const TICK_MS = 10
/** A timer that is late under load allows what the time since the last one does, up to so much. */
const LONGEST_TICK_MS = 200

/** `utilization` is that of the payments' event loop, 0 to 1. */
export function openThrottle(utilization: () => number): Throttle {
  const waiting: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let allowed = 0
  let tickedMs = 0

  function tick(): void {
    const nowMs = performance.now()
    const sinceMs = Math.min(LONGEST_TICK_MS, nowMs - tickedMs)
    tickedMs = nowMs
    allowed = Math.min(allowed, 1) + (perSecond(utilization()) * sinceMs) / 1_000
    while (allowed >= 1 && waiting.length > 0) {
      allowed--
      waiting.shift()?.()
    }
    if (waiting.length > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    isOpen: () => utilization() < SPARE_BELOW && waiting.length === 0,
    enter(begin) {
      waiting.push(begin)
      if (timer !== undefined) return
      tickedMs = performance.now()
      timer = setInterval(tick, TICK_MS)
    },
    close() {
      clearInterval(timer)
      // An attempt that waits again while this runs starts a new one.
      timer = undefined
      for (const begin of waiting.splice(0)) begin()
    },
  }
}

function perSecond(utilization: number): number {
  const load = (utilization - SPARE_BELOW) / (FULL_FROM - SPARE_BELOW)
  const spare = 1 - Math.min(1, Math.max(0, load))
  return LEAST_PER_SECOND + (MOST_PER_SECOND - LEAST_PER_SECOND) * spare
}

/** How many requests to one receiver run at once: one more after each success, half as many after each failure. */
export interface ConcurrencyLimit {
  readonly current: () => number
  succeeded(): void
  failed(): void
}

const INITIAL_CONCURRENCY = 4
const MAX_CONCURRENCY = 16

export function openConcurrencyLimit(isFailing: boolean): ConcurrencyLimit {
  let current = isFailing ? 1 : INITIAL_CONCURRENCY
  return {
    current: () => current,
    succeeded() {
      current = Math.min(MAX_CONCURRENCY, current + 1)
    },
    failed() {
      current = Math.max(1, Math.floor(current / 2))
    },
  }
}
