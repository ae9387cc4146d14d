import type { Queryable } from './database.ts'

/**
 * Rows that transactions of this process have locked or wait to lock. The posting engine runs other commands meanwhile
 * instead of waiting for these locks in the database. Locks of other nodes are not known here.
 */
export interface LockedRows {
  readonly size: number
  has(id: string): boolean
  /** Calls the listener each time a transaction has released rows. Returns a function that removes the listener. */
  onReleased(listener: () => void): () => void
}

export interface LockedRowsOfTransactions extends LockedRows {
  /** Runs a transaction including its commit or rollback, and then counts its rows as released. */
  during<T>(tx: Queryable, work: () => Promise<T>): Promise<T>
}

const announcers = new WeakMap<Queryable, (ids: readonly string[]) => void>()

/** Announces that a transaction locks these rows until it ends. Call it before the locking statement. */
export function announceLocks(tx: Queryable, ids: readonly string[]): void {
  announcers.get(tx)?.(ids)
}

export function openLockedRows(): LockedRowsOfTransactions {
  /** The number of transactions that have locked a row or wait for it. */
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
