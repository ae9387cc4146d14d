/** Counts how often each fault and each end occurred. */
export interface Tally {
  met(name: string): void
  /** Replaces the count of something that is counted as a whole. */
  counted(name: string, count: number): void
  readonly counts: ReadonlyMap<string, number>
  /** Those of these counters that are zero. */
  missing(names: readonly string[]): string[]
}

export function openTally(): Tally {
  const counts = new Map<string, number>()
  return {
    counts,
    met(name) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    counted(name, count) {
      counts.set(name, count)
    },
    missing: names => names.filter(name => (counts.get(name) ?? 0) === 0),
  }
}

/** The counts by name, one to a line. */
export function tallyText({ counts }: Tally): string {
  return [...counts]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, count]) => `  ${String(count).padStart(6)} ${name}`)
    .join('\n')
}
