import type { Queryable } from '../db/database.ts'

/** One way to edit one column of a table: `set` goes into an update. */
export interface ColumnChange {
  readonly column: string
  readonly set: string
}

const CHANGES: Readonly<Record<string, readonly ((column: string) => string)[]>> = {
  uuid: [() => 'gen_random_uuid()'],
  text: [column => `coalesce(${column}, '') || 'x'`, column => `coalesce(${column}, '') || ' '`],
  'timestamp with time zone': [
    column => `${column} + interval '1 millisecond'`,
    column => `${column} + interval '1 microsecond'`,
    column => `${column} - interval '1 year'`,
    () => `'infinity'`,
  ],
  smallint: [column => `coalesce(${column}, 0) + 1`],
  integer: [column => `coalesce(${column}, 0) + 1`],
  bigint: [column => `coalesce(${column}, 0) + 1`],
  jsonb: [() => `'{"changed": 1}'`],
  boolean: [column => `not coalesce(${column}, false)`],
  bytea: [
    column => `set_byte(${column}, 0, get_byte(${column}, 0) # 1)`,
    column => `${column} || '\\x00'`,
    () => `'\\x'`,
  ],
  _uuid: [column => `${column} || gen_random_uuid()`, () => `'{}'`],
  _text: [column => `${column} || 'x'::text`, () => `'{}'`],
}

/** Ways to edit every column of a table, so that later columns must be protected too. */
export async function changesOfColumns(db: Queryable, table: string): Promise<ColumnChange[]> {
  const columns = await db.query<{ column: string; type: string; isNullable: boolean }>(
    `select column_name::text as column, 
       case data_type when 'ARRAY' then udt_name::text else data_type::text end as type, is_nullable = 'YES' as "isNullable"
     from information_schema.columns where table_schema = current_schema() and table_name = $1
     order by ordinal_position`,
    [table],
  )
  return columns.flatMap(({ column, type, isNullable }) => {
    const changes = CHANGES[type]
    if (changes === undefined) throw new Error(`Say how to change ${column}, which is ${type}`)
    const sets = [...changes.map(change => change(column)), ...(isNullable ? ['null'] : [])]
    return sets.map(set => ({ column, set }))
  })
}

/** Saves the contents of tables; returns a function that restores them. */
export async function keepTables(db: Queryable, tables: readonly string[]): Promise<() => Promise<void>> {
  await db.query(tables.map(table => `create table ${table}_kept as table ${table}`).join('; '))
  const back = tables
    .map(table => `delete from ${table}; insert into ${table} table ${table}_kept`)
    .join('; ')
  return async () => {
    await db.query(back)
  }
}
