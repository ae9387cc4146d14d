import { parseArgs } from 'node:util'
import { type Config, readConfig } from './config/config.ts'
import { keptMasterKey } from './config/master-key.ts'
import { type Database, openDatabase } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { joinDatabaseServer } from './join-database-server.ts'
import { systemClock } from './kernel/clock.ts'
import { createLogger } from './kernel/logger.ts'
import { openVault } from './kernel/secrets.ts'
import { openSigningKeys, rotateSigningKey } from './modules/keys/index.ts'
import { followSandboxClock } from './modules/sandbox/index.ts'

const USAGE = `Makes a new key that the service signs with, beside a service that is running or without it.

  npm run rotate-signing-key

The keys before it stay published, and what they signed stays good. Ends with 0, or with 2 when it broke.
`

async function rotate(config: Config): Promise<string> {
  const logger = createLogger('error', { write: line => process.stderr.write(line) })
  const server = await joinDatabaseServer(config, logger)
  try {
    await migrate(server.url)
    const options = { maxConnections: 2, applicationName: 'batua rotate-signing-key' }
    const database = openDatabase(server.url, options)
    try {
      return await rotateIn(config, database)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
  }
}

async function rotateIn(config: Config, database: Database): Promise<string> {
  const clock = systemClock()
  if (config.mode === 'sandbox') await followSandboxClock(database, clock)
  const vault = openVault(config.masterKey ?? keptMasterKey(config.dataDir))
  // Opens the keys that there are: one sealed with another master key would stop every node that reads it.
  await openSigningKeys({ database, clock, vault })
  const { id, publicKey, activeFrom } = await rotateSigningKey({ database, vault }, clock.now())
  return `${id} signs from ${activeFrom.toISOString()} on; its public key is ${publicKey}\n`
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  process.stdout.write(values.help ? USAGE : await rotate(readConfig(process.env)))
}

// A database that was started here is told to stop when this process ends in whatever way.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(2))

try {
  await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
