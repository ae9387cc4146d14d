import { monotonicSeconds } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import { openAccountProofs } from './account-proof.ts'
import { type Command, type Entry, Prerequisite, type Services } from './command.ts'
import { type Committer, type CommitterOptions, createCommitter, outward } from './committer.ts'
import { type OptimisticMode, openOptimism } from './optimistic.ts'
import { DEFAULT_MAX_WAIT_SECONDS, openQueue, type Queue, type QueueOptions } from './queue.ts'
import { outcomeUnknown, unavailable } from './unavailable.ts'

export interface Ledger {
  /**
   * Resolves after the commit with the value that `decide` returned. Rejects with the refusal as an AppError, with
   * `service_unavailable` when nothing was done, or with `details.outcome: unknown` when the commit may have happened.
   */
  submit<Result extends object>(command: Command<Result>): Promise<Result>
  /**
   * Resolves when every commit in progress on these accounts has ended and its callers have their results. A caller that
   * stops an agent waits for it, so that this node reports no payment of the agent after it reported the stop.
   */
  awaitCommits(accounts: readonly Uuid[]): Promise<void>
  /** Refuses new commands, finishes the accepted ones, then closes the connections. */
  close(): Promise<void>
  readonly queued: () => number
  /** The number of commands that ended since the ledger was opened, refused ones included. */
  readonly finished: () => number
}

export interface LedgerOptions extends CommitterOptions, QueueOptions {
  /** The number of connections that commit batches in parallel. */
  readonly committers?: number
  /** The maximum number of commands in one commit. */
  readonly maxBatch?: number
  /** The number of accounts whose state this node remembers; at most twice as many. */
  readonly rememberedAccounts?: number
  /** Whether batches are decided before they are read; `always` and `never` are for tests. */
  readonly optimism?: OptimisticMode
}

const DEFAULT_COMMITTERS = 2
const DEFAULT_MAX_BATCH = 256
const MAX_ATTEMPTS = 5

/**
 * The posting engine. A free committer takes the waiting commands into its next commit; there is no timer. When more
 * commands wait than fit into a batch, parties take turns.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const maxBatch = options.maxBatch ?? DEFAULT_MAX_BATCH
  const proofs = openAccountProofs(options.vault, options.rememberedAccounts)
  const optimism = openOptimism(options.optimism ?? 'adaptive')
  const newCommitter = () => createCommitter(options, { proofs, optimism })
  const idle: Committer[] = Array.from({ length: options.committers ?? DEFAULT_COMMITTERS }, newCommitter)
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
    // After this turn of the event loop, so that requests that arrived together go into one commit.
    setImmediate(() => {
      scheduled = false
      dispatch()
    })
  }

  function dispatch(): void {
    const committer = idle.at(-1)
    if (committer === undefined) return
    // An even share for each committer, so that one commits while another decides.
    const share = Math.min(maxBatch, Math.ceil((queue.length() + inFlight) / committers.length))
    const batch = queue.take(locked, { share, maxBatch })
    if (batch.length === 0) return drained()
    idle.pop()
    inFlight += batch.length
    const accounts = new Set(batch.flatMap(entry => entry.command.accounts))
    for (const id of accounts) locked.add(id)
    const reporting = reportLate(batch, options.maxWaitSeconds ?? DEFAULT_MAX_WAIT_SECONDS)
    const run = committer.run(batch).finally(() => {
      clearTimeout(reporting)
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
    submit: submitting(queue, options, () => closed !== null),
    async awaitCommits(ids) {
      const theirs = [...running].filter(([accounts]) => ids.some(id => accounts.has(id)))
      await Promise.all(theirs.map(([, run]) => run))
    },
    close: () => (closed ??= drain()),
    queued: queue.length,
    finished: () => finished,
  }
}

const LEAST_WAIT_SECONDS = 1

/**
 * Rejects the commands of a batch whose commit is not confirmed in time. The committer goes on: it never cancels a
 * commit, because PostgreSQL would then keep it without its standbys.
 */
function reportLate(batch: readonly Entry[], maxWaitSeconds: number): NodeJS.Timeout {
  const waited = monotonicSeconds() - (batch[0]?.addedAt ?? 0)
  const left = Math.max(LEAST_WAIT_SECONDS, maxWaitSeconds - waited)
  return setTimeout(() => {
    for (const entry of batch) entry.reject(outcomeUnknown())
  }, left * 1000)
}

/** A decision may need something written first, and once more if another change comes in between. */
function submitting(queue: Queue, services: Services, isClosed: () => boolean): Ledger['submit'] {
  function submit<Result extends object>(command: Command<Result>, attempts: number): Promise<Result> {
    if (isClosed()) return Promise.reject(unavailable('The service is shutting down'))
    return queue.add(command).catch(async (error: unknown) => {
      if (!(error instanceof Prerequisite)) throw error
      if (attempts === MAX_ATTEMPTS) throw unavailable('The agent of this payment is being changed')
      await error.write(services).catch((failure: unknown) => {
        throw outward(failure)
      })
      return submit(command, attempts + 1)
    })
  }
  return command => submit(command, 1)
}
