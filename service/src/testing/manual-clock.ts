import type { Clock } from '../kernel/clock.ts'

/** A clock that changes only when the test advances it. */
export interface ManualClock extends Clock {
  advance(ms: number): void
  set(moment: Date): void
}

export function manualClock(start: Date): ManualClock {
  let nowMs = start.getTime()
  return {
    now: () => new Date(nowMs),
    offsetMs: () => nowMs - start.getTime(),
    setOffsetMs: offsetMs => {
      nowMs = start.getTime() + offsetMs
    },
    advance: ms => {
      nowMs += ms
    },
    set: moment => {
      nowMs = moment.getTime()
    },
  }
}
