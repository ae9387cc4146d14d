import { boundedMap } from '../kernel/bounded-map.ts'

/** How many callers of one budget are remembered at once; the longest unseen is forgotten first. */
const REMEMBERED_CALLERS = 100_000

interface Window {
  count: number
  endsAtMs: number
}

/** What the rate limit plug-in is told of a caller: requests in this window, and how long the window lasts. */
type Told = (error: null, state: { readonly current: number; readonly ttl: number }) => void

/**
 * Counts in memory, for one node. The plug-in's own store hands out the object in which it goes on counting, and the
 * plug-in reads it a moment later: of requests that came together all were judged by the count of the last.
 */
export class MemoryStore {
  readonly #windows = boundedMap<string, Window>(REMEMBERED_CALLERS)

  incr(key: string, tell: Told, windowMs: number): void {
    const nowMs = Date.now()
    const found = this.#windows.get(key)
    const window =
      found !== undefined && found.endsAtMs > nowMs ? found : { count: 0, endsAtMs: nowMs + windowMs }
    window.count += 1
    this.#windows.set(key, window)
    tell(null, { current: window.count, ttl: window.endsAtMs - nowMs })
  }

  /** What `incr` would say, without counting. */
  read(key: string, tell: Told): void {
    const nowMs = Date.now()
    const found = this.#windows.get(key)
    const isOpen = found !== undefined && found.endsAtMs > nowMs
    tell(null, isOpen ? { current: found.count, ttl: found.endsAtMs - nowMs } : { current: 0, ttl: 0 })
  }

  /** Each budget counts for itself. */
  child(): MemoryStore {
    return new MemoryStore()
  }
}
