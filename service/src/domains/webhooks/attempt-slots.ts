import { AppError, raise } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { rateLimitExceeded } from '../../kernel/rate-limit-exceeded.ts'

/** How many attempts that platforms asked for one node makes at the same time. */
export interface AttemptSlots {
  /**
   * Does the work with a slot; refused when the platform has all of its own in use. When the node has none left, the
   * attempt that has gone on longest gives way, of a platform with two before one of a platform with one: its signal
   * aborts. So receivers that never answer cannot keep anybody else from an attempt.
   */
  hold<T>(platformId: Uuid, work: (givesWay: AbortSignal) => Promise<T>): Promise<T>
}

interface Slot {
  readonly platformId: Uuid
  readonly takenAtMs: number
  readonly giveWay: AbortController
}

const OF_NODE = 256
const OF_PLATFORM = 2
/** A receiver that answers at all mostly does so by then, so an attempt has this long before it gives way. */
const UNDISTURBED_MS = 1_000
const RETRY_AFTER_MS = 1_000
const RETRY_AFTER = { headers: { 'retry-after': '1' } }

export function openAttemptSlots(
  nowMs: () => number = () => performance.now(),
  ofNode = OF_NODE,
): AttemptSlots {
  /** The longest first. */
  const inUse = new Set<Slot>()

  function take(platformId: Uuid): Slot {
    if (countOf(inUse, platformId) >= OF_PLATFORM) {
      const what = `${OF_PLATFORM} of your webhooks are being sent on request already`
      raise(rateLimitExceeded(what, OF_PLATFORM, RETRY_AFTER_MS))
    }
    if (inUse.size >= ofNode) {
      const longest = chooseToGiveWay(inUse, nowMs() - UNDISTURBED_MS)
      if (longest === null) {
        const message = 'Too many webhooks are being sent on request at the moment; try again in a second'
        throw new AppError('service_unavailable', message, RETRY_AFTER)
      }
      inUse.delete(longest)
      longest.giveWay.abort()
    }
    const slot = { platformId, takenAtMs: nowMs(), giveWay: new AbortController() }
    inUse.add(slot)
    return slot
  }

  return {
    async hold(platformId, work) {
      const slot = take(platformId)
      try {
        return await work(slot.giveWay.signal)
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

/** Of those taken before a moment: the oldest of a platform that has several, or else the oldest. */
function chooseToGiveWay(inUse: ReadonlySet<Slot>, beforeMs: number): Slot | null {
  const old = [...inUse].filter(slot => slot.takenAtMs <= beforeMs)
  return old.find(slot => countOf(inUse, slot.platformId) > 1) ?? old[0] ?? null
}
