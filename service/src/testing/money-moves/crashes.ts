import type { Database, Queryable } from '../../db/database.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { Random } from './random.ts'

/** The error of calls to a node that crashed: the effect of the call is unknown. */
export class NodeCrashed extends Error {
  constructor() {
    super('The node crashed')
    this.name = 'NodeCrashed'
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
  beginCall(random: Random): () => void
}

export function newLife(): Life {
  let over = false
  let callsLeft = Number.POSITIVE_INFINITY
  const check = () => {
    if (over) throw new NodeCrashed()
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
    beginCall(random) {
      check()
      callsLeft--
      if (callsLeft >= 0) return check
      if (random.chance(0.5)) over = true
      check()
      return () => {
        over = true
        check()
      }
    },
  }
}

/** A node's database: when the node crashes, uncommitted transactions are rolled back. */
export function crashingDatabase(database: Database, life: Life): Database {
  const crashing = (db: Queryable): Queryable => ({
    query: async (text, values, named) => {
      life.check()
      return db.query(text, values, named)
    },
  })
  return {
    ...database,
    ...crashing(database),
    inTransaction: async work => {
      life.check()
      return database.inTransaction(async tx => {
        const done = await work(crashing(tx))
        life.check()
        return done
      })
    },
  }
}

/** A node's posting engine: after a crash, submitted commands may be committed, but callers get no result. */
export function crashingLedger(ledger: Ledger, life: Life): Ledger {
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
