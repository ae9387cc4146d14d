import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { backoffMs } from '../kernel/clock.ts'
import { SHARED_FOLDER } from './embedded/binaries.ts'
import { type Cluster, DATABASE_USER, prepareCluster } from './embedded/cluster.ts'
import { makeDataDir } from './embedded/data-dir.ts'
import { runningServer, stopOrphan } from './embedded/postmaster-file.ts'
import { type Server, startServer } from './embedded/server.ts'
import { type ServerOptions, SOCKET_PORT } from './embedded/settings.ts'
import type { Logger } from './logger.ts'

export interface EmbeddedPostgres {
  /** The address of the service's database, password included: not for the log. */
  readonly url: string
  pid(): number | undefined
  /** Stops the server cleanly and frees the data folder; may be called twice. */
  stop(): Promise<void>
}

export interface EmbeddedOptions extends ServerOptions {
  /** Created when it is missing. */
  readonly dataDir: string
  readonly logger: Logger
  readonly onDown?: () => void
  readonly onUp?: () => void
  /** Called when the data folder of the running server was deleted; the server is stopped and not restarted. */
  readonly onGone?: (dataFolder: string) => void
  /** The folder for files that an unprivileged PostgreSQL could not reach in their usual place. */
  readonly sharedFolder?: string
}

const DATABASE_NAME = 'batua'
/** A folder in the data folder, or a link where PostgreSQL runs as a user who may not enter it. */
const CLUSTER_FOLDER = 'postgres'
const RESTART_DELAY = { firstMs: 50, longestMs: 3_000 }
const PATIENCE_MS = 5_000
const FAST_STOP_PATIENCE_MS = 30_000
const FOLDER_CHECK_MS = 1_000

/** Runs an embedded PostgreSQL under `${dataDir}/postgres`, and restarts it when it dies. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  makeDataDir(options.dataDir)
  const dataDir = realpathSync(options.dataDir)
  const lock = lockFolder(dataDir)
  try {
    const cluster = await prepareCluster(dataDir, options.sharedFolder ?? SHARED_FOLDER, options.logger)
    await stopOrphan(cluster.dataFolder, options.logger)
    const supervisor = await supervise(cluster, options)
    let stopped: Promise<void> | undefined
    const stop = async () => {
      await supervisor.stop()
      removeSocketFolder(cluster)
      lock.release()
    }
    return {
      url: databaseUrl(cluster, DATABASE_NAME),
      pid: supervisor.pid,
      stop: () => (stopped ??= stop()),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * The address of the database that a running service has on this data folder, for a second process; null when no server
 * runs there.
 */
export function findRunningPostgres(dataDir: string): string | null {
  const running = runningServer(join(dataDir, CLUSTER_FOLDER))
  if (running === null) return null
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim()
  return databaseUrl({ password, socketFolder: running.socketFolder }, DATABASE_NAME)
}

/** Whether a service has ever made its database in this data folder. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, CLUSTER_FOLDER))
}

async function supervise(cluster: Cluster, options: EmbeddedOptions) {
  const { logger } = options
  const stopping = new AbortController()
  const versionFile = join(options.dataDir, CLUSTER_FOLDER, 'PG_VERSION')
  let server = startServer(cluster, options)
  // If this process ends without `stop`, the server still gets the signal to stop.
  const signalServer = () => server.signal('SIGINT')
  process.once('exit', signalServer)
  try {
    await whenReady(server, logger)
    await ensureDatabase(cluster)
  } catch (error) {
    process.off('exit', signalServer)
    await stopServer(server)
    throw error
  }

  const folderCheck = setInterval(() => {
    if (!existsSync(versionFile)) abandon()
  }, FOLDER_CHECK_MS)
  const watching = watch()
  return {
    pid: () => server.pid,
    async stop() {
      clearInterval(folderCheck)
      stopping.abort()
      process.off('exit', signalServer)
      await stopServer(server)
      await watching
    },
  }

  /**
   * A server whose files were deleted still serves from memory for a while. It must be stopped, because money would be
   * lost.
   */
  function abandon(): void {
    clearInterval(folderCheck)
    stopping.abort()
    server.signal('SIGQUIT')
    options.onGone?.(dirname(versionFile))
  }

  async function watch(): Promise<void> {
    for (;;) {
      const how = await server.ended
      if (stopping.signal.aborted) return
      logger.error({ how, lastLines: server.lastLines() }, 'embedded PostgreSQL exited; restarting it')
      options.onDown?.()
      if (!(await restart())) return
      logger.info({ pid: server.pid }, 'embedded PostgreSQL restarted')
      options.onUp?.()
    }
  }

  async function restart(): Promise<boolean> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      try {
        server = startServer(cluster, options)
        await whenReady(server, logger)
        return true
      } catch (error) {
        if (stopping.signal.aborted) break
        logger.error({ err: error, failures }, 'embedded PostgreSQL failed to start; trying again')
        const { signal } = stopping
        await delay(backoffMs(failures, RESTART_DELAY), undefined, { signal }).catch(() => undefined)
      }
    }
    return false
  }
}

// Recovery after a crash can take minutes; the log line shows that the start does not hang.
async function whenReady(server: Server, logger: Logger): Promise<void> {
  const slow = setInterval(
    () => logger.info({ pid: server.pid }, 'embedded PostgreSQL is recovering from a crash'),
    PATIENCE_MS,
  )
  try {
    await server.ready
  } finally {
    clearInterval(slow)
  }
}

// A fast stop ends open sessions and writes a checkpoint. If it hangs, an immediate stop still loses nothing: the next
// start recovers from the log.
async function stopServer(server: Server): Promise<void> {
  server.signal('SIGINT')
  const hung = setTimeout(() => server.signal('SIGQUIT'), FAST_STOP_PATIENCE_MS)
  await server.ended
  clearTimeout(hung)
}

function removeSocketFolder(cluster: Cluster): void {
  if (cluster.socketFolder === cluster.dataFolder) return
  rmSync(cluster.socketFolder, { recursive: true, force: true })
}

async function ensureDatabase(cluster: Cluster): Promise<void> {
  const client = new Client({ connectionString: databaseUrl(cluster, 'postgres') })
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE_NAME])
    if (found.rowCount === 0) await client.query(`create database ${DATABASE_NAME}`)
  } finally {
    await client.end()
  }
}

function databaseUrl(cluster: Pick<Cluster, 'password' | 'socketFolder'>, database: string): string {
  const host = encodeURIComponent(cluster.socketFolder)
  return `postgresql://${DATABASE_USER}:${cluster.password}@${host}:${SOCKET_PORT}/${database}`
}

/**
 * Locks the data folder for this process. Node has no file locks, but its SQLite does. The
 * kernel frees such a lock when the process ends in any way, so it is never stale and no process id is checked.
 */
export function lockFolder(folder: string): { release(): void } {
  const lock = openLock(folder)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    const message = `Another service is running on the data folder ${folder}; stop it, or set another DATA_DIR.`
    throw new Error(message, { cause: error })
  }
  return { release: () => lock.close() }
}

function openLock(folder: string): DatabaseSync {
  try {
    return new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  } catch (error) {
    throw new Error(`The data folder ${folder} cannot be written to.`, { cause: error })
  }
}

/** A database and how to close it. */
export interface DatabaseServer {
  readonly url: string
  stop(): Promise<void>
}

/** For commands: uses the database of a running service, or starts it when the service does not run. */
export async function joinDatabaseServer(
  { databaseUrl, dataDir }: { readonly databaseUrl: string | null; readonly dataDir: string },
  logger: Logger,
): Promise<DatabaseServer> {
  const running = databaseUrl ?? findRunningPostgres(dataDir)
  if (running !== null) return { url: running, stop: async () => undefined }
  if (!hasDatabase(dataDir)) {
    throw new Error(`There is no database in ${dataDir}; set DATA_DIR or DATABASE_URL as the service has it`)
  }
  return startEmbeddedPostgres({ dataDir, logger })
}
