import type { Queryable } from './database.ts'

/**
 * Rows that transactions of this process hold the locks of, or wait for. Who could do something else meanwhile need not
 * wait for them in the database. Other nodes' locks are not known here.
 */
export interface LockedRows {
  readonly size: number
  has(id: string): boolean
  /** Calls the listener each time a transaction has let go of rows. Returns what ends that. */
  onReleased(listener: () => void): () => void
}

export interface LockedRowsOfTransactions extends LockedRows {
  /** Runs the work of a transaction, its end included. Whichever way it ends, its rows are no longer locked then. */
  during<T>(tx: Queryable, work: () => Promise<T>): Promise<T>
}

const announcers = new WeakMap<Queryable, (ids: readonly string[]) => void>()

/** Says, before the statement that locks them, that a transaction holds these rows until it ends. */
export function announceLocks(tx: Queryable, ids: readonly string[]): void {
  announcers.get(tx)?.(ids)
}

export function openLockedRows(): LockedRowsOfTransactions {
  /** How many transactions hold or want a row. */
  const counts = new Map<string, number>()
  const listeners = new Set<() => void>()

  function release(ids: readonly string[]): void {
    for (const id of ids) {
      const others = (counts.get(id) ?? 1) - 1
      if (others === 0) counts.delete(id)
      else counts.set(id, others)
    }
    for (const listener of listeners) listener()
  }

  return {
    get size() {
      return counts.size
    },
    has: id => counts.has(id),
    onReleased(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async during(tx, work) {
      const held: string[] = []
      announcers.set(tx, ids => {
        for (const id of ids) {
          held.push(id)
          counts.set(id, (counts.get(id) ?? 0) + 1)
        }
      })
      try {
        return await work()
      } finally {
        announcers.delete(tx)
        if (held.length > 0) release(held)
      }
    },
  }
}
