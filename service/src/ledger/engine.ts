import type { Uuid } from '../kernel/ids.ts'
import { openAccountProofs } from './account-proof.ts'
import type { Command } from './command.ts'
import { type Committer, type CommitterOptions, createCommitter } from './committer.ts'
import { openQueue, type QueueOptions } from './queue.ts'
import { unavailable } from './unavailable.ts'

export interface Ledger {
  /** Resolves after the commit, with what the decision returned. Rejects with the refusal as an AppError. */
  submit<Result extends object>(command: Command<Result>): Promise<Result>
  /**
   * Resolves once whoever waits for a commit that is under way on these accounts has been told of it: so nobody hears
   * of a payment after hearing that its payer was stopped, at least not from this node.
   */
  awaitCommits(accounts: readonly Uuid[]): Promise<void>
  /** Finishes what was accepted, then refuses more. */
  close(): Promise<void>
  readonly queued: () => number
  /** How many commands were finished since it was opened, the refused ones included. */
  readonly finished: () => number
}

export interface LedgerOptions extends CommitterOptions, QueueOptions {
  /** Connections that commit batches side by side. */
  readonly committers?: number
  /** Commands in one commit at the most. */
  readonly maxBatch?: number
  /** How many accounts this node knows the state of, twice as many at the most. */
  readonly rememberedAccounts?: number
}

const DEFAULT_LANES = 2
const DEFAULT_MAX_BATCH = 256

/**
 * The posting engine: whatever waits when a lane is free goes into its next commit; there is no timer. When more waits
 * than fits into a batch, parties take turns.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const maxBatch = options.maxBatch ?? DEFAULT_MAX_BATCH
  const proofs = openAccountProofs(options.vault, options.rememberedAccounts)
  const newLane = () => createCommitter(options, proofs)
  const idle: Committer[] = Array.from({ length: options.committers ?? DEFAULT_LANES }, newLane)
  const committers = [...idle]
  const locked = new Set<Uuid>()
  const running = new Map<ReadonlySet<Uuid>, Promise<void>>()
  const queue = openQueue(options, options.database.lockedRows, schedule)
  let inFlight = 0
  let finished = 0
  let scheduled = false
  let closed: Promise<void> | null = null
  let whenDrained: (() => void) | null = null

  function schedule(): void {
    if (scheduled || idle.length === 0 || queue.length() === 0) return
    scheduled = true
    // After this turn of the event loop, so that requests read together go into one commit.
    setImmediate(() => {
      scheduled = false
      dispatch()
    })
  }

  function dispatch(): void {
    const committer = idle.at(-1)
    if (committer === undefined) return
    // An even share for each lane, so that one lane's commit and the next one's decisions overlap.
    const share = Math.min(maxBatch, Math.ceil((queue.length() + inFlight) / committers.length))
    const batch = queue.take(locked, { share, maxBatch })
    if (batch.length === 0) return drained()
    idle.pop()
    inFlight += batch.length
    const accounts = new Set(batch.flatMap(entry => entry.command.accounts))
    for (const id of accounts) locked.add(id)
    const run = committer.run(batch).finally(() => {
      running.delete(accounts)
      for (const id of accounts) locked.delete(id)
      idle.push(committer)
      inFlight -= batch.length
      finished += batch.length
      drained()
      schedule()
    })
    running.set(accounts, run)
    schedule()
  }

  function drained(): void {
    if (inFlight === 0 && queue.length() === 0) whenDrained?.()
  }

  async function drain(): Promise<void> {
    if (inFlight > 0 || queue.length() > 0) {
      await new Promise<void>(resolve => {
        whenDrained = resolve
      })
    }
    queue.close()
    await Promise.all(committers.map(committer => committer.close()))
  }

  return {
    submit<Result extends object>(command: Command<Result>): Promise<Result> {
      if (closed !== null) return Promise.reject(unavailable('The service is shutting down'))
      return queue.add(command)
    },
    async awaitCommits(ids) {
      const theirs = [...running].filter(([accounts]) => ids.some(id => accounts.has(id)))
      await Promise.all(theirs.map(([, run]) => run))
    },
    close: () => (closed ??= drain()),
    queued: queue.length,
    finished: () => finished,
  }
}
