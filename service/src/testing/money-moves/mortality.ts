import type { Database, Queryable } from '../../db/database.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Dice } from './dice.ts'

/** What whoever waits for a node is left with when it dies: nobody knows what it still did. */
export class NodeDied extends Error {
  constructor() {
    super('The node died')
    this.name = 'NodeDied'
  }
}

/** A life that ends in the middle of whatever is under way. */
export interface Life {
  isOver(): boolean
  /** Throws once it is over. */
  check(): void
  end(): void
  /** Ends it at the call to the outside that comes after so many others, before that takes effect or right after. */
  endAfter(calls: number): void
  /** Counts a call to the outside. Returns what is to be done when the call has taken effect. */
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

/** A database as a node has it: what it has not committed when it dies is undone. */
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

/** A posting engine as a node has it: what was sent to be committed may be so, but nobody is told. */
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
