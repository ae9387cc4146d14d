const STEP_US = 10
const STEPS = 200_000

/** Counts latencies in 200,000 steps of 10 µs by default, up to 2 s; slower ones count as the last step. */
export interface LatencyHistogram {
  add(milliseconds: number): void
  /** The latency in milliseconds that this share of all does not exceed; 0 if there are none. */
  percentile(share: number): number
  count(): number
  clear(): void
}

export function latencyHistogram(stepUs = STEP_US): LatencyHistogram {
  const counts = new Uint32Array(STEPS)
  let total = 0
  return {
    add(milliseconds) {
      const step = Math.min(Math.floor((milliseconds * 1000) / stepUs), STEPS - 1)
      counts[step] = (counts[step] ?? 0) + 1
      total++
    },
    percentile(share) {
      const rank = Math.ceil(total * share)
      if (total === 0) return 0
      let seen = 0
      for (let step = 0; step < STEPS; step++) {
        seen += counts[step] ?? 0
        if (seen >= rank) return ((step + 1) * stepUs) / 1000
      }
      return (STEPS * stepUs) / 1000
    },
    count: () => total,
    clear() {
      counts.fill(0)
      total = 0
    },
  }
}
