import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Client } from 'pg'
import Postgrator from 'postgrator'
import type { Queryable } from './database.ts'
import { openHosts } from './hosts.ts'
import type { Logger } from './logger.ts'

export interface MigrateOptions {
  readonly directory?: string
  readonly logger?: Pick<Logger, 'info'>
  /** Refuses the database by throwing, before the migration changes anything. */
  readonly check?: (db: Queryable) => Promise<void>
}

const OWN_MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

// A number that no other program locks. The lock makes other nodes that start at the same time wait.
const MIGRATION_LOCK = 7_246_101_318

/** The version of the schema to which this release migrates a database. */
export function newestVersion(): number {
  return readdirSync(OWN_MIGRATIONS).filter(name => name.endsWith('.sql')).length
}

/** A migration of a newer release that removes what code up to some version uses: `NNNN.do.contract-from-0066-name.sql`. */
const CONTRACT = /^contract-from-(\d{4})-/

/** The version from which on code runs on a database that has the migration of this name. */
export function oldestCode(migrationName: string): number {
  return Number(CONTRACT.exec(migrationName)?.[1] ?? 0)
}

/**
 * Why this release, which has migrations up to `known`, cannot run on the database; null if it can. Newer releases only
 * add to it, except by migrations whose names say which releases do without what they remove.
 */
export async function newerSchemaProblem(db: Queryable, known = newestVersion()): Promise<string | null> {
  const newer = await db.query<{ version: number; name: string | null }>(
    'select version::int, name from schema_version where version > $1 order by version',
    [known],
  )
  const needed = Math.max(...newer.map(({ name }) => oldestCode(name ?? '')))
  if (needed <= known) return null
  const version = newer.at(-1)?.version
  return `is at version ${version} and needs a release that knows version ${needed}; this one knows only ${known}. Run a newer release`
}

/**
 * Migrates the schema to the version of this release. A schema that has it already, or that a newer release extended, is
 * left as it is. Returns the version of the schema.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<number> {
  const hosts = openHosts(databaseUrl)
  const client = await hosts.connected(async () => {
    const opened = new hosts.Client({ application_name: 'batua migrations' })
    // A broken connection fails the running query, which reports it.
    opened.on('error', () => undefined)
    await opened.connect()
    return opened
  })
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const db: Queryable = { query: async (text, values = []) => (await client.query(text, [...values])).rows }
    await options.check?.(db)
    return await bringForward(client, db, options)
  } finally {
    await client.end()
    hosts.close()
  }
}

async function bringForward(
  client: Client,
  db: Queryable,
  { directory = OWN_MIGRATIONS, logger }: MigrateOptions,
): Promise<number> {
  const postgrator = new Postgrator({
    driver: 'pg',
    schemaTable: 'schema_version',
    migrationPattern: `${literalPattern(directory)}/*.sql`,
    newline: 'LF',
    execQuery: query => client.query(query),
  })
  const known = checkedNumbering(await postgrator.getMigrations())
  const current = await postgrator.getDatabaseVersion()
  if (current > known) {
    const problem = await newerSchemaProblem(db, known)
    if (problem !== null) throw new Error(`The database ${problem}`)
    logger?.info(
      { version: current, known },
      'A newer release has migrated the database; this one runs on it',
    )
  }
  // Migrating to the present version creates the version table and compares the checksums of earlier migrations.
  await postgrator.migrate(String(current))
  for (const migration of postgrator.getRunnableMigrations(current, known)) {
    await inTransaction(client, migration.filename, () => postgrator.runMigrations([migration]))
    logger?.info({ version: migration.version, name: migration.name }, 'Migrated the database')
  }
  return Math.max(current, known)
}

async function inTransaction(client: Client, name: string, work: () => Promise<unknown>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`The migration ${name} failed: ${String(error)}`, { cause: error })
  }
}

function checkedNumbering(migrations: readonly Postgrator.Migration[]): number {
  const versions = migrations.map(migration => migration.version).toSorted((a, b) => a - b)
  if (
    migrations.some(migration => migration.action !== 'do') ||
    versions.some((version, at) => version !== at + 1)
  ) {
    throw new Error('Migrations only go forward and are numbered from 1 without gaps: 0001.do.name.sql')
  }
  return versions.length
}

function literalPattern(path: string): string {
  return path.replaceAll(/[?*()[\]{}]/g, '[$&]')
}
