import { FIRST_UUID } from '../kernel/ids.ts'
import { sameHash, type Vault } from '../kernel/secrets.ts'
import { canonicalJson } from '../kernel/signing.ts'
import { arrayLiteral, textArrayLiteral } from './array-literal.ts'
import type { Queryable } from './database.ts'

/**
 * A table whose rows decide who may move money and where it goes. Each row has a MAC (`mac`) over its id, its version
 * (`mac_version`), `columns` and `laterColumns`, so that write access to the database is not enough to make, change, copy or swap one.
 * A new column belongs in `laterColumns`, or in `uncovered` with the reason; a test compares both with the database.
 */
export interface CoveredTable {
  readonly table: string
  readonly id: string
  readonly columns: readonly string[]
  /**
   * Nullable columns that were added to a table whose rows had MACs. The MAC covers each by its name, and only while it is
   * set, so that a MAC that was made before still fits.
   */
  readonly laterColumns?: readonly string[]
  /** Rows of other tables that belong to a row: an SQL expression of type jsonb over the row's alias. */
  readonly rows?: (alias: string) => string
  /** Columns that no decision about money uses, each with the reason. */
  readonly uncovered: Readonly<Record<string, string>>
}

/** The columns that `macColumns` selects. */
export interface MacRow {
  readonly macText: string
  readonly mac: Buffer | null
  readonly macVersion: number
  /** The newest version in the audit log; null: none. */
  readonly auditedVersion: number | null
}

/** A row that failed verification. The operation that reads one does nothing and fails with 500. */
export class AlteredRow extends Error {
  constructor(table: string, id: string, why: string) {
    super(`altered row: row ${id} of ${table} ${why}; nothing was done with it`)
  }
}

const TIME = /_(?:at|until)$/

/** Times are covered as seconds, because their text depends on the session. */
function covered(alias: string, column: string): string {
  const value = `${alias}.${column}`
  return TIME.test(column) ? `extract(epoch from ${value})::text` : value
}

function macText(table: CoveredTable, alias: string, version = `${alias}.mac_version`): string {
  const values = table.columns.map(column => covered(alias, column))
  const parts = [`'${table.table}'::text`, `${alias}.${table.id}`, version, ...values]
  if (table.rows !== undefined) parts.push(table.rows(alias))
  return `(jsonb_build_array(${parts.join(', ')})${laterElement(table, alias)})::text`
}

/** One more element with the later columns that are set; none if none is. */
function laterElement({ laterColumns = [] }: CoveredTable, alias: string): string {
  if (laterColumns.length === 0) return ''
  const named = laterColumns.map(column => `'${column}', ${covered(alias, column)}`)
  const isSet = laterColumns.map(column => `${alias}.${column} is not null`).join(' or ')
  const set = `jsonb_strip_nulls(jsonb_build_object(${named.join(', ')}))`
  return ` || case when ${isSet} then jsonb_build_array(${set}) else '[]' end`
}

/** The SQL expression of a row's name in the data of audit entries. */
function rowName(table: CoveredTable, alias: string): string {
  return `'${table.table}/' || ${alias}.${table.id}::text`
}

/** The expressions of the index `audit_entries_rows`, over the data of an entry. */
const ENTRY_ROW = `(e.data::jsonb ->> 'row')`
const ENTRY_VERSION = `((e.data::jsonb ->> 'row_version')::int4)`

/** The SQL expression of the newest audited version of the row with this name. */
function auditedVersion(name: string): string {
  return `(select ${ENTRY_VERSION} from audit_entries e
    where ${ENTRY_ROW} = ${name} and e.data like '%"row_version":%' order by ${ENTRY_VERSION} desc limit 1)`
}

/** The columns that a statement selects for `isGenuine`. `prefix` distinguishes several rows. */
export function macColumns(table: CoveredTable, alias: string, prefix = ''): string {
  const as = (name: string) => `"${prefix}${name}"`
  return `${macText(table, alias)} as ${as('macText')}, ${alias}.mac as ${as('mac')},
    ${alias}.mac_version as ${as('macVersion')},
    ${auditedVersion(rowName(table, alias))} as ${as('auditedVersion')}`
}

/** The SQL expression of the newest audited version of a row that may no longer exist; `id` is the SQL of its id. */
export function auditedVersionOf(table: CoveredTable, id: string): string {
  return auditedVersion(`'${table.table}/' || ${id}::text`)
}

/** Why a row failed verification; null: it is as the service last wrote it. */
export function whyAltered(vault: Vault, row: MacRow): string | null {
  if (row.mac === null || !sameHash(vault.rowMac(row.macText), row.mac)) return 'has no MAC that fits'
  if (row.auditedVersion !== null && row.macVersion < row.auditedVersion) {
    return `is older than its audited version ${row.auditedVersion}`
  }
  return null
}

/** Returns whether a row is genuine; reports one that is not. */
export function isGenuine(vault: Vault, table: CoveredTable, id: string, row: MacRow): boolean {
  const why = whyAltered(vault, row)
  if (why !== null) vault.onAltered(table.table, id, why)
  return why === null
}

/** Reports a row that is not genuine and throws `AlteredRow`. */
export function requireGenuine(vault: Vault, table: CoveredTable, id: string, row: MacRow): void {
  const why = whyAltered(vault, row)
  if (why === null) return
  vault.onAltered(table.table, id, why)
  throw new AlteredRow(table.table, id, why)
}

/**
 * Locks rows until the commit and proves them. A use case that changes a covered row calls this first, reads the facts of
 * its decision only after it, and ends with `writeMacs`. So an altered row never gets a new MAC.
 */
export async function lockGenuine(
  tx: Queryable,
  vault: Vault,
  table: CoveredTable,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const list = idList(table, ids)
  await tx.query(
    `select r.${table.id} from ${table.table} r where r.${table.id} = any($1::${idType(table)}[])
     order by r.${table.id} for no key update`,
    [list],
  )
  // A separate statement, which sees everything that was committed before the locks were granted.
  await requireGenuineRows(tx, vault, table, ids)
}

/** Proves rows that are locked, or only read. */
export async function requireGenuineRows(
  db: Queryable,
  vault: Vault,
  table: CoveredTable,
  ids: readonly string[],
): Promise<void> {
  const rows = await db.query<MacRow & { id: string }>(
    `select r.${table.id} as id, ${macColumns(table, 'r')} from ${table.table} r
     where r.${table.id} = any($1::${idType(table)}[])`,
    [idList(table, ids)],
  )
  for (const row of rows) requireGenuine(vault, table, row.id, row)
}

/** A new version of a row, for the audit entry of the change. */
export interface RowVersion {
  /** `table/id`. */
  readonly row: string
  /** The id alone. */
  readonly id: string
  readonly version: number
}

/**
 * Writes the MACs of rows that were inserted, or changed since `lockGenuine`, in the same transaction. Returns the
 * versions of those that changed; pass them to `recordFacts`.
 */
export async function writeMacs(
  tx: Queryable,
  vault: Vault,
  table: CoveredTable,
  ids: readonly string[],
): Promise<RowVersion[]> {
  if (ids.length === 0) return []
  const rows = await tx.query<{ id: string; mac: Buffer | null; version: number; now: string; next: string }>(
    `select r.${table.id} as id, r.mac, r.mac_version as version, ${macText(table, 'r')} as now,
       ${macText(table, 'r', 'r.mac_version + 1')} as next
     from ${table.table} r where r.${table.id} = any($1::${idType(table)}[])`,
    [idList(table, ids)],
  )
  const changed = rows.filter(({ mac, now }) => mac === null || !sameHash(vault.rowMac(now), mac))
  if (changed.length === 0) return []
  await tx.query(
    `update ${table.table} r set mac_version = r.mac_version + 1, mac = decode(v.mac, 'hex')
     from unnest($1::${idType(table)}[], $2::text[]) v(id, mac) where r.${table.id} = v.id`,
    [
      idList(
        table,
        changed.map(({ id }) => id),
      ),
      textArrayLiteral(changed.map(({ next }) => vault.rowMac(next).toString('hex'))),
    ],
  )
  return changed.map(({ id, version }) => ({ row: `${table.table}/${id}`, id, version: version + 1 }))
}

function idType({ id }: CoveredTable): 'text' | 'uuid' {
  return id === 'tier' ? 'text' : 'uuid'
}

function idList(table: CoveredTable, ids: readonly string[]): string {
  return idType(table) === 'text' ? textArrayLiteral(ids) : arrayLiteral(ids)
}

/**
 * The MAC of a row that the posting engine writes, over the values in memory, so that a batch needs no further statement.
 * Such a row has no version: it is compared with the transfers and audit entries that record its outcome.
 */
export function rowMacOf(vault: Vault, table: string, values: readonly unknown[]): Buffer {
  return vault.rowMac(JSON.stringify([table, ...values.map(plain)]))
}

/** A row of the posting engine with the values that its MAC covers. */
export interface EngineRow {
  readonly table: string
  readonly id: string
  readonly values: readonly unknown[]
  readonly mac: Buffer | null
}

/** Why a row of the posting engine failed verification; null: it is as the service last wrote it. */
export function whyRefused(vault: Vault, row: EngineRow, isAsRecorded = true): string | null {
  const { table, values, mac } = row
  if (mac === null || !sameHash(rowMacOf(vault, table, values), mac)) return 'has no MAC that fits'
  return isAsRecorded ? null : 'is older than what was recorded of it'
}

/** Reports a row of the posting engine that failed verification and throws `AlteredRow`. */
export function requireMac(vault: Vault, row: EngineRow, isAsRecorded = true): void {
  const why = whyRefused(vault, row, isAsRecorded)
  if (why === null) return
  vault.onAltered(row.table, row.id, why)
  throw new AlteredRow(row.table, row.id, why)
}

/** A checked row; `why` is the reason why it failed verification, null: it passed. */
export interface CheckedRow {
  readonly id: string
  readonly why: string | null
}

/** A table whose rows a check goes through, some at a time. */
export interface CheckedTable {
  readonly table: string
  /** No row has this id; those of all rows are greater. */
  readonly first: string
  /** Checks at most `limit` rows after this id, in the order of their ids. */
  check(db: Queryable, vault: Vault, after: string, limit: number): Promise<CheckedRow[]>
}

/** A table whose rows the posting engine writes with a MAC. A test compares the columns with the database. */
export interface EngineTable extends Pick<CheckedTable, 'table' | 'check'> {
  /** Columns that the MAC covers. */
  readonly columns: readonly string[]
  /** Columns that no decision about money uses, each with the reason. */
  readonly uncovered: Readonly<Record<string, string>>
}

export function checkedEngineTable({ table, check }: EngineTable): CheckedTable {
  return { table, first: FIRST_UUID, check }
}

/** Does the same for a table whose MAC text the database makes. */
export function checkedTable(table: CoveredTable): CheckedTable {
  return {
    table: table.table,
    first: idType(table) === 'text' ? '' : FIRST_UUID,
    check: (db, vault, after, limit) => checkRows(db, vault, table, after, limit),
  }
}

async function checkRows(
  db: Queryable,
  vault: Vault,
  table: CoveredTable,
  after: string,
  limit: number,
): Promise<CheckedRow[]> {
  const rows = await db.query<MacRow & { id: string }>(
    `select r.${table.id} as id, ${macColumns(table, 'r')} from ${table.table} r
     where r.${table.id} > $1::${idType(table)} order by r.${table.id} limit $2`,
    [after, limit],
  )
  return rows.map(row => ({ id: row.id, why: whyAltered(vault, row) }))
}

function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'no time' : value.toISOString()
  return typeof value === 'object' && value !== null ? canonicalJson(value) : value
}

/** Writes MACs for rows of releases without MACs, by their ids; a row that has one keeps it. */
export async function writeOldMacs(
  tx: Queryable,
  table: string,
  macs: readonly { readonly id: string; readonly mac: Buffer }[],
): Promise<number> {
  if (macs.length === 0) return 0
  await tx.query(
    `update ${table} t set mac = decode(v.mac, 'hex') from unnest($1::uuid[], $2::text[]) v(id, mac)
     where t.id = v.id and t.mac is null`,
    [arrayLiteral(macs.map(({ id }) => id)), textArrayLiteral(macs.map(({ mac }) => mac.toString('hex')))],
  )
  return macs.length
}
