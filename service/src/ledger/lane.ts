import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, DatabaseUnavailable, isConnectionLost, isRetryable } from '../db/database.ts'
import { AppError, errorOf, type Refusal } from '../kernel/app-error.ts'
import type { Uuid } from '../kernel/ids.ts'
import { lockAccounts, lockBatch, updateBatch } from './accounts.ts'
import { Book, type Need, type Source } from './book.ts'
import { type Entry, type LedgerOptions, unavailable } from './engine.ts'
import { insertBatch, postedIds } from './transfers.ts'

/** One connection that commits batches, one at a time. */
export interface Lane {
  /** Settles every entry of the batch; never rejects. */
  run(batch: readonly Entry[]): Promise<void>
  close(): Promise<void>
}

type LaneOptions = Pick<LedgerOptions, 'database' | 'clock' | 'vault' | 'onBatch' | 'onError'>

/** What a batch came to: the outcome of each entry, to be told only once the commit has answered. */
interface Decided {
  readonly book: Book
  readonly outcomes: readonly Outcome[]
}

type Outcome = { ok: object } | { refused: Refusal } | { failed: unknown }

const NO_FACTS: ReadonlyMap<string, unknown> = new Map()

/**
 * Every statement here looks rows up by key. A plan made while a table was small would scan it, and a
 * prepared plan is kept while the table grows: so scans are ruled out, and planning is done once.
 */
const LANE_SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off;
  set enable_hashjoin = off; set enable_mergejoin = off`

const MAX_ATTEMPTS = 5
const RETRY_DELAY_MS = 5
const LOOKUP_DEADLINE_MS = 30_000
const LOOKUP_PAUSE_MS = 250

export function createLane(options: LaneOptions): Lane {
  const { database, clock, vault } = options
  let connection: Connection | null = null

  async function connected(): Promise<Connection> {
    if (connection !== null) return connection
    const opened = await database.connect()
    await opened.query(LANE_SETTINGS)
    connection = opened
    opened.onLost(() => {
      if (connection === opened) connection = null
    })
    return opened
  }

  async function read(tx: Connection, batch: readonly Entry[]): Promise<Book> {
    const ids = new Set<Uuid>()
    for (const entry of batch) for (const id of entry.command.accounts) ids.add(id)
    const first = collect(batch.flatMap(entry => entry.command.needs))
    const asked = clock.now().getTime()
    // One round trip. Each statement sees what was committed before the locks were granted, and nobody who
    // takes the same locks can change it until this transaction ends.
    const begun = tx.query('begin')
    const accounts = lockBatch(tx, [...ids].sort())
    const facts = first.map(([source, keys]) => source.load(tx, keys, asked))
    await settled([begun, accounts, ...facts])
    const book = new Book(await accounts, clock.now().getTime())
    for (const [index, [source]] of first.entries()) book.addFacts(source, (await facts[index]) ?? NO_FACTS)
    await readMore(tx, batch, book)
    return book
  }

  async function readMore(tx: Connection, batch: readonly Entry[], book: Book): Promise<void> {
    const needs = collect(batch.flatMap(entry => entry.command.moreNeeds?.(book) ?? []))
    if (needs.length === 0) return
    const facts = needs.map(([source, keys]) => source.load(tx, keys, book.nowMs))
    await settled(facts)
    for (const [index, [source]] of needs.entries()) book.addFacts(source, (await facts[index]) ?? NO_FACTS)
  }

  async function write(tx: Connection, book: Book): Promise<void> {
    const changed = book.changedAccounts()
    const statements: Promise<unknown>[] = []
    if (changed.length > 0) statements.push(updateBatch(tx, changed))
    if (book.transfers.length > 0) statements.push(insertBatch(tx, vault, book.transfers))
    for (const [sink, rows] of book.writes()) statements.push(sink.write(tx, rows))
    statements.push(tx.query('commit'))
    await settled(statements)
  }

  /** Reads, decides, writes and commits a batch; the error of a failed commit says whether it was on its way. */
  async function commit(batch: readonly Entry[]): Promise<Decided> {
    const tx = await connected()
    let decided: Decided | null = null
    try {
      const book = await read(tx, batch)
      decided = decideAll(batch, book)
      await write(tx, book)
      return decided
    } catch (error) {
      if (!isConnectionLost(error)) {
        await tx.query('rollback').catch(() => tx.destroy())
        throw error
      }
      tx.destroy()
      connection = null
      if (decided !== null && (await wasCommitted(batch, decided.book))) return decided
      throw decided === null ? error : new LostCommit()
    }
  }

  /**
   * After a lost answer: waits for the locks, which the old transaction holds until it has ended one way or
   * the other, and then looks whether its transfers are there. All of a batch is, or nothing.
   */
  async function wasCommitted(batch: readonly Entry[], book: Book): Promise<boolean> {
    const [first] = book.transfers
    // Without a transfer there is nothing to look up. Such commands find what they did when decided again.
    if (first === undefined) return false
    const accounts = [...new Set(batch.flatMap(entry => entry.command.accounts))]
    for (let waitedMs = 0; waitedMs < LOOKUP_DEADLINE_MS; waitedMs += LOOKUP_PAUSE_MS) {
      try {
        return await database.inTransaction(async tx => {
          await lockAccounts(tx, accounts)
          return (await postedIds(tx, [first.id])).size === 1
        })
      } catch (error) {
        if (!isConnectionLost(error)) throw error
        await delay(LOOKUP_PAUSE_MS)
      }
    }
    throw outcomeUnknown()
  }

  async function attempt(batch: readonly Entry[]): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      try {
        settle(batch, await commit(batch))
        return
      } catch (error) {
        if (attempts < MAX_ATTEMPTS && (isRetryable(error) || error instanceof LostCommit)) {
          await delay(RETRY_DELAY_MS * attempts)
        } else if (isolates(error) && batch.length > 1) {
          // One of them breaks the transaction: alone, each gets its own answer.
          options.onError?.(error)
          for (const entry of batch) await attempt([entry])
          return
        } else {
          for (const entry of batch) entry.reject(outward(error))
          return
        }
      }
    }
  }

  return {
    async run(batch) {
      const started = performance.now()
      await attempt(batch)
      options.onBatch?.(batch.length, (performance.now() - started) / 1000)
    },
    async close() {
      await connection?.release()
      connection = null
    },
  }
}

/** The commit was sent, its answer was lost, and the look-up showed that it did not happen. */
class LostCommit extends Error {}

function isolates(error: unknown): boolean {
  return !(isConnectionLost(error) || error instanceof LostCommit || error instanceof AppError)
}

function outward(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || isConnectionLost(error) || error instanceof LostCommit) {
    return unavailable('The database is away')
  }
  return error
}

function outcomeUnknown(): AppError {
  return new AppError(
    'service_unavailable',
    'The database went away before it answered, so it is not known whether this was done. ' +
      'Look it up by its idempotency key or reference before you try again',
    { details: { outcome: 'unknown' }, headers: { 'retry-after': '10' } },
  )
}

function decideAll(batch: readonly Entry[], book: Book): Decided {
  return { book, outcomes: batch.map(entry => decideOne(entry, book)) }
}

function decideOne({ command }: Entry, book: Book): Outcome {
  const before = book.transfers.length
  try {
    const decision = command.decide(book)
    if (!isRefusal(decision)) return { ok: decision }
    if (book.transfers.length !== before) throw new Error('assertion failed: a refused command posts nothing')
    return { refused: decision }
  } catch (error) {
    // Thrown before anything was posted it concerns this command alone; afterwards the batch is spoilt.
    if (book.transfers.length !== before) throw error
    return { failed: error }
  }
}

function isRefusal(decision: object): decision is Refusal {
  return 'kind' in decision && decision.kind === 'refusal'
}

function settle(batch: readonly Entry[], { outcomes }: Decided): void {
  batch.forEach((entry, index) => {
    const outcome = outcomes[index]
    if (outcome === undefined) entry.reject(new Error('assertion failed: every command has an outcome'))
    else if ('ok' in outcome) entry.resolve(outcome.ok)
    else entry.reject('refused' in outcome ? errorOf(outcome.refused) : outcome.failed)
  })
}

/** Needs by source, each key once. */
function collect(needs: readonly Need[]): [Source<unknown>, string[]][] {
  const bySource = new Map<Source<unknown>, Set<string>>()
  for (const { source, key } of needs) {
    const keys = bySource.get(source)
    if (keys === undefined) bySource.set(source, new Set([key]))
    else keys.add(key)
  }
  return [...bySource].map(([source, keys]) => [source, [...keys]])
}

/** Waits for all, because statements after a failed one are still on the wire; then throws the first error. */
async function settled(promises: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(promises)
  await Promise.all(promises)
}
