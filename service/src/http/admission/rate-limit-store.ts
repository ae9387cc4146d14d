import type { Redis } from 'ioredis'
import { boundedMap } from '../../kernel/bounded-map.ts'
import type { Logger } from '../../kernel/logger.ts'

/** How many callers of one budget are remembered at once; the longest unseen is forgotten first. */
const REMEMBERED_CALLERS = 100_000

interface Window {
  count: number
  endsAtMs: number
}

/** The requests of a caller in this window, and the rest of the window in milliseconds. */
export interface Count {
  readonly current: number
  readonly ttl: number
}

type Counted = (error: null, state: Count) => void

/** What the rate limit plug-in counts in. */
export interface CountStore {
  incr(key: string, report: Counted, windowMs: number): void
  /** The result of `incr`, without counting. */
  read(key: string, report: Counted): void
  /** Each budget has counters of its own. */
  child(): CountStore
}

/**
 * Counts in memory, for one node. The plug-in's own store returns the object in which it goes on counting, and the plug-in
 * reads it later: of simultaneous requests all would get the count of the last.
 */
export class MemoryStore implements CountStore {
  readonly #windows = boundedMap<string, Window>(REMEMBERED_CALLERS)

  incr(key: string, report: Counted, windowMs: number): void {
    report(null, this.count(key, windowMs))
  }

  read(key: string, report: Counted): void {
    report(null, this.counted(key))
  }

  child(): MemoryStore {
    return new MemoryStore()
  }

  count(key: string, windowMs: number): Count {
    const nowMs = Date.now()
    const found = this.#windows.get(key)
    const window =
      found !== undefined && found.endsAtMs > nowMs ? found : { count: 0, endsAtMs: nowMs + windowMs }
    window.count += 1
    this.#windows.set(key, window)
    return { current: window.count, ttl: window.endsAtMs - nowMs }
  }

  counted(key: string): Count {
    const nowMs = Date.now()
    const found = this.#windows.get(key)
    const isOpen = found !== undefined && found.endsAtMs > nowMs
    return isOpen ? { current: found.count, ttl: found.endsAtMs - nowMs } : { current: 0, ttl: 0 }
  }
}

const COMMAND_TIMEOUT_MS = 250
/** After a failure Redis is not asked for this long, so that a Redis that hangs delays few requests. */
const PAUSE_MS = 1_000

type Reply = (error: null, counted: readonly [current: number, ttl: number]) => void
type Command = (key: string, ...more: unknown[]) => void

/** What the rate limit plug-in uses of a Redis: it defines its two commands, which end with a callback. */
export interface LimitCommands {
  defineCommand(name: string, definition: { readonly lua: string; readonly numberOfKeys?: number }): void
  [command: string]: Command | LimitCommands['defineCommand']
}

/** The commands of the plug-in on this Redis. While it fails, this node counts by itself. */
export function countingOnEachNodeWithout(redis: Redis, memory: CountStore): LimitCommands {
  let pausedUntilMs = 0

  const commands: LimitCommands = {
    defineCommand(name, definition) {
      redis.defineCommand(name, definition)
      const onRedis = (redis as unknown as Record<string, Command>)[name]?.bind(redis)
      commands[name] = (key: string, ...more: unknown[]) => {
        const report = more.pop() as Reply
        const count = () => {
          const counted: Counted = (_, { current, ttl }) => report(null, [current, ttl])
          if (more.length === 0) memory.read(key, counted)
          else memory.incr(key, counted, Number(more[0]))
        }
        if (performance.now() < pausedUntilMs) return count()
        onRedis?.(key, ...more, (error: Error | null, counted: readonly [number, number]) => {
          if (error === null) return report(null, counted)
          pausedUntilMs = performance.now() + PAUSE_MS
          count()
        })
      }
    },
  }
  return commands
}

/** The store of shared rate limits. It fails fast and never queues, because requests wait for it. */
export async function connectRedis(url: string, logger: Logger): Promise<Redis> {
  const library = await import('ioredis')
  const redis = new library.Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
  })
  redis.on('error', (error: Error) =>
    logger.warn({ err: error }, 'redis connection failed: each node counts rate limits by itself'),
  )
  return redis
}
