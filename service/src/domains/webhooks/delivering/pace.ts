/** How many requests one receiver gets at once: more while it answers well, half as many after each failure. */
export interface Pace {
  readonly concurrency: () => number
  succeeded(): void
  failed(): void
}

const FIRST = 4
const MOST = 16

export function openPace(isFailing: boolean): Pace {
  let concurrency = isFailing ? 1 : FIRST
  return {
    concurrency: () => concurrency,
    succeeded() {
      concurrency = Math.min(MOST, concurrency + 1)
    },
    failed() {
      concurrency = Math.max(1, Math.floor(concurrency / 2))
    },
  }
}
