import { arrayLiteral, textArrayLiteral } from '../db/array-literal.ts'

/** The PostgreSQL types that entities have. */
type ColumnType = 'uuid' | 'text' | 'int4' | 'int8' | 'boolean' | 'timestamptz' | 'jsonb' | 'bytea'

/** A column of an entity: its name and type, as in `create table`. */
export type Column = `${string} ${ColumnType}`

/** A column and the property of a row that it stores. */
export interface TypedColumn {
  readonly property: string
  readonly name: string
  readonly type: ColumnType
}

export function columnsOf(columns: {
  readonly [property: string]: Column | undefined
}): readonly TypedColumn[] {
  return Object.entries(columns).flatMap(([property, column]) => {
    const [name = '', type] = column?.split(' ') ?? []
    return type === undefined ? [] : [{ property, name, type: type as ColumnType }]
  })
}

export function valuesOf(columns: readonly TypedColumn[], row: object): unknown[] {
  return columns.map(({ property }) => Reflect.get(row, property))
}

/** The select list of the columns of the row `r`. */
export function namesAs(columns: readonly TypedColumn[]): string {
  return columns.map(({ name, property }) => `r.${name} as "${property}"`).join(', ')
}

export function namesOf(columns: readonly TypedColumn[]): string {
  return columns.map(({ name }) => name).join(', ')
}

/** The parameters of a statement that takes one array for each column; jsonb and bytea are sent as text. */
export function arraysOf(columns: readonly TypedColumn[]): string {
  return columns
    .map(({ type }, place) => `$${place + 1}::${type === 'jsonb' || type === 'bytea' ? 'text' : type}[]`)
    .join(', ')
}

/** The value of the row `v` of these arrays. */
export function decoded({ name, type }: TypedColumn): string {
  if (type === 'jsonb') return `v.${name}::jsonb`
  return type === 'bytea' ? `decode(v.${name}, 'hex')` : `v.${name}`
}

/** The values of one column as an array literal. */
export function encoded({ type, property }: TypedColumn, rows: readonly object[]): string {
  const values: unknown[] = rows.map(row => Reflect.get(row, property) ?? null)
  switch (type) {
    case 'text':
    case 'timestamptz':
    case 'jsonb':
      return textArrayLiteral(values.map(value => (value === null ? null : textOf(type, value))))
    default:
      return arrayLiteral(values.map(value => (value === null ? null : plainText(value))))
  }
}

function textOf(type: 'text' | 'timestamptz' | 'jsonb', value: unknown): string {
  if (type === 'jsonb') return JSON.stringify(value)
  return value instanceof Date ? value.toISOString() : String(value)
}

/** The text of a value that needs no quotes: a number, a uuid, a boolean, bytes as hex. */
function plainText(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('hex') : String(value)
}
