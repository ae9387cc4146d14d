import type { Database, Queryable } from '../../db/database.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Dice } from './dice.ts'

/** The error of calls to a node that crashed: the effect of the call is unknown. */
export class NodeDied extends Error {
  constructor() {
    super('The node died')
    this.name = 'NodeDied'
  }
}

/** The life of a node, which can end in the middle of running work. */
export interface Life {
  isOver(): boolean
  /** Throws after the node has crashed. */
  check(): void
  end(): void
  /** Crashes the node at an external call after this many others, just before or after that call takes effect. */
  endAfter(calls: number): void
  /** Counts an external call. Returns a callback for the moment when the call has taken effect. */
  beginCall(dice: Dice): () => void
}

export function newLife(): Life {
  let over = false
  let callsLeft = Number.POSITIVE_INFINITY
  const check = () => {
    if (over) throw new NodeDied()
  }
  return {
    isOver: () => over,
    check,
    end: () => {
      over = true
    },
    endAfter: calls => {
      callsLeft = calls
    },
    beginCall(dice) {
      check()
      callsLeft--
      if (callsLeft >= 0) return check
      if (dice.chance(0.5)) over = true
      check()
      return () => {
        over = true
        check()
      }
    },
  }
}

/** A node's database: when the node crashes, uncommitted transactions are rolled back. */
export function mortalDatabase(database: Database, life: Life): Database {
  const mortal = (db: Queryable): Queryable => ({
    query: async (text, values, named) => {
      life.check()
      return db.query(text, values, named)
    },
  })
  return {
    ...database,
    ...mortal(database),
    inTransaction: async work => {
      life.check()
      return database.inTransaction(async tx => {
        const done = await work(mortal(tx))
        life.check()
        return done
      })
    },
  }
}

/** A node's posting engine: after a crash, submitted commands may be committed, but callers get no result. */
export function mortalLedger(ledger: Ledger, life: Life): Ledger {
  return {
    ...ledger,
    async submit(command) {
      life.check()
      const result = await ledger.submit(command)
      life.check()
      return result
    },
  }
}
