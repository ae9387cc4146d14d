import { TimeIsUp, within } from '../client/timeouts.ts'

/** How soon a buyer that owes too much is checked again. */
export const RECHECK_MS = 1_000
/** Calls of one buyer that wait at a time. */
const MAX_WAITING = 16

/** Calls of buyers that owe too much: something has to be captured, or a call in progress to end. */
export interface TabQueues {
  /**
   * Captures, or waits until the buyer is woken, at most a second. False at once if too many of its calls wait. Rejects
   * if the signal aborts.
   */
  room(buyer: string, signal: AbortSignal, collect: () => Promise<boolean>): Promise<boolean>
  /** One of a buyer's calls has ended, or something was captured. */
  wake(buyer: string): void
}

interface Queue {
  length: number
  woken: Promise<void>
  wake(): void
}

export function openTabQueues(): TabQueues {
  const queues = new Map<string, Queue>()
  return {
    async room(buyer, signal, collect) {
      const queue = queues.get(buyer) ?? { length: 0, ...newWaker() }
      if (queue.length >= MAX_WAITING) return false
      queues.set(buyer, queue)
      queue.length += 1
      const { woken } = queue
      try {
        // Other processes wake nobody here, so the buyer is checked again after a second.
        if (!(await collect())) await within(RECHECK_MS, signal, () => woken)
      } catch (error) {
        if (!(error instanceof TimeIsUp)) throw error
      } finally {
        queue.length -= 1
        if (queue.length === 0) queues.delete(buyer)
      }
      return true
    },
    wake(buyer) {
      const queue = queues.get(buyer)
      if (queue === undefined) return
      queue.wake()
      Object.assign(queue, newWaker())
    },
  }
}

function newWaker(): Pick<Queue, 'woken' | 'wake'> {
  let wake = () => {}
  const woken = new Promise<void>(resolve => {
    wake = resolve
  })
  return { woken, wake }
}
