import type { Refusal } from '../kernel/app-error.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { LedgerBatch, Read } from './ledger-batch.ts'

/**
 * One act on the book. It names the wallets it touches and the facts it needs; the engine locks and loads
 * them, together with those of its neighbours, and asks for the decision.
 */
export interface Command<Result> {
  /** Wallet accounts (agent ids) to lock. */
  readonly accounts: readonly Uuid[]
  readonly reads: readonly Read[]
  /** More facts, known only once those before are here. A step costs a round trip only when it needs anything. */
  readonly steps?: readonly ((batch: LedgerBatch) => readonly Read[])[]
  /**
   * Pure and synchronous: refuses before it posts, and posts only what it is sure of. It may be asked again
   * after a lost race or a lost connection, with a fresh book.
   */
  decide(batch: LedgerBatch): Refusal | Result
}

/** Whose commands wait (see db/work-origin.ts). It is known while any of them waits. */
export interface Party {
  readonly name: string
  /** How many of its commands wait. */
  waiting: number
  /** How many of them the batch that is being picked has taken so far. */
  taken: number
}

/** A command with the promise of its caller. */
export interface Entry {
  readonly command: Command<object>
  readonly party: Party
  readonly resolve: (result: object) => void
  readonly reject: (error: unknown) => void
}
