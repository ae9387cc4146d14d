import type { Refusal } from '../kernel/app-error.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { LedgerBatch, Read } from './ledger-batch.ts'

/**
 * One operation on the ledger. It names the accounts to lock and the facts to read. The engine locks and reads them
 * together with those of the other commands of the batch, and then calls `decide`.
 */
export interface Command<Result> {
  /** Wallet accounts (agent ids) to lock. */
  readonly accounts: readonly Uuid[]
  readonly reads: readonly Read[]
  /** Further reads that depend on earlier ones. A step that returns no reads costs no round trip. */
  readonly steps?: readonly ((batch: LedgerBatch) => readonly Read[])[]
  /**
   * Pure and synchronous. It refuses before it posts anything. After a lost race or a lost connection the engine calls
   * it again with a new batch.
   */
  decide(batch: LedgerBatch): Refusal | Result
}

/** A party with waiting commands (see db/work-origin.ts). The queue drops it when none waits any more. */
export interface Party {
  readonly name: string
  /** The number of its commands in the queue. */
  waiting: number
  /** The number of its commands that `pick` has taken into the current batch. */
  taken: number
}

/** A command with the promise of its caller. */
export interface Entry {
  readonly command: Command<object>
  readonly party: Party
  readonly resolve: (result: object) => void
  readonly reject: (error: unknown) => void
}
