import { FIRST_UUID } from '../kernel/ids.ts'
import { sameHash, type Vault } from '../kernel/secrets.ts'
import { canonicalJson } from '../kernel/signing.ts'
import { arrayLiteral, textArrayLiteral } from './array-literal.ts'
import type { Queryable } from './database.ts'

/**
 * A table whose rows decide who may move money and where it goes. Each row has a MAC (`mac`) over its id, its version
 * (`mac_version`) and `columns`, so that whoever can only write to the database cannot make, change, copy or swap one.
 * A new column belongs into `columns`, or into `uncovered` with the reason; a test compares both with the database.
 */
export interface CoveredTable {
  readonly table: string
  readonly id: string
  readonly columns: readonly string[]
  /** Rows of other tables that belong to a row, as one SQL expression of jsonb over the row's alias. */
  readonly rows?: (alias: string) => string
  /** Columns that decide nothing about money, and why. */
  readonly uncovered: Readonly<Record<string, string>>
}

/** What `macColumns` selects of a row. */
export interface MacRow {
  readonly macText: string
  readonly mac: Buffer | null
  readonly macVersion: number
  /** The newest version that the audit log tells of; null: of none. */
  readonly auditedVersion: number | null
}

/** A row that the service did not write, or not last. Whoever meets one does nothing with it: 500. */
export class AlteredRow extends Error {
  constructor(table: string, id: string, why: string) {
    super(`the row ${id} of ${table} ${why}; nothing was done with it`)
  }
}

const TIME = /_(?:at|until)$/

/** Times as seconds, because their text depends on the session. */
function covered(alias: string, column: string): string {
  const value = `${alias}.${column}`
  return TIME.test(column) ? `extract(epoch from ${value})::text` : value
}

function macText(table: CoveredTable, alias: string, version = `${alias}.mac_version`): string {
  const values = table.columns.map(column => covered(alias, column))
  const parts = [`'${table.table}'::text`, `${alias}.${table.id}`, version, ...values]
  if (table.rows !== undefined) parts.push(table.rows(alias))
  return `jsonb_build_array(${parts.join(', ')})::text`
}

/** The name of a row in the data of audit entries. */
function rowName(table: CoveredTable, alias: string): string {
  return `'${table.table}/' || ${alias}.${table.id}::text`
}

/** The expressions of the index `audit_entries_rows`, over the data of an entry. */
const ENTRY_ROW = `(e.data::jsonb ->> 'row')`
const ENTRY_VERSION = `((e.data::jsonb ->> 'row_version')::int4)`

/** The newest audited version of the row with this name; an expression. */
function auditedVersion(name: string): string {
  return `(select ${ENTRY_VERSION} from audit_entries e
    where ${ENTRY_ROW} = ${name} and e.data like '%"row_version":%' order by ${ENTRY_VERSION} desc limit 1)`
}

/** What a statement has to select so that `isGenuine` can be asked of its row. `prefix` tells several apart. */
export function macColumns(table: CoveredTable, alias: string, prefix = ''): string {
  const as = (name: string) => `"${prefix}${name}"`
  return `${macText(table, alias)} as ${as('macText')}, ${alias}.mac as ${as('mac')},
    ${alias}.mac_version as ${as('macVersion')},
    ${auditedVersion(rowName(table, alias))} as ${as('auditedVersion')}`
}

/** The newest audited version of a row that may not be there any more: its table's name and its id as SQL. */
export function auditedVersionOf(table: CoveredTable, id: string): string {
  return auditedVersion(`'${table.table}/' || ${id}::text`)
}

/** Why a row is not as the service wrote it last; null: it is. */
export function whyAltered(vault: Vault, row: MacRow): string | null {
  if (row.mac === null || !sameHash(vault.rowMac(row.macText), row.mac)) return 'has no MAC that fits'
  if (row.auditedVersion !== null && row.macVersion < row.auditedVersion) {
    return `is older than its audited version ${row.auditedVersion}`
  }
  return null
}

/** Reports a row that is not genuine; true when it is. */
export function isGenuine(vault: Vault, table: CoveredTable, id: string, row: MacRow): boolean {
  const why = whyAltered(vault, row)
  if (why !== null) vault.onAltered(table.table, id, why)
  return why === null
}

/** Throws `AlteredRow` when a row is not genuine. */
export function requireGenuine(vault: Vault, table: CoveredTable, id: string, row: MacRow): void {
  const why = whyAltered(vault, row)
  if (why === null) return
  vault.onAltered(table.table, id, why)
  throw new AlteredRow(table.table, id, why)
}

/**
 * Locks rows until the commit and proves them. Whoever changes a covered row begins here, reads what it decides by only
 * after that, and ends with `writeMacs`: so an altered row never gets a new MAC.
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
  // In a statement of its own, which sees what was committed before the locks were granted.
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

/** A new version of a row, which the audit entry of the change tells. */
export interface RowVersion {
  /** `table/id`. */
  readonly row: string
  /** The id alone. */
  readonly id: string
  readonly version: number
}

/**
 * Gives rows that were inserted, or changed since `lockGenuine`, the MAC of what they hold now, in the same transaction.
 * Answers the versions of those that changed: they go to `recordFacts`.
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
 * The MAC of a row that the posting engine writes: over what it holds in memory, so that no statement is added to a
 * batch. Such a row has no version: what became of it is in the book or the audit log, and is compared with those.
 */
export function rowMacOf(vault: Vault, table: string, values: readonly unknown[]): Buffer {
  return vault.rowMac(JSON.stringify([table, ...values.map(plain)]))
}

/** A row of the posting engine, by the values that its MAC covers. */
export interface EngineRow {
  readonly table: string
  readonly id: string
  readonly values: readonly unknown[]
  readonly mac: Buffer | null
}

/** Why a row of the posting engine is not as the service wrote it last; null: it is. */
export function whyRefused(vault: Vault, row: EngineRow, isAsRecorded = true): string | null {
  const { table, values, mac } = row
  if (mac === null || !sameHash(rowMacOf(vault, table, values), mac)) return 'has no MAC that fits'
  return isAsRecorded ? null : 'is older than what was recorded of it'
}

/** Reports and throws when a row of the posting engine has no MAC that fits, or is not as the book has it. */
export function requireMac(vault: Vault, row: EngineRow, isAsRecorded = true): void {
  const why = whyRefused(vault, row, isAsRecorded)
  if (why === null) return
  vault.onAltered(row.table, row.id, why)
  throw new AlteredRow(row.table, row.id, why)
}

/** One row that is not genuine, which was reported, must not stop its neighbours. */
export function ifGenuine<Row>(prove: () => Row): Row[] {
  try {
    return [prove()]
  } catch (error) {
    if (error instanceof AlteredRow) return []
    throw error
  }
}

/**
 * Does the work of one row among many and says whether anything was done; not where a row was altered, which was reported
 * as it was proven. Then the rows after it are not kept waiting.
 */
export async function unlessAltered(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AlteredRow) return false
    throw error
  }
}

/** A row that a check has seen; `why` says what is wrong with it, null: nothing. */
export interface CheckedRow {
  readonly id: string
  readonly why: string | null
}

/** A table whose rows a check goes through, some at a time. */
export interface CheckedTable {
  readonly table: string
  /** No row has this id; those of all rows are greater. */
  readonly first: string
  /** The rows after this id, by their ids, so many at the most. */
  check(db: Queryable, vault: Vault, after: string, limit: number): Promise<CheckedRow[]>
}

/** A table whose rows the posting engine writes with a MAC. A test compares the columns with the database. */
export interface EngineTable extends Pick<CheckedTable, 'table' | 'check'> {
  /** Columns that the MAC covers. */
  readonly columns: readonly string[]
  /** Columns that decide nothing about money, and why. */
  readonly uncovered: Readonly<Record<string, string>>
}

export function checkedEngineTable({ table, check }: EngineTable): CheckedTable {
  return { table, first: FIRST_UUID, check }
}

/** The same of a table whose MACs are made in the database's words. */
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

/** MACs of rows from before there were any, by their ids; a row that has one keeps it. */
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
