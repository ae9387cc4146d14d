import { type Config, readConfig } from '../config/config.ts'
import { readOrCreateMasterKey } from '../config/master-key.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { refuseForeignDatabase } from '../db/database-mark.ts'
import { joinDatabaseServer } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { followSandboxClock } from '../domains/sandbox/index.ts'
import {
  type MadeKey,
  openSigningKeys,
  revokeSigningKey,
  rotateSigningKey,
} from '../domains/signing/index.ts'
import { systemClock } from '../kernel/clock.ts'
import { createLogger } from '../kernel/logger.ts'
import { openVault, type Vault } from '../kernel/secrets.ts'
import { type RotateOptions, readRotateOptions, USAGE } from './rotate-options.ts'
import { runCommand } from './run-command.ts'

type Change = Exclude<RotateOptions, { kind: 'help' }>

async function change(config: Config, options: Change): Promise<string> {
  const logger = createLogger('error', { write: line => process.stderr.write(line) })
  const server = await joinDatabaseServer(config, logger)
  try {
    const vault = openVault(config.masterKey ?? readOrCreateMasterKey(config.dataDir))
    await migrate(server.url, { check: db => refuseForeignDatabase(db, { mode: config.mode, vault }) })
    const connecting = { maxConnections: 2, applicationName: 'batua rotate-signing-key' }
    const database = openDatabase(server.url, connecting)
    try {
      return await changeIn({ mode: config.mode, database, vault }, options)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
  }
}

interface Opened extends Pick<Config, 'mode'> {
  readonly database: Database
  readonly vault: Vault
}

async function changeIn({ mode, database, vault }: Opened, options: Change): Promise<string> {
  const clock = systemClock()
  if (mode === 'sandbox') await followSandboxClock(database, clock)
  // Decrypts the existing keys first: a key encrypted with another master key would stop every node that reads it.
  await openSigningKeys({ database, clock, vault })
  const now = clock.now()
  if (options.kind === 'rotate') return takesOver(await rotateSigningKey({ database, vault }, now))
  const revocation = { keyId: options.keyId, revokedAt: options.at ?? now }
  const made = await revokeSigningKey({ database, vault }, now, revocation)
  const revoked = `${revocation.keyId} is revoked since ${revocation.revokedAt.toISOString()}\n`
  return made === null ? revoked : revoked + takesOver(made)
}

function takesOver({ id, publicKey, activeFrom }: MadeKey): string {
  return `${id} signs from ${activeFrom.toISOString()} on; its public key is ${publicKey}\n`
}

async function run(): Promise<number> {
  const options = readRotateOptions(process.argv.slice(2))
  process.stdout.write(options.kind === 'help' ? USAGE : await change(readConfig(process.env), options))
  return 0
}

await runCommand(run, 2)
