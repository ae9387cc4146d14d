import { DatabaseBusy } from './errors.ts'

/** Lets those that change the same rows follow one another in this process, before any of them has a connection. */
export interface Turns {
  /** Runs the work when nobody else has a turn on any of these keys. Urgent work comes before what waits. */
  take<T>(keys: readonly string[], urgent: boolean, work: () => Promise<T>): Promise<T>
}

type Waiter = () => void

/** What waits for one key; the entry exists while somebody has its turn. */
interface Line {
  readonly urgent: Waiter[]
  readonly others: Waiter[]
}

const MAX_WAITING = 1_000

/**
 * Of many requests that need the lock of one row, each but the first would hold a connection only to wait. Here they
 * wait without one. Several keys are taken in one order, so that nobody waits in a circle. Other nodes do not know
 * these turns: there the locks of the database decide, with one connection of each node for each key.
 */
export function openTurns(): Turns {
  const lines = new Map<string, Line>()

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
