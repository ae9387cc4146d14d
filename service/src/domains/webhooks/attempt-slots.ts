import { AppError, raise } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { rateLimitExceeded } from '../../kernel/rate-limit-exceeded.ts'

/** Limits how many requested attempts (tests and retries) one node makes at the same time. */
export interface AttemptSlots {
  /**
   * Runs `work` with a slot; refused when the platform uses all of its own. When the node has no free slot, the attempt
   * that has run longest is aborted, those of platforms with two slots first. So receivers that never respond cannot
   * keep another platform from an attempt.
   */
  withSlot<T>(platformId: Uuid, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

interface Slot {
  readonly platformId: Uuid
  readonly takenAtMs: number
  readonly abort: AbortController
}

const OF_NODE = 256
const OF_PLATFORM = 2
/** An attempt runs at least this long before it may be aborted; most receivers respond within it. */
const MIN_RUN_MS = 1_000
const RETRY_AFTER_MS = 1_000
const RETRY_AFTER = { headers: { 'retry-after': '1' } }

export function openAttemptSlots(
  nowMs: () => number = () => performance.now(),
  ofNode = OF_NODE,
): AttemptSlots {
  /** The longest running first. */
  const inUse = new Set<Slot>()

  function take(platformId: Uuid): Slot {
    if (countOf(inUse, platformId) >= OF_PLATFORM) {
      const what = `${OF_PLATFORM} of your webhooks are being sent on request already`
      raise(rateLimitExceeded(what, OF_PLATFORM, RETRY_AFTER_MS))
    }
    if (inUse.size >= ofNode) {
      const longest = chooseToAbort(inUse, nowMs() - MIN_RUN_MS)
      if (longest === null) {
        const message = 'Too many webhooks are being sent on request at the moment; try again in a second'
        throw new AppError('service_unavailable', message, RETRY_AFTER)
      }
      inUse.delete(longest)
      longest.abort.abort()
    }
    const slot = { platformId, takenAtMs: nowMs(), abort: new AbortController() }
    inUse.add(slot)
    return slot
  }

  return {
    async withSlot(platformId, work) {
      const slot = take(platformId)
      try {
        return await work(slot.abort.signal)
      } finally {
        inUse.delete(slot)
      }
    },
  }
}

function countOf(inUse: ReadonlySet<Slot>, platformId: Uuid): number {
  let count = 0
  for (const slot of inUse) if (slot.platformId === platformId) count++
  return count
}

/** Of the slots taken before a moment: the oldest of a platform that has several, or else the oldest. */
function chooseToAbort(inUse: ReadonlySet<Slot>, beforeMs: number): Slot | null {
  const old = [...inUse].filter(slot => slot.takenAtMs <= beforeMs)
  return old.find(slot => countOf(inUse, slot.platformId) > 1) ?? old[0] ?? null
}
