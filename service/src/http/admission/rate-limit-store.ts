import type { Redis } from 'ioredis'
import { boundedMap } from '../../kernel/bounded-map.ts'
import type { Logger } from '../../kernel/logger.ts'

/** How many callers of one budget are remembered at once; the longest unseen is forgotten first. */
const REMEMBERED_CALLERS = 100_000

interface Window {
  count: number
  endsAtMs: number
}

/** The result for the rate limit plug-in: requests of the caller in this window, and the rest of the window. */
type Counted = (error: null, state: { readonly current: number; readonly ttl: number }) => void

/**
 * Counts in memory, for one node. The plug-in's own store returns the object in which it goes on counting, and the plug-in
 * reads it later: of simultaneous requests all would get the count of the last.
 */
export class MemoryStore {
  readonly #windows = boundedMap<string, Window>(REMEMBERED_CALLERS)

  incr(key: string, report: Counted, windowMs: number): void {
    const nowMs = Date.now()
    const found = this.#windows.get(key)
    const window =
      found !== undefined && found.endsAtMs > nowMs ? found : { count: 0, endsAtMs: nowMs + windowMs }
    window.count += 1
    this.#windows.set(key, window)
    report(null, { current: window.count, ttl: window.endsAtMs - nowMs })
  }

  /** The result of `incr`, without counting. */
  read(key: string, report: Counted): void {
    const nowMs = Date.now()
    const found = this.#windows.get(key)
    const isOpen = found !== undefined && found.endsAtMs > nowMs
    report(null, isOpen ? { current: found.count, ttl: found.endsAtMs - nowMs } : { current: 0, ttl: 0 })
  }

  /** Each budget has counters of its own. */
  child(): MemoryStore {
    return new MemoryStore()
  }
}

const COMMAND_TIMEOUT_MS = 250

/**
 * The store of shared rate limits. It fails fast and never queues, because a request that cannot be counted is let
 * through rather than kept waiting.
 */
export async function connectRedis(url: string, logger: Logger): Promise<Redis> {
  const library = await import('ioredis')
  const redis = new library.Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
  })
  redis.on('error', (error: Error) =>
    logger.warn({ err: error }, 'redis connection failed: rate limits are not counted'),
  )
  return redis
}
