import { DatabaseBusy } from './errors.ts'

/** Runs transactions of this process on the same rows one after the other; a waiting one has no connection. */
export interface Turns {
  /** Runs the work when no other work runs on any of these keys. Urgent work comes before waiting work. */
  take<T>(keys: readonly string[], urgent: boolean, work: () => Promise<T>): Promise<T>
}

type Waiter = () => void

/** The work that waits for one key. The entry exists while work on the key runs. */
interface KeyQueue {
  readonly urgent: Waiter[]
  readonly others: Waiter[]
}

const MAX_WAITING = 1_000

/**
 * Of many requests that need the lock of one row, all but the first would hold a connection only to wait. Here they wait
 * without one. Several keys are taken in sorted order, so that there is no deadlock. Between nodes the locks of the
 * database decide, with at most one connection of each node for each key.
 */
export function openTurns(): Turns {
  const lines = new Map<string, KeyQueue>()

  function enter(key: string, urgent: boolean): Promise<void> | undefined {
    const line = lines.get(key)
    if (line === undefined) {
      lines.set(key, { urgent: [], others: [] })
      return undefined
    }
    if (line.urgent.length + line.others.length >= MAX_WAITING) {
      throw new DatabaseBusy('Too many requests wait for the same row')
    }
    return new Promise(resolve => (urgent ? line.urgent : line.others).push(resolve))
  }

  function leave(key: string): void {
    const line = lines.get(key)
    const next = line?.urgent.shift() ?? line?.others.shift()
    if (next === undefined) lines.delete(key)
    else next()
  }

  return {
    async take(keys, urgent, work) {
      const taken: string[] = []
      try {
        for (const key of [...new Set(keys)].toSorted()) {
          await enter(key, urgent)
          taken.push(key)
        }
        return await work()
      } finally {
        for (const key of taken) leave(key)
      }
    },
  }
}
