import { backoffMs } from '../kernel/clock.ts'
import {
  DatabaseBusy,
  DatabaseUnavailable,
  databaseUnavailable,
  isConnectionLost,
  isRetryable,
  isTimeout,
} from './errors.ts'
import { type FairPool, openFairPools } from './fair-pools.ts'
import { type Gathered, openGathered } from './gathered.ts'
import { openHosts } from './hosts.ts'
import { type LockedRows, type LockedRowsOfTransactions, openLockedRows } from './locked-rows.ts'
import { openTurns } from './turns.ts'
import { encodeParameter, WIRE_TYPES } from './wire-types.ts'
import { currentOrigin } from './work-origin.ts'

export {
  DatabaseBusy,
  DatabaseUnavailable,
  haveFactsChanged,
  isConnectionLost,
  isRetryable,
  violatedUnique,
} from './errors.ts'
export { asService, currentOrigin, onBehalfOf, type Purpose, type WorkOrigin } from './work-origin.ts'

import { setTimeout as delay } from 'node:timers/promises'
import type { Client, ClientConfig, PoolClient, QueryResult } from 'pg'

export type Row = Record<string, unknown>

export interface Queryable {
  /**
   * Runs one statement. With `values` (also an empty array) the statement is prepared once for each connection and named
   * by its text, so the text must be static. Without `values` the text is sent as it is and may hold several statements.
   * Statements issued without awaiting the earlier ones share a round trip and run in the order they were issued.
   */
  query<R extends object = Row>(
    text: string,
    values?: readonly unknown[],
    options?: { name?: string },
  ): Promise<R[]>
  /** Shares statements with other requests; absent in a transaction. Call it by `rowOf` of gathered.ts. */
  readonly gathered?: Gathered
}

/** A dedicated connection, outside the pool. Its owner ends it. */
export interface Connection extends Queryable {
  /** Ends the connection after all statements issued before have their results. */
  release(): Promise<void>
  /** Closes the connection at once; statements without a result fail with DatabaseUnavailable. */
  destroy(): void
  /** Calls the listener once, also when the connection was lost before; never after release or destroy. */
  onLost(listener: (error: Error) => void): void
}

/** How a transaction begins. */
export interface TransactionOptions {
  /**
   * The rows that this transaction will lock. Transactions of this process that name the same row run one after the other
   * and take no connection before their turn. Callers take turns; stops and administrators come first.
   */
  readonly turns?: readonly string[]
}

/**
 * A pool of connections that callers share fairly. See work-origin.ts for the caller and fair-pools.ts for the
 * connections that are reserved.
 */
export interface Database extends Queryable {
  /** Runs the work in one transaction. After 40001 or 40P01 it runs all of it again, up to five times in all. */
  inTransaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Dedicated connections for look-ups of credentials, and of rows by their key, on which nothing waits for locks. */
  readonly lookUps: Queryable
  /** The rows that its transactions have announced to lock (`announceLocks`). */
  readonly lockedRows: LockedRows
  /** Opens a dedicated connection, which does not count towards `maxConnections`. */
  connect(): Promise<Connection>
  /** Calls the listener after each commit on these connections. */
  onCommit(listener: () => void): void
  /** Whether the database responds within two seconds. */
  ready(): Promise<boolean>
  /** Waits for running statements and ends every connection; may be called twice. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly maxConnections?: number
  /** How many of them jobs may not use. */
  readonly keptForCallers?: number
  readonly applicationName?: string
  /** Called when an idle connection broke. */
  readonly onError?: (error: Error) => void
  /** Called when another of several hosts has become the primary. */
  readonly onChange?: (host: string) => void
}

const MAX_ATTEMPTS = 5
const RETRY_DELAY = { firstMs: 4, longestMs: 64 }
const CONNECT_TIMEOUT_MS = 5_000
const SHARED_CONNECTIONS = 10
const READY_TIMEOUT_MS = 2_000
const STATEMENT_TIMEOUT_MS = 60_000
/** Longer than any transaction here. A statement that waits longer fails, and its connection serves others. */
const LOCK_TIMEOUT_MS = 5_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000
/**
 * How long a commit may take; a primary without its standbys does not confirm any. The statement is not cancelled, because
 * PostgreSQL would then commit without them: the connection is closed, and the outcome is not known.
 */
const COMMIT_TIMEOUT_MS = 8_000

export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const config = clientConfig(options.applicationName ?? 'batua')
  const hosts = openHosts(url, options)
  const connections = new Set<Connection>()
  let closed: Promise<void> | undefined
  const pools = openFairPools(
    { ...config, lock_timeout: LOCK_TIMEOUT_MS },
    {
      hosts,
      sharedConnections: options.maxConnections ?? SHARED_CONNECTIONS,
      keptForCallers: options.keptForCallers ?? 0,
      onError(error) {
        // After close, a server that stops may still cut a connection that is ending.
        if (closed === undefined) options.onError?.(error)
      },
    },
  )
  const turns = openTurns()
  const lockedRows = openLockedRows()
  const listeners: (() => void)[] = []
  const committed = () => {
    for (const listener of listeners) listener()
  }

  async function close(): Promise<void> {
    await Promise.all([...connections].map(connection => connection.release()))
    await pools.close()
    hosts.close()
  }
  const queryable = (poolOf: () => FairPool): Queryable => ({
    async query<R extends object>(text: string, values?: readonly unknown[], named?: { name?: string }) {
      return withClient(poolOf(), client => run<R>(client, text, values, named))
    },
  })
  const direct = queryable(() => pools.lookUps)
  const gathered = openGathered(direct)
  return {
    ...queryable(() => pools.of(currentOrigin().purpose)),
    gathered,
    lookUps: { ...direct, gathered },
    inTransaction(work, { turns: keys } = {}) {
      const origin = currentOrigin()
      const all = () =>
        retried(() =>
          withClient(pools.of(origin.purpose), client =>
            transaction(client, { work, lockedRows, committed }),
          ),
        )
      return keys === undefined ? all() : turns.take(keys, origin, all)
    },
    lockedRows,
    async connect() {
      const onEnd = (ended: Connection) => connections.delete(ended)
      const connection = await hosts.connected(() =>
        openConnection(new hosts.Client(config), onEnd, committed),
      )
      connections.add(connection)
      return connection
    },
    onCommit: listener => void listeners.push(listener),
    ready: () => isReady(pools.probe),
    close: () => (closed ??= close()),
  }
}

function clientConfig(applicationName: string): ClientConfig {
  return {
    application_name: applicationName,
    types: WIRE_TYPES,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A node that hangs inside a transaction must not keep its locks.
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // No statement needs its values to be planned, and planning a page of a statement takes longer than reading it.
    options: '-c TimeZone=UTC -c plan_cache_mode=force_generic_plan',
  }
}

async function withClient<T>(pool: FairPool, use: (client: PoolClient) => Promise<T>): Promise<T> {
  const { party } = currentOrigin()
  await pool.enter(party)
  try {
    const client = await pool.connect()
    try {
      const result = await use(client)
      client.release()
      return result
    } catch (error) {
      // Only a broken connection is discarded: after a refused row the next caller reuses it.
      client.release(isConnectionLost(error))
      throw error
    }
  } finally {
    pool.leave(party)
  }
}

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRetryable(error) || tried >= MAX_ATTEMPTS) throw error
      await delay(backoffMs(tried, RETRY_DELAY))
    }
  }
}

interface Transaction<T> {
  readonly work: (tx: Queryable) => Promise<T>
  readonly lockedRows: LockedRowsOfTransactions
  readonly committed: () => void
}

async function transaction<T>(
  client: PoolClient,
  { work, lockedRows, committed }: Transaction<T>,
): Promise<T> {
  let open = true
  const tx: Queryable = {
    async query<R extends object>(text: string, values?: readonly unknown[], named?: { name?: string }) {
      // Another request may use the connection now.
      if (!open) throw new Error('The transaction is over, yet a query was sent to it; an await is missing')
      return run<R>(client, text, values, named)
    },
  }
  return lockedRows.during(tx, async () => {
    await run(client, 'begin')
    let result: T
    try {
      result = await work(tx)
    } catch (error) {
      open = false
      await run(client, 'rollback')
      throw error
    }
    open = false
    await run(client, 'commit')
    committed()
    return result
  })
}

async function openConnection(
  client: Client,
  onEnd: (ended: Connection) => void,
  committed: () => void,
): Promise<Connection> {
  const listeners: ((error: Error) => void)[] = []
  let lost: Error | undefined
  let given = true

  const lose = (error: Error) => {
    if (!given || lost !== undefined) return
    lost = error
    onEnd(connection)
    for (const listener of listeners) listener(error)
  }
  let gathering = false
  // Statements issued in one turn of the event loop are sent in one packet.
  const gather = () => {
    if (gathering) return
    gathering = true
    client.connection.stream.cork()
    process.nextTick(() => {
      gathering = false
      client.connection.stream.uncork()
    })
  }
  const connection: Connection = {
    async query<R extends object>(text: string, values?: readonly unknown[], named?: { name?: string }) {
      gather()
      const rows = await run<R>(client, text, values, named)
      if (text === 'commit') committed()
      return rows
    },
    async release() {
      given = false
      onEnd(connection)
      await client.end()
    },
    destroy() {
      given = false
      onEnd(connection)
      client.connection.stream.destroy()
    },
    onLost(listener) {
      listeners.push(listener)
      if (lost !== undefined) listener(lost)
    },
  }
  // Before it connects, because an error event without a listener would end the process.
  client.on('error', error => lose(databaseUnavailable(error)))
  client.on('end', () => lose(new DatabaseUnavailable('The database closed the connection')))
  await client.connect()
  return connection
}

// The order on the wire is the order of these calls, so nothing may be awaited before client.query.
async function run<R extends object = Row>(
  client: Client,
  text: string,
  values?: readonly unknown[],
  options?: { name?: string },
): Promise<R[]> {
  try {
    const sent: Promise<QueryResult | QueryResult[]> = client.query(statement(text, values, options?.name))
    const response = await (text === 'commit' ? confirmed(sent) : sent)
    const result = Array.isArray(response) ? response.at(-1) : response
    // After a failed statement the server responds to COMMIT with ROLLBACK, and without an error.
    if (text === 'commit' && result?.command !== 'COMMIT')
      throw new Error('The transaction had failed; nothing was committed')
    return (result?.rows ?? []) as R[]
  } catch (error) {
    if (isTimeout(error)) {
      throw new DatabaseBusy('The database took too long over a lock or a statement', { cause: error })
    }
    if (!isConnectionLost(error)) throw error
    if (text !== 'commit') throw databaseUnavailable(error)
    throw new DatabaseUnavailable('The database did not confirm the commit', {
      cause: error,
      commitSent: true,
    })
  }
}

async function confirmed<T>(commit: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailable('It took too long')), COMMIT_TIMEOUT_MS)
  })
  try {
    return await Promise.race([commit, late])
  } finally {
    clearTimeout(timer)
    commit.catch(() => {})
  }
}

// Bounded, in case texts are built at run time: statements beyond this are parsed each time.
const MAX_STATEMENT_NAMES = 2_000
const statementNames = new Map<string, string>()

function statement(text: string, values: readonly unknown[] | undefined, name: string | undefined) {
  if (values === undefined) return { text }
  const prepared = name ?? statementName(text)
  const encoded = values.map(encodeParameter)
  return prepared === undefined ? { text, values: encoded } : { text, values: encoded, name: prepared }
}

function statementName(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known !== undefined || statementNames.size >= MAX_STATEMENT_NAMES) return known
  const name = `s${statementNames.size}`
  statementNames.set(text, name)
  return name
}

async function isReady(pool: FairPool): Promise<boolean> {
  const tooLate = AbortSignal.timeout(READY_TIMEOUT_MS)
  const responded = withClient(pool, client => run(client, 'select 1')).then(
    () => true,
    () => false,
  )
  const expired = new Promise<boolean>(resolve => tooLate.addEventListener('abort', () => resolve(false)))
  return Promise.race([responded, expired])
}
