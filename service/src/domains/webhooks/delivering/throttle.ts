/** Lets attempts begin: all at once while the node has time to spare, few in a second while payments need it. */
export interface Throttle {
  readonly isOpen: () => boolean
  /** Calls back when one more may begin. Who asks waits behind those who asked before. */
  enter(begin: () => void): void
  /** Calls back everybody who waits. */
  close(): void
}

/** The part of its time that the event loop of payments works, from which on they come first, and that of a full load. */
const SPARE_BELOW = 0.5
const FULL_FROM = 0.62
/** Attempts a second at the two ends. Even under a full load platforms go on hearing something. */
const MOST_PER_SECOND = 3_000
const LEAST_PER_SECOND = 200
const TICK_MS = 10

/** `utilization` of the payments' event loop, 0 to 1. */
export function openThrottle(utilization: () => number): Throttle {
  const waiting: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let allowed = 0

  function tick(): void {
    allowed = Math.min(allowed, 1) + (perSecond(utilization()) * TICK_MS) / 1_000
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
      timer ??= setInterval(tick, TICK_MS)
    },
    close() {
      clearInterval(timer)
      for (const begin of waiting.splice(0)) begin()
    },
  }
}

function perSecond(utilization: number): number {
  const load = (utilization - SPARE_BELOW) / (FULL_FROM - SPARE_BELOW)
  const spare = 1 - Math.min(1, Math.max(0, load))
  return LEAST_PER_SECOND + (MOST_PER_SECOND - LEAST_PER_SECOND) * spare
}
