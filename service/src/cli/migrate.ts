import { parseArgs } from 'node:util'
import { readConfig } from '../config/config.ts'
import { readOrCreateMasterKey } from '../config/master-key.ts'
import { refuseForeignDatabase } from '../db/database-mark.ts'
import { joinDatabaseServer } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { createLogger } from '../kernel/logger.ts'
import { openVault } from '../kernel/secrets.ts'
import { runCommand } from './run-command.ts'

const USAGE = `Migrates the database to this release, and ends. A start of the service does the same.

  npm run migrate

It reads the configuration as the service does. A database of another mode or master key, or one without
what this release uses, is refused before anything is changed; one that a newer release has only extended
is left as it is. If several migrate, one does it and the others wait.

Exits with 0, or with 1 if the database was not migrated.
`

async function run(): Promise<number> {
  const { help = false } = parseArgs({ options: { help: { type: 'boolean' } } }).values
  if (help) {
    process.stdout.write(USAGE)
    return 0
  }
  const config = readConfig(process.env)
  const logger = createLogger('info', { write: line => process.stdout.write(line) })
  const server = await joinDatabaseServer(config, logger)
  try {
    const vault = openVault(config.masterKey ?? readOrCreateMasterKey(config.dataDir))
    const check = { mode: config.mode, vault }
    const version = await migrate(server.url, { logger, check: db => refuseForeignDatabase(db, check) })
    process.stdout.write(`The database is at version ${version}\n`)
    return 0
  } finally {
    await server.stop()
  }
}

await runCommand(run, 1)
