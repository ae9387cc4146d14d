import { AppError, raise } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { rateLimitExceeded } from '../../kernel/rate-limit-exceeded.ts'

/** How many attempts that platforms asked for one node makes at the same time. */
export interface AttemptSlots {
  /** Does the work with a slot; refused when the platform, or the node, has all of its own in use. */
  hold<T>(platformId: Uuid, work: () => Promise<T>): Promise<T>
}

const OF_NODE = 32
const OF_PLATFORM = 2
/** A receiver that answers at all mostly does so by then. */
const RETRY_AFTER_MS = 1_000
const RETRY_AFTER = { headers: { 'retry-after': '1' } }

export function openAttemptSlots(): AttemptSlots {
  const inUse = new Map<Uuid, number>()
  let all = 0

  function take(platformId: Uuid): void {
    const own = inUse.get(platformId) ?? 0
    if (own >= OF_PLATFORM) {
      const what = `${OF_PLATFORM} of your webhooks are being sent on request already`
      raise(rateLimitExceeded(what, OF_PLATFORM, RETRY_AFTER_MS))
    }
    if (all >= OF_NODE) {
      const message = 'Too many webhooks are being sent on request at the moment; try again in a second'
      throw new AppError('service_unavailable', message, RETRY_AFTER)
    }
    inUse.set(platformId, own + 1)
    all += 1
  }

  function release(platformId: Uuid): void {
    const left = (inUse.get(platformId) ?? 1) - 1
    if (left === 0) inUse.delete(platformId)
    else inUse.set(platformId, left)
    all -= 1
  }

  return {
    async hold(platformId, work) {
      take(platformId)
      try {
        return await work()
      } finally {
        release(platformId)
      }
    },
  }
}
