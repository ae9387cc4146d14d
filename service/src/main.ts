import { createApp } from './app.ts'
import { type Config, readConfig } from './config/config.ts'
import { keptMasterKey } from './config/master-key.ts'
import { startEmbeddedPostgres } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { systemClock } from './kernel/clock.ts'
import { createLogger, type Logger } from './kernel/logger.ts'
import { welcome } from './welcome.ts'

/** A database to work on, and how to let go of it. */
interface DatabaseServer {
  readonly url: string
  stop(): Promise<void>
}

async function openDatabaseServer(config: Config, logger: Logger): Promise<DatabaseServer> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl, stop: async () => undefined }
  return startEmbeddedPostgres({ dataDir: config.dataDir, logger })
}

async function start(config: Config, logger: Logger): Promise<() => Promise<void>> {
  const server = await openDatabaseServer(config, logger)
  try {
    await migrate(server.url, { logger })
    const masterKey = config.masterKey ?? keptMasterKey(config.dataDir)
    const app = await createApp(config, { databaseUrl: server.url, masterKey, clock: systemClock(), logger })
    const { port } = await app.listen()
    process.stdout.write(welcome(config, port))
    return async () => {
      await app.close()
      await server.stop()
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Ctrl-C under npm arrives twice at once: from the terminal, and passed on by npm. */
const ONE_SIGNAL_MS = 500

/** Two signals: the first finishes what was accepted, a second does not wait. */
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

function fail(error: unknown): never {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  const reason = error instanceof Error ? error.message : String(error)
  const message = taken ? `${reason}. Stop what listens there, or choose another PORT` : reason
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

try {
  const config = readConfig(process.env)
  const logger = createLogger(config.logLevel)
  const running = start(config, logger)
  // Listening from the first moment on: a start that is cut off must not leave its database behind.
  stopOnSignal(async () => (await running)(), logger)
  await running
} catch (error) {
  fail(error)
}
