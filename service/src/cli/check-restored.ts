import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, readConfig } from '../config/config.ts'
import { readKeptMasterKey } from '../config/master-key.ts'
import { type Database, openDatabase, type Queryable } from '../db/database.ts'
import { refuseForeignDatabase } from '../db/database-mark.ts'
import { joinDatabaseServer } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import {
  checkLogAtOnce,
  countEntries,
  listEntriesBeyond,
  openKeptCheckpoint,
  readLastChange,
} from '../domains/audit/index.ts'
import { CHECKED_TABLES, checkLedgerAtOnce, HOLDINGS } from '../domains/checks/index.ts'
import { findAlteredAgents } from '../domains/parties/index.ts'
import { followSandboxClock } from '../domains/sandbox/index.ts'
import { openSigningKeys } from '../domains/signing/index.ts'
import { systemClock } from '../kernel/clock.ts'
import { createLogger } from '../kernel/logger.ts'
import { openVault } from '../kernel/secrets.ts'
import { readReceived } from './received.ts'
import { type RestoredOptions, readRestoredOptions, USAGE } from './restored-options.ts'
import { isWhole, jsonOf, type RestoredReport, textOf } from './restored-report.ts'
import { runCommand } from './run-command.ts'

/** npm runs scripts in the project's folder and passes the caller's folder in a variable. */
const TYPED_IN = process.env['INIT_CWD'] ?? process.cwd()

async function check(config: Config, options: RestoredOptions): Promise<RestoredReport> {
  const logger = createLogger('error', { write: line => process.stderr.write(line) })
  const server = await joinDatabaseServer(config, logger)
  try {
    const opening = { mode: config.mode, vault: openVault(masterKeyOf(config)) }
    await migrate(server.url, { check: db => refuse(db, opening) })
    const database = openDatabase(server.url, { maxConnections: 2, applicationName: 'batua check-restored' })
    try {
      return await reportOf(config, { database, ...opening, logger }, options)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
  }
}

/** A key that was lost is not made again: with a new one the database would be refused anyway. */
function masterKeyOf({ masterKey, dataDir }: Config): Buffer {
  const key = masterKey ?? readKeptMasterKey(dataDir)
  if (key === null) throw new Error('Set MASTER_KEY to the one that the database was made with')
  return key
}

type Opening = Parameters<typeof refuseForeignDatabase>[1]

async function refuse(db: Queryable, opening: Opening): Promise<void> {
  const [row] = await db.query<{ recovering: boolean }>('select pg_is_in_recovery() as recovering', [])
  if (row?.recovering === true)
    throw new Error(
      'The database is a standby, or is still being restored: end that first (select pg_promote())',
    )
  await refuseForeignDatabase(db, opening)
}

interface Opened extends Opening {
  readonly database: Database
  readonly logger: ReturnType<typeof createLogger>
}

async function reportOf(
  { serviceName }: Config,
  { database, mode, vault, logger }: Opened,
  { checkpoints, received, laterDatabase }: RestoredOptions,
): Promise<RestoredReport> {
  const clock = systemClock()
  if (mode === 'sandbox') await followSandboxClock(database, clock)
  const signingKeys = await openSigningKeys({ database, clock, vault })
  const context = { database, clock, vault, logger, signingKeys, serviceName }
  const tables = { holdings: HOLDINGS, findAlteredAgents, tables: CHECKED_TABLES }
  const report = {
    lastChange: await readLastChange(database),
    entries: await countEntries(database),
    ledger: await checkLedgerAtOnce({ ...context, ...tables }),
    log: await checkLogAtOnce(context),
    checkpoints: await Promise.all(
      checkpoints.map(async path => ({ path, ...(await openKeptCheckpoint(context, noteIn(path))) })),
    ),
    received: [],
    later: null,
  }
  const files = []
  for (const path of received)
    files.push({ path, ...(await readReceived(database, resolve(TYPED_IN, path))) })
  const later = laterDatabase === null ? null : await entriesIn(laterDatabase, { database, mode, vault })
  return { ...report, received: files, later }
}

/** The response of the route, or the checkpoint alone. */
function noteIn(path: string): string {
  const text = readFileSync(resolve(TYPED_IN, path), 'utf8')
  if (!text.trimStart().startsWith('{')) return text
  const { checkpoint } = JSON.parse(text) as { readonly checkpoint?: unknown }
  return String(checkpoint)
}

async function entriesIn(
  url: string,
  { database, ...opening }: Omit<Opened, 'logger'>,
): Promise<RestoredReport['later']> {
  const later = openDatabase(url, { maxConnections: 2, applicationName: 'batua check-restored' })
  try {
    await refuseForeignDatabase(later, opening)
    return await Array.fromAsync(listEntriesBeyond(database, later, opening.vault))
  } finally {
    await later.close()
  }
}

async function run(): Promise<number> {
  const options = readRestoredOptions(process.argv.slice(2))
  if (options.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const report = await check(readConfig(process.env), options)
  process.stdout.write(options.json ? jsonOf(report) : textOf(report))
  return isWhole(report) ? 0 : 1
}

await runCommand(run, 2)
