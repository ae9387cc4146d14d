import { isDeepStrictEqual } from 'node:util'
import type { App, createApp } from './app.ts'
import { type Config, readConfig } from './config/config.ts'
import { ConfigError } from './config/env-reader.ts'
import { readOrCreateMasterKey } from './config/master-key.ts'
import { refuseForeignDatabase } from './db/database-mark.ts'
import { makeDataDir } from './db/embedded/data-dir.ts'
import { hasDatabase, startEmbeddedPostgres } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { systemClock } from './kernel/clock.ts'
import { createLogger, type Logger } from './kernel/logger.ts'
import { returnMemoryWhenQuiet } from './kernel/return-memory.ts'
import { openVault } from './kernel/secrets.ts'
import { portProblem } from './kernel/system-errors.ts'

/** The database and how to close it. */
interface DatabaseServer {
  readonly url: string
  stop(): Promise<void>
}

async function openDatabaseServer(
  { databaseUrl, dataDir, workers }: Config,
  logger: Logger,
): Promise<DatabaseServer> {
  if (databaseUrl !== null) return { url: databaseUrl, stop: async () => undefined }
  makeDataDir(dataDir)
  const isFirst = !hasDatabase(dataDir)
  say(
    isFirst
      ? `Making a database in ${dataDir}. This takes up to half a minute, once`
      : 'Starting the database',
  )
  const onGone = (folder: string) =>
    fail(
      new Error(
        `${folder} was deleted while the service ran. Start the service again to begin with an empty one`,
      ),
    )
  return startEmbeddedPostgres({ dataDir, logger, onGone, processes: workers })
}

/** The service, in this process or in several. */
interface Running extends Pick<App, 'reload' | 'close'> {
  readonly port: number
}

async function start(config: Config, logger: Logger): Promise<Pick<App, 'reload' | 'close'>> {
  await requireFreePorts(config)
  // The modules are loaded while the database starts.
  const serving: Promise<Serve> =
    config.workers === 1
      ? import('./app.ts').then(app => serveAlone(app.createApp))
      : import('./workers/primary.ts').then(({ startWorkers }) => startWorkers)
  const server = await openDatabaseServer(config, logger)
  try {
    const masterKey = config.masterKey ?? readOrCreateMasterKey(config.dataDir)
    const opening = { mode: config.mode, vault: openVault(masterKey) }
    // Loading them stops everything else for seconds on a busy machine, in which a host of the database would seem away.
    const serve = await serving
    await migrate(server.url, { logger, check: db => refuseForeignDatabase(db, opening) })
    const { port, reload, close } = await serve(config, {
      databaseUrl: server.url,
      masterKey,
      logger,
    })
    process.stdout.write(welcome(config, port))
    returnMemoryWhenQuiet()
    return {
      reload,
      async close() {
        await close()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

interface ServeOptions {
  readonly databaseUrl: string
  readonly masterKey: Buffer
  readonly logger: Logger
}

type Serve = (config: Config, options: ServeOptions) => Promise<Running>

function serveAlone(create: typeof createApp): Serve {
  return async (config, options) => {
    const app = await create(config, { ...options, clock: systemClock() })
    const { port } = await listen(app)
    return { port, reload: app.reload, close: app.close }
  }
}

/** Checks the ports before a database is created or started, because a port in use is the most likely mistake. */
async function requireFreePorts({ host, port, metricsPort }: Config): Promise<void> {
  await requireFreePort('PORT', host, port)
  if (metricsPort !== null) await requireFreePort('METRICS_PORT', host, metricsPort)
}

async function requireFreePort(variable: string, host: string, port: number): Promise<void> {
  const code = await portProblem(host, port)
  if (code === null) return
  const problem = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`
  throw new Error(`${variable}: ${host}:${port} ${problem}. Choose another ${variable}, or free it`)
}

/** If another process has taken the port meanwhile, the app closes its connections before the database stops. */
async function listen(app: App): ReturnType<App['listen']> {
  try {
    return await app.listen()
  } catch (error) {
    await app.close()
    throw error
  }
}

function say(text: string): void {
  process.stdout.write(`  ${text} …\n`)
}

/** The address that the demo uses by default. */
const DEMO_ADDRESS = 'http://localhost:8080'

/** The text that the first start prints: the addresses and the first steps. */
function welcome(config: Config, port: number): string {
  const local = config.baseUrl.endsWith(`:${config.port}`)
    ? config.baseUrl.replace(/:\d+$/, `:${port}`)
    : config.baseUrl
  const lines = [
    '',
    `  Batua is ready (${config.mode} mode)`,
    '',
    `    Console ${local}/console`,
    `    API     ${local}/v1`,
    `    Docs    ${local}/docs`,
    `    Health  ${local}/readyz`,
    '',
    ...(isOpenToOthers(config)
      ? [`  From other devices it opens at this machine's address: set BASE_URL=http://ADDRESS:${port}`, '']
      : []),
    ...(config.mode === 'sandbox'
      ? [`  Try it: ${local === DEMO_ADDRESS ? '' : `BASE_URL=${local} `}npm run demo`, '']
      : []),
    '',
  ]
  return lines.join('\n')
}

/** Whether it listens for other machines although no address is configured that they could open. */
function isOpenToOthers({ host, baseUrl }: Config): boolean {
  return ['0.0.0.0', '::'].includes(host) && new URL(baseUrl).hostname === 'localhost'
}

/** Under npm, Ctrl-C arrives twice at once: from the terminal and from npm. */
const ONE_SIGNAL_MS = 500

/** The first signal finishes accepted requests; a second one exits at once. */
function stopOnSignal(stop: () => Promise<void>, logger: Logger): void {
  let stopping = false
  let impatient = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (impatient) process.exit(1)
    if (stopping) return
    stopping = true
    setTimeout(() => {
      impatient = true
    }, ONE_SIGNAL_MS).unref()
    logger.info({ signal }, 'stopping')
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/**
 * SIGHUP reads the configuration again: rate limits and the log level take effect, other changes are named. A wrong one
 * changes nothing. Without a file nothing can have changed, and the signal ends the process, as at the end of a
 * terminal.
 */
function reloadOnSignal(config: Config, logger: Logger, app: Pick<App, 'reload'>): void {
  if (process.env['CONFIG_FILE'] === undefined) return
  process.on('SIGHUP', () => {
    try {
      const next = readConfig(process.env)
      app.reload(next)
      const running: Config = { ...config, logLevel: next.logLevel }
      const waiting = (Object.keys(next) as (keyof Config)[]).filter(
        name => !isDeepStrictEqual(next[name], running[name]),
      )
      if (waiting.length > 0) logger.warn({ changes: waiting }, 'changes that take effect after a restart')
      logger.warn({ rate_limits: next.rateLimits, log_level: next.logLevel }, 'configuration read again')
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [String(error)]
      logger.error({ problems }, 'configuration not read again; nothing has changed')
    }
  })
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

try {
  const config = readConfig(process.env)
  const logger = createLogger(config.logLevel)
  const running = start(config, logger)
  // Listen for signals from the beginning: an interrupted start must not leave its database running.
  stopOnSignal(async () => (await running).close(), logger)
  reloadOnSignal(config, logger, await running)
} catch (error) {
  fail(error)
}
