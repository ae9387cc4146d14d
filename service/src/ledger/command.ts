import type { Database } from '../db/database.ts'
import type { Refusal } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { Span } from '../kernel/tracing.ts'
import type { LedgerBatch, Read } from './ledger-batch.ts'

/**
 * One operation on the ledger, and the only way in which money moves: to pay, hold, release, refund or withdraw, or to
 * apply what a gateway reports. It is data, in the order in which the engine uses it: the accounts to lock, what to read
 * under the locks (`reads`, then each of `phases`), and the decision. The engine runs it in one transaction with the other
 * commands of its batch: locks and reads are shared, then each is decided, then one commit writes what all of them posted
 * and recorded.
 *
 * A command keeps no memory between attempts. After a lost race it is decided again in a new batch; after a lost commit
 * the engine learns from the database whether the batch was committed, and decides it again only if it was not.
 */
export interface Command<Result> {
  /** Wallet accounts (agent ids) to lock. */
  readonly accounts: readonly Uuid[]
  readonly reads: readonly Read[]
  /** Further reads that depend on earlier ones. A phase that returns no reads costs no round trip. */
  readonly phases?: readonly ((batch: LedgerBatch) => readonly Read[])[]
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

/** The spans of a command whose request is sampled. */
export interface EntryTrace {
  readonly request: Span
  /** Its wait for a committer. */
  readonly wait: Span
}

/** A command with the promise of its caller. */
export interface Entry {
  readonly command: Command<object>
  readonly party: Party
  /** When it was added to the queue, by `monotonicSeconds`. */
  readonly addedAt: number
  readonly trace: EntryTrace | null
  readonly resolve: (result: object) => void
  readonly reject: (error: unknown) => void
}

/** What the engine works with. */
export interface Services {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
}

/**
 * Thrown by a decision that something has to be written before. The engine has it written, outside the batch and under
 * its own locks, and decides the command again in a later batch.
 */
export class Prerequisite extends Error {
  readonly write: (services: Services) => Promise<void>

  constructor(write: (services: Services) => Promise<void>) {
    super('something has to be written before this is decided')
    this.write = write
  }
}
