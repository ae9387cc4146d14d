import { type Config, readConfig } from '../config/config.ts'
import { readOrCreateMasterKey } from '../config/master-key.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { refuseForeignDatabase } from '../db/database-mark.ts'
import { joinDatabaseServer } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { gatewaysOf } from '../domains/banking/index.ts'
import {
  listOpenDifferences,
  type ReconciliationContext,
  type ReconciliationReport,
  reconcile,
} from '../domains/checks/index.ts'
import { followSandboxClock } from '../domains/sandbox/index.ts'
import { systemClock } from '../kernel/clock.ts'
import { createLogger, type Logger } from '../kernel/logger.ts'
import { openVault, type Vault } from '../kernel/secrets.ts'
import { openGateways } from '../open-gateways.ts'
import { type ReconcileOptions, readOptions, USAGE } from './reconcile-options.ts'
import { JSON_TEXT, TEXT } from './reconcile-report.ts'
import { runCommand } from './run-command.ts'

async function openContext(
  config: Config,
  { database, vault, logger }: { database: Database; vault: Vault; logger: Logger },
): Promise<ReconciliationContext> {
  const clock = systemClock()
  if (config.mode === 'sandbox') await followSandboxClock(database, clock)
  // This command sends nothing that would cause a gateway webhook.
  const outside = openGateways(config, { database, clock, vault, logger }, () => config.baseUrl)
  const gateways = gatewaysOf(outside.payments)
  return { database, clock, logger, gateways, payoutProvider: outside.payouts }
}

async function compare(config: Config, options: ReconcileOptions, logger: Logger): Promise<number> {
  const server = await joinDatabaseServer(config, logger)
  try {
    const vault = openVault(config.masterKey ?? readOrCreateMasterKey(config.dataDir))
    await migrate(server.url, { check: db => refuseForeignDatabase(db, { mode: config.mode, vault }) })
    const database = openDatabase(server.url, { maxConnections: 4, applicationName: 'batua reconcile' })
    try {
      const context = await openContext(config, { database, vault, logger })
      const report = await reconcile(context, options.span(context.clock.now()))
      await print(database, report, options.json)
      return exitCodeOf(report)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
  }
}

async function print(database: Database, report: ReconciliationReport, json: boolean): Promise<void> {
  const format = json ? JSON_TEXT : TEXT
  process.stdout.write(format.head(report))
  let isFirst = true
  for await (const difference of listOpenDifferences(database)) {
    process.stdout.write(format.difference(difference, isFirst))
    isFirst = false
  }
  process.stdout.write(format.foot(report))
}

function exitCodeOf({ differences, unchecked }: ReconciliationReport): number {
  if (unchecked > 0) return 2
  return differences > 0 ? 1 : 0
}

async function run(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (options.help) {
    process.stdout.write(USAGE)
    return 0
  }
  // Standard output is for the report, which has the differences. The log has only errors.
  const logger = createLogger('error', { write: line => process.stderr.write(line) })
  return compare(readConfig(process.env), options, logger)
}

await runCommand(run, 2)
