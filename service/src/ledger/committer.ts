import { setTimeout as delay } from 'node:timers/promises'
import {
  asService,
  type Connection,
  type Database,
  haveFactsChanged,
  isConnectionLost,
  isRetryable,
} from '../db/database.ts'
import { type Clock, monotonicSeconds } from '../kernel/clock.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { Span } from '../kernel/tracing.ts'
import type { AccountProofs } from './account-proof.ts'
import { lockAccounts } from './accounts.ts'
import type { Entry } from './command.ts'
import type { LedgerBatch } from './ledger-batch.ts'
import {
  decideOptimistically,
  type Optimism,
  openServerClock,
  type ServerClock,
  writeOptimistically,
} from './optimistic.ts'
import {
  accountsOf,
  type Decided,
  decideAll,
  readBatch,
  resolveEntries,
  updateAccounts,
  writeBatch,
} from './run-batch.ts'
import { outcomeUnknown, unavailable } from './unavailable.ts'

/** One connection that commits batches, one at a time. */
export interface Committer {
  /** Resolves or rejects every entry of the batch. Never rejects itself. */
  run(commands: readonly Entry[]): Promise<void>
  close(): Promise<void>
}

export interface CommitterOptions {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  /** How long a commit without a response is looked up before its outcome is reported as unknown. */
  readonly lookUpDeadlineSeconds?: number
  readonly onBatch?: (commands: number, seconds: number, how: BatchPath) => void
  readonly onError?: (error: unknown) => void
}

/**
 * How a batch was decided: on what this process saw last, on what it read under the locks, or on the latter after the
 * former had changed.
 */
export type BatchPath = 'optimistic' | 'locked' | 'overtaken'

/** What all committers of a ledger share. */
export interface Shared {
  readonly proofs: AccountProofs
  readonly optimism: Optimism
}

/**
 * Every statement here looks rows up by key, so one generic plan fits all values. Plans that scan, which are cheap only
 * while a table is small, are switched off.
 */
const COMMITTER_SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off;
  set enable_hashjoin = off; set enable_mergejoin = off`

/**
 * While a table has few rows, the planner may choose any index, and a prepared plan is kept while the tables grow. So a
 * connection discards its plans after this many batches, and again each time the number of batches has doubled.
 */
const FIRST_REPLANNING = 4

const MAX_ATTEMPTS = 5
const RETRY_DELAY_MS = 5
const DEFAULT_LOOKUP_DEADLINE_SECONDS = 30
const LOOKUP_PAUSE_MS = 50

/** A committer's connection: opened on first use, and again after it broke. */
interface CommitterConnection {
  take(): Promise<Connection>
  readonly serverClock: ServerClock
  drop(tx: Connection): void
  release(): Promise<void>
}

function openCommitterConnection(database: Database): CommitterConnection {
  let connection: Connection | null = null
  const serverClock = openServerClock()
  let batches = 0
  let replanAt = FIRST_REPLANNING

  async function connect(): Promise<Connection> {
    const opened = await database.connect()
    await opened.query(COMMITTER_SETTINGS)
    connection = opened
    batches = 0
    replanAt = FIRST_REPLANNING
    opened.onLost(() => {
      if (connection === opened) connection = null
    })
    return opened
  }

  return {
    serverClock,
    async take() {
      const taken = connection ?? (await connect())
      if (serverClock.deadline() === null) {
        const [row] = await taken.query<{ at: Date }>('select clock_timestamp() as at')
        if (row !== undefined) serverClock.read(row.at)
      }
      if (++batches >= replanAt) {
        replanAt *= 2
        await taken.query('discard plans')
      }
      return taken
    },
    drop(tx) {
      tx.destroy()
      if (connection === tx) connection = null
    },
    async release() {
      await connection?.release()
      connection = null
    },
  }
}

type Commit = (commands: readonly Entry[], mayBeOptimistic: boolean, span: Span | null) => Promise<Committed>

/**
 * Decides, writes and commits, and reads before it if it must. Returns only when it is certain that the batch was
 * committed.
 */
function committing(
  options: CommitterOptions,
  { proofs, optimism }: Shared,
  connection: CommitterConnection,
): Commit {
  const { vault, clock } = options
  return async (commands, mayBeOptimistic, span) => {
    const tx = await connection.take()
    let decided: Decided | null = null
    let how: BatchPath = 'locked'
    try {
      const deadline = connection.serverClock.deadline()
      const optimistic =
        mayBeOptimistic && deadline !== null && optimism.isDue()
          ? decideOptimistically(commands, proofs, clock.now().getTime())
          : null
      if (optimistic !== null && deadline !== null) {
        decided = optimistic
        const at = await inCommitSpan(span, () =>
          writeOptimistically(tx, optimistic, { vault, deadline }),
        ).catch(orFactsChanged)
        if (at !== FACTS_CHANGED) {
          if (at !== undefined) connection.serverClock.read(at)
          optimism.won()
          return { decided, how: 'optimistic' }
        }
        optimism.lost()
        how = 'overtaken'
        await tx.query('rollback')
        decided = null
      }
      decided = decideAll(commands, await readBatch(tx, commands, { ...options, proofs }))
      const { batch } = decided
      await inCommitSpan(span, () => writeBatch(tx, batch, vault, updateAccounts(tx, batch)))
      return { decided, how }
    } catch (error) {
      if (!isConnectionLost(error)) {
        await tx.query('rollback').catch(() => connection.drop(tx))
        throw error
      }
      connection.drop(tx)
      if (decided === null) throw error
      if (await wasCommitted(options, commands, decided.batch)) return { decided, how }
      throw new LostCommit()
    }
  }
}

export function createCommitter(options: CommitterOptions, shared: Shared): Committer {
  const { proofs } = shared
  const connection = openCommitterConnection(options.database)
  const commit = committing(options, shared, connection)

  /** Returns how the batch was decided, for the metrics. */
  async function attempt(commands: readonly Entry[], span: Span | null): Promise<BatchPath> {
    for (let attempts = 1; ; attempts++) {
      try {
        const { decided, how } = await commit(commands, attempts === 1, span)
        proofs.committed(decided.batch.accounts.values())
        resolveEntries(commands, decided)
        return how
      } catch (error) {
        if (attempts < MAX_ATTEMPTS && isWorthRepeating(error)) {
          await delay(RETRY_DELAY_MS * attempts)
        } else if (commands.length > 1 && isOfOneCommand(error)) {
          // One command breaks the transaction. Each command is run alone, so only the bad one fails.
          options.onError?.(error)
          for (const entry of commands) await attempt([entry], span)
          return 'locked'
        } else {
          for (const entry of commands) entry.reject(outward(error))
          return 'locked'
        }
      }
    }
  }

  return {
    async run(commands) {
      const startedMs = performance.now()
      const span = startBatchSpan(commands)
      const how = await attempt(commands, span)
      span?.end({ 'batua.commands': commands.length, 'batua.decided': how })
      options.onBatch?.(commands.length, (performance.now() - startedMs) / 1000, how)
    },
    close: () => connection.release(),
  }
}

/**
 * The span of a batch. It belongs to the trace of the batch's first request that is traced; the other requests and it
 * name each other by links.
 */
function startBatchSpan(commands: readonly Entry[]): Span | null {
  let span: Span | null = null
  for (const { trace } of commands) {
    if (trace === null) continue
    if (span === null) span = trace.request.child('ledger batch')
    else {
      span.linkTo(trace.request)
      trace.request.linkTo(span)
    }
  }
  return span
}

function inCommitSpan<T>(batch: Span | null, work: () => Promise<T>): Promise<T> {
  if (batch === null) return work()
  const span = batch.child('ledger commit')
  return work().then(
    result => {
      span.end()
      return result
    },
    (error: unknown) => {
      span.end({}, true)
      throw error
    },
  )
}

interface Committed {
  readonly decided: Decided
  readonly how: BatchPath
}

const FACTS_CHANGED = Symbol('the facts have changed')

function orFactsChanged(error: unknown): typeof FACTS_CHANGED {
  if (haveFactsChanged(error)) return FACTS_CHANGED
  throw error
}

/** The commit was sent, its response was lost, and the look-up showed that it was not committed. */
class LostCommit extends Error {}

/** The commit was sent, its response was lost, and the look-up failed. It must not be tried again. */
class OutcomeUnknown extends Error {}

/**
 * After a lost response: waits for the locks, which the old transaction holds until it has ended one way or
 * the other, and then looks whether its first transfer or audit entry of an own id is there. All of a batch is, or nothing.
 */
async function wasCommitted(
  options: CommitterOptions,
  commands: readonly Entry[],
  batch: LedgerBatch,
): Promise<boolean> {
  const wasFound = batch.findCommitted()
  // A batch without transfers and audit entries only makes windows exact, so it may be written again.
  if (wasFound === undefined) return false
  const deadline = monotonicSeconds() + (options.lookUpDeadlineSeconds ?? DEFAULT_LOOKUP_DEADLINE_SECONDS)
  for (;;) {
    try {
      return await asService(() =>
        options.database.inTransaction(async tx => {
          await lockAccounts(tx, accountsOf(commands))
          return wasFound(tx)
        }),
      )
    } catch (error) {
      // Any failure, a lost connection or a lock timeout, leaves the outcome unknown.
      if (monotonicSeconds() >= deadline) throw new OutcomeUnknown('The look-up failed too', { cause: error })
      await delay(LOOKUP_PAUSE_MS)
    }
  }
}

function isWorthRepeating(error: unknown): boolean {
  return isRetryable(error) || error instanceof LostCommit
}

function isOfOneCommand(error: unknown): boolean {
  return !(isConnectionLost(error) || error instanceof LostCommit || error instanceof OutcomeUnknown)
}

/** The error for the caller. */
export function outward(error: unknown): unknown {
  if (error instanceof OutcomeUnknown) return outcomeUnknown()
  if (isConnectionLost(error) || error instanceof LostCommit)
    return unavailable('The database is not available')
  return isRetryable(error) ? unavailable('Too many other payments change the same wallets') : error
}
