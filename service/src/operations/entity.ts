import { isDeepStrictEqual } from 'node:util'
import type { AuditAction } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import {
  type CheckedRow,
  type EngineTable,
  requireMac,
  rowMacOf,
  whyRefused,
  writeOldMacs,
} from '../db/row-mac.ts'
import { assert } from '../kernel/assert.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import { type LedgerBatch, type Reader, reader, type Writer } from '../ledger/index.ts'
import {
  arraysOf,
  type Column,
  columnsOf,
  decoded,
  encoded,
  namesAs,
  namesOf,
  type TypedColumn,
  valuesOf,
} from './columns.ts'
import { type DueRows, type Lease, leasedRows } from './due-work.ts'

/** What the ledger and the audit log have recorded about a row. The row must agree with it. */
export interface Recorded<Row> {
  /** The kinds of the transfers that ended the row `r`: an SQL expression of type text[], or null. */
  readonly posted: string
  /** The prefix of its id as a target in the log. */
  readonly prefix: string
  /** The actions in the log that ended it. */
  readonly logged: readonly AuditAction[]
  /** Both are null where nothing is recorded. A row that ended before the first release with a log has no entries. */
  readonly agrees: (row: Row, posted: Outcomes, logged: Outcomes) => boolean
}

type Outcomes = readonly string[] | null

export interface EntityOptions<Row extends object, Key extends keyof Row> {
  readonly table: string
  readonly key: readonly Key[]
  /** The column of each property. The row MAC covers them in this order, which must never change. */
  readonly columns: { readonly [Property in keyof Row & string]?: Column }
  /**
   * Nullable columns that were added to a table whose rows had MACs. The MAC covers each by its name, and only while it is
   * set, so that a MAC that was made before still fits.
   */
  readonly later?: readonly (keyof Row & string)[]
  /** The properties that change after the insert. */
  readonly changes: readonly (keyof Row & string)[]
  /** The columns that the MAC does not cover because no decision about money uses them, each with the reason. */
  readonly uncovered: Readonly<Record<string, string>>
  readonly recorded: Recorded<Row>
  /** Properties that are read from a joined table. They are never written. */
  readonly joined?: Joined<Row>
  /** Whether the row itself is locked. Needed where transactions outside the ledger change it too. */
  readonly locksRow?: boolean
}

interface Joined<Row> {
  /** A join on the row `r`. */
  readonly sql: string
  readonly expressions: { readonly [Property in keyof Row & string]?: string }
}

/**
 * A table whose rows ledger commands read, insert and change under the lock of an account. Before a command sees a row,
 * its MAC is proved and the row is compared with what the ledger or the audit log has recorded.
 */
export interface Entity<Row extends object, Key extends object> extends Reader<Key, Row> {
  /** The select list over `from`, the MAC included: what `proven` takes. */
  readonly selected: string
  /** The table as `r`, with its join. */
  readonly from: string
  /** The actions in the log that ended the row with the id `target`: an SQL expression of type text[], or null. */
  logged(target: string): string
  /** The target of a row in the log. */
  targetOf(row: Key): string
  /** The SQL statements, for other readers and for tests of their plans. */
  readonly sql: { readonly read: string; readonly insert: string; readonly update: string }
  /** Returns the row if its MAC matches; otherwise throws AlteredRow. */
  proven(vault: Vault, selected: Selected<Row>): Row
  /** Whether two rows agree in all columns that never change. */
  agree(left: Row, right: Row): boolean
  mac(vault: Vault, row: Row): Buffer
  readonly writer: Writer<Change<Row>>
  /** The table for the check of all rows. */
  readonly rows: EngineTable
  /** The rows that are due, each proved and compared with what the ledger has recorded when it is claimed. */
  leasedRows(lease: EntityLease<Row>): DueRows<Row>
  /** Writes the MACs of up to `limit` rows of releases without MACs; returns how many. */
  completeMacs(tx: Queryable, vault: Vault, limit: number): Promise<number>
}

/** A row selected by an entity's select list. */
export type Selected<Row> = Row & {
  readonly mac: Buffer | null
  readonly posted?: Outcomes
  readonly logged?: Outcomes
}

type EntityLease<Row> = Pick<Lease<Selected<Row>, Row>, 'due' | 'lease' | 'counting' | 'atOnce'>

interface Change<Row> {
  readonly row: Row
  readonly isNew: boolean
}

/** Inserts a row in the commit of the batch. Later commands of the batch see it. */
export function insert<Row extends Key, Key extends object>(
  batch: LedgerBatch,
  entity: Entity<Row, Key>,
  row: Row,
): void {
  batch.set(entity, row, row)
  batch.write(entity.writer, { row, isNew: true })
}

/** Updates a row that the command has read, in the commit of the batch. */
export function save<Row extends Key, Key extends object>(
  batch: LedgerBatch,
  entity: Entity<Row, Key>,
  row: Row,
): void {
  assert(batch.read(entity, row) !== undefined, 'a row is read before it is changed')
  batch.set(entity, row, row)
  batch.write(entity.writer, { row, isNew: false })
}

/** Declares a table: reading, writing and proving follow from its columns. */
export function entity<Row extends object, Key extends keyof Row & string>(
  options: EntityOptions<Row, Key>,
): Entity<Row, Pick<Row, Key>> {
  const { table, key, uncovered, recorded, joined } = options
  const shape = shapeOf(options)
  const { columns, keys, constant, covered, later, keyValues, sql, selected, from } = shape
  const macs = macsOf(options, covered, later)

  const byKey = reader<Pick<Row, Key>, Row>({
    name: table,
    key,
    async load(tx, keys, _nowMs, vault) {
      const found = await tx.query<Selected<Row>>(sql.read, keyValues(keys))
      return found.map(each => {
        const row = macs.provenAsRecorded(vault, each)
        return [row, row]
      })
    },
  })

  return {
    ...byKey,
    ...{ selected, from, sql },
    ...macs,
    logged: target => loggedOutcomes(target, recorded.logged),
    targetOf: row => formatId(recorded.prefix, idOf(row)),
    agree: (left, right) => isDeepStrictEqual(valuesOf(constant, left), valuesOf(constant, right)),
    writer: { name: table, write: writerOf(shape, byKey.textOf, macs.mac) },
    rows: {
      table,
      columns: [...covered, ...later].map(({ name }) => name),
      uncovered,
      async check(db, vault, after, limit) {
        const keys = await db.query<object>(sql.keysAfter, [after, limit])
        const found = await db.query<Selected<Row>>(`${sql.readUnlocked} order by r.id`, keyValues(keys))
        return found.map(each => macs.checked(vault, each))
      },
    },
    leasedRows: lease =>
      leasedRows<Selected<Row>, Row>({
        ...lease,
        table,
        key: keys.map(({ name }) => name),
        selected: `${selected}, ${recorded.posted} as posted`,
        joins: joined?.sql ?? '',
        proven: macs.provenAsRecorded,
      }),
    async completeMacs(tx, vault, limit) {
      const old = await tx.query<Row>(
        `select ${namesAs(columns)} from ${table} r where r.mac is null limit $1 for update`,
        [limit],
      )
      const made = old.map(row => ({ id: idOf(row), mac: macs.mac(vault, row) }))
      return writeOldMacs(tx, table, made)
    },
  }
}

/** The columns by their role, and the statements that read and write any number of rows. */
function shapeOf<Row extends object, Key extends keyof Row & string>(options: EntityOptions<Row, Key>) {
  const { table, key, later = [], changes, recorded, joined, locksRow, uncovered } = options
  const columns = columnsOf(options.columns)
  const keys = columns.filter(({ property }) => isOf(property, key))
  const changed = columns.filter(({ property }) => isOf(property, changes))
  const changing = [...keys, ...changed]
  const selected = selectListOf(columns, joined)
  const from = `${table} r ${joined?.sql ?? ''}`
  const sameKey = (left: string, right: string) =>
    keys.map(({ name }) => `${left}.${name} = ${right}.${name}`).join(' and ')
  const readUnlocked = `
    select ${selected}, ${recorded.posted} as posted, ${loggedOutcomes('k.target', recorded.logged)} as logged
    from unnest(${arraysOf(keys)}, $${keys.length + 1}::text[]) k(${namesOf(keys)}, target)
    join ${table} r on ${sameKey('r', 'k')} ${joined?.sql ?? ''}`
  return {
    ...{ columns, keys, changing, selected, from },
    constant: columns.filter(column => !changed.includes(column)),
    covered: columns.filter(({ name, property }) => uncovered[name] === undefined && !isOf(property, later)),
    later: columns.filter(({ property }) => isOf(property, later)),
    keyValues(of: readonly object[]): string[] {
      const targets = of.map(each => formatId(recorded.prefix, idOf(each)))
      return [...keys.map(column => encoded(column, of)), textArrayLiteral(targets)]
    },
    sql: {
      readUnlocked,
      read: locksRow === true ? `${readUnlocked} order by r.id for no key update of r` : readUnlocked,
      keysAfter: `select ${namesAs(keys)} from ${table} r where r.id > $1 order by r.id limit $2`,
      insert: `
        insert into ${table} (${namesOf(columns)}, mac)
        select ${columns.map(decoded).join(', ')}, decode(v.mac, 'hex')
        from unnest(${arraysOf(columns)}, $${columns.length + 1}::text[]) v(${namesOf(columns)}, mac)`,
      update: `
        update ${table} r
        set ${changed.map(column => `${column.name} = ${decoded(column)}`).join(', ')}, mac = decode(v.mac, 'hex')
        from unnest(${arraysOf(changing)}, $${changing.length + 1}::text[]) v(${namesOf(changing)}, mac)
        where ${sameKey('r', 'v')}`,
    },
  }
}

/** Proves rows by the MAC over the covered columns and by what is recorded about them. */
function macsOf<Row extends object, Key extends keyof Row & string>(
  { table, recorded }: EntityOptions<Row, Key>,
  covered: readonly TypedColumn[],
  later: readonly TypedColumn[],
) {
  function valuesIn(row: Row): unknown[] {
    const set = later.filter(({ property }) => (Reflect.get(row, property) ?? null) !== null)
    const named = set.map(({ name, property }) => [name, Reflect.get(row, property)])
    return [...valuesOf(covered, row), ...(named.length === 0 ? [] : [Object.fromEntries(named)])]
  }

  function split({ mac, posted = null, logged = null, ...rest }: Selected<Row>) {
    // The select list has the properties of a row.
    const row = rest as unknown as Row
    const signed = { table, id: idOf(row), values: valuesIn(row), mac }
    return { row, signed, isAsRecorded: () => recorded.agrees(row, posted, logged) }
  }
  return {
    mac: (vault: Vault, row: Row) => rowMacOf(vault, table, valuesIn(row)),
    proven(vault: Vault, selected: Selected<Row>): Row {
      const { row, signed } = split(selected)
      requireMac(vault, signed)
      return row
    },
    provenAsRecorded(vault: Vault, selected: Selected<Row>): Row {
      const { row, signed, isAsRecorded } = split(selected)
      requireMac(vault, signed, isAsRecorded())
      return row
    },
    checked(vault: Vault, selected: Selected<Row>): CheckedRow {
      const { signed, isAsRecorded } = split(selected)
      return { id: signed.id, why: whyRefused(vault, signed, isAsRecorded()) }
    },
  }
}

/** Writes the final state of each row that a batch inserted or changed: one insert and one update. */
function writerOf<Row extends object>(
  { columns, changing, sql }: Pick<ReturnType<typeof shapeOf>, 'columns' | 'changing' | 'sql'>,
  textOf: (row: Row) => string,
  mac: (vault: Vault, row: Row) => Buffer,
) {
  return async (tx: Queryable, changes: readonly Change<Row>[], vault: Vault): Promise<void> => {
    const inserted = new Map<string, Row>()
    const updated = new Map<string, Row>()
    for (const { row, isNew } of changes) {
      const name = textOf(row)
      if (isNew || inserted.has(name)) inserted.set(name, row)
      else updated.set(name, row)
    }
    const run = async (statement: string, written: readonly TypedColumn[], rows: readonly Row[]) => {
      if (rows.length === 0) return
      const macs = arrayLiteral(rows.map(row => mac(vault, row).toString('hex')))
      await tx.query(statement, [...written.map(column => encoded(column, rows)), macs])
    }
    await Promise.all([
      run(sql.insert, columns, [...inserted.values()]),
      run(sql.update, changing, [...updated.values()]),
    ])
  }
}

function idOf(row: object): Uuid {
  return String(Reflect.get(row, 'id'))
}

function selectListOf<Row>(columns: readonly TypedColumn[], joined?: Joined<Row>): string {
  const more = Object.entries<string | undefined>(joined?.expressions ?? {})
  return [
    namesAs(columns),
    ...more.map(([property, expression]) => `${expression} as "${property}"`),
    'r.mac',
  ].join(', ')
}

function isOf(property: string, properties: readonly PropertyKey[]): boolean {
  return properties.includes(property)
}

/**
 * The SQL expression for the outcomes that the log has of a target: the actions of its entries, null: none. The index
 * `audit_entries_outcomes` serves it; its condition must name each action that is passed here.
 */
export function loggedOutcomes(target: string, actions: readonly AuditAction[]): string {
  return `(select array_agg(e.action) from audit_entries e
    where e.target = ${target} and e.action in (${actions.map(action => `'${action}'`).join(', ')}))`
}
