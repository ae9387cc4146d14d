import type { Config } from '../config/config.ts'
import { readKeptMasterKey } from '../config/master-key.ts'
import { type Database, openDatabase, type Queryable } from '../db/database.ts'
import { ForeignDatabase, refuseForeignDatabase } from '../db/database-mark.ts'
import { findRunningPostgres, hasDatabase } from '../db/embedded.ts'
import { ALLOWED_CONNECTIONS, CONNECTIONS_OF_A_PROCESS } from '../db/fair-pools.ts'
import { newerSchemaProblem, newestVersion } from '../db/migrate.ts'
import { openVault } from '../kernel/secrets.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const OLDEST_VERSION = 15
const CLOCK_WARNING_MS = 1_000
const CLOCK_PROBLEM_MS = 10_000

/** The database, as it is: nothing is started, migrated or written. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const url = config.databaseUrl ?? findRunningPostgres(config.dataDir)
  if (url === null) {
    const isThere = hasDatabase(config.dataDir)
    const text = isThere
      ? 'is there; the service, which starts it, does not run'
      : 'is made at the first start'
    return [ok('database', `the embedded one in ${config.dataDir} ${text}`)]
  }
  const database = openDatabase(url, { maxConnections: 2, applicationName: 'batua check' })
  try {
    return await findingsOf(database, config)
  } catch (error) {
    return [problem('database', reasonOf(error))]
  } finally {
    await database.close()
  }
}

async function findingsOf(database: Database, config: Config): Promise<Finding[]> {
  const facts = await readFacts(database)
  return [
    versionFinding(facts),
    ...durability(facts),
    clockFinding(facts),
    connections(facts, config),
    ...rights(facts),
    await schemaFinding(database, facts),
    ...(await markFinding(database, config)),
  ]
}

interface Facts {
  readonly version: number
  readonly version_text: string
  readonly is_standby: boolean
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly standbys: string
  readonly connected_standbys: number
  readonly checksums: string
  readonly encoding: string
  readonly max_connections: number
  readonly used_connections: number
  readonly may_create: boolean
  readonly is_superuser: boolean
  readonly has_schema: boolean
  readonly behindMs: number
}

async function readFacts(database: Queryable): Promise<Facts> {
  const before = Date.now()
  const [row] = await database.query<Omit<Facts, 'behindMs'> & { readonly now: Date }>(
    `select current_setting('server_version_num')::int as version,
       current_setting('server_version') as version_text,
       pg_is_in_recovery() as is_standby,
       current_setting('fsync') as fsync,
       current_setting('full_page_writes') as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit,
       current_setting('synchronous_standby_names') as standbys,
       (select count(*)::int from pg_stat_replication) as connected_standbys,
       current_setting('data_checksums') as checksums,
       current_setting('server_encoding') as encoding,
       ${ALLOWED_CONNECTIONS} as max_connections,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used_connections,
       has_schema_privilege(current_schema(), 'create') as may_create,
       current_setting('is_superuser') = 'on' as is_superuser,
       to_regclass('schema_version') is not null as has_schema,
       clock_timestamp() as now`,
    [],
  )
  if (row === undefined) throw new Error('the query of its settings returned nothing')
  const { now, ...facts } = row
  // The database said its time about in the middle of the round trip.
  return { ...facts, behindMs: (before + Date.now()) / 2 - now.getTime() }
}

function versionFinding({ version, version_text: text, encoding }: Facts): Finding {
  if (Math.floor(version / 10_000) < OLDEST_VERSION)
    return problem('PostgreSQL', `${text} is too old; version ${OLDEST_VERSION} or newer is needed`)
  if (encoding !== 'UTF8')
    return problem('PostgreSQL', `the database is encoded in ${encoding}; UTF8 is needed`)
  return ok('PostgreSQL', text)
}

/** What keeps acknowledged payments through a crash. */
function durability({
  fsync,
  full_page_writes,
  synchronous_commit,
  checksums,
  standbys,
  ...rest
}: Facts): Finding[] {
  const lost = 'a crash loses payments that were acknowledged'
  const settings = [
    fsync === 'on' ? null : problem('fsync', `is ${fsync}: ${lost}. Set it to on`),
    full_page_writes === 'on'
      ? null
      : problem('full_page_writes', `is ${full_page_writes}: a crash can leave torn pages. Set it to on`),
    synchronous_commit === 'off' ? problem('synchronous_commit', `is off: ${lost}. Set it to on`) : null,
    checksums === 'on'
      ? null
      : warning('checksums', 'are off: a page that the disk altered goes unnoticed (initdb -k)'),
    rest.is_standby ? problem('database', 'is a standby, which takes no writes; name the primary') : null,
    !rest.is_standby && standbys !== '' && rest.connected_standbys === 0
      ? problem(
          'standbys',
          `none is connected, and synchronous_standby_names is ${standbys}: no commit is confirmed, and no node starts. Start a standby first`,
        )
      : null,
  ].filter(finding => finding !== null)
  const kept = standbys === '' ? 'on this server alone' : `and on the standbys ${standbys}`
  return settings.length > 0
    ? settings
    : [ok('durability', `fsync, full_page_writes and synchronous_commit are on; a commit is kept ${kept}`)]
}

function clockFinding({ behindMs }: Facts): Finding {
  const seconds = (Math.abs(behindMs) / 1_000).toFixed(1)
  const text = `this machine is ${seconds} s ${behindMs < 0 ? 'behind' : 'ahead of'} the database. Synchronize both with NTP`
  if (Math.abs(behindMs) >= CLOCK_PROBLEM_MS) return problem('clock', text)
  if (Math.abs(behindMs) >= CLOCK_WARNING_MS) return warning('clock', text)
  return ok('clock', 'this machine and the database agree to the second')
}

function connections({ max_connections: most, used_connections: used }: Facts, { workers }: Config): Finding {
  const needed = workers * CONNECTIONS_OF_A_PROCESS
  const name = workers === 1 ? 'a node needs' : `the ${workers} workers of a node need`
  const text = `${used} of ${most} are open, and ${name} up to ${needed}`
  return most - used < needed
    ? warning(
        'connections',
        `${text}. Raise max_connections, or run fewer ${workers === 1 ? 'nodes' : 'workers or nodes'}`,
      )
    : ok('connections', text)
}

function rights({ may_create, is_superuser }: Facts): Finding[] {
  if (!may_create)
    return [problem('rights', 'this role may not create tables in its schema, so it cannot migrate it')]
  return is_superuser
    ? [warning('rights', 'this role is a superuser. A role that owns only this database is enough')]
    : [ok('rights', 'this role may migrate the schema, and is no superuser')]
}

async function schemaFinding(database: Queryable, { has_schema }: Facts): Promise<Finding> {
  const newest = newestVersion()
  const [row] = has_schema
    ? await database.query<{ version: string | null }>(
        'select max(version)::text as version from schema_version',
        [],
      )
    : []
  const version = Number(row?.version ?? 0)
  if (version > newest) {
    const reason = await newerSchemaProblem(database)
    return reason === null
      ? ok(
          'schema',
          `is at version ${version}, of a newer release; this release knows ${newest} and runs on it`,
        )
      : problem('schema', reason)
  }
  if (version === newest) return ok('schema', `is at version ${version}, that of this release`)
  return ok('schema', `is at version ${version}; the next start migrates it to ${newest}`)
}

/** Whether the database belongs to this mode and this master key. */
async function markFinding(database: Queryable, { mode, masterKey, dataDir }: Config): Promise<Finding[]> {
  const key = masterKey ?? readKeptMasterKey(dataDir)
  if (key === null) return []
  try {
    await refuseForeignDatabase(database, { mode, vault: openVault(key) })
    return [ok('master key', 'is that of this database, if it has one')]
  } catch (error) {
    if (error instanceof ForeignDatabase) return [problem('master key', error.message)]
    throw error
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
