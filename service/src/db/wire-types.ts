import { types } from 'pg'

type Parse = (text: string) => unknown

const INT8_ARRAY = 1016
const TEXT_ARRAY: number = 1009

const parseTextArray: (text: string) => (string | null)[] = types.getTypeParser(TEXT_ARRAY, 'text')

// Money is int8, which a double cannot represent. The driver would read a date or a time without zone in the zone of this
// process, so they stay text.
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [types.builtins.INT8, BigInt],
  [INT8_ARRAY, text => parseTextArray(text).map(item => (item === null ? null : BigInt(item)))],
  [types.builtins.DATE, text => text],
  [types.builtins.TIMESTAMP, text => text],
  [types.builtins.TIMESTAMPTZ, dateOf],
])

const parseTimestamptz: Parse = types.getTypeParser(types.builtins.TIMESTAMPTZ, 'text')

/** The driver returns a number for infinity. No stored time is infinite, so it becomes an invalid Date. */
function dateOf(text: string): Date {
  const value = parseTimestamptz(text)
  return value instanceof Date ? value : new Date(Number.NaN)
}

/** The types of values read: int8 → bigint, numeric and uuid → string, timestamptz → Date. */
export const WIRE_TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parse {
    const own = format === 'binary' ? undefined : PARSERS.get(oid)
    return own ?? types.getTypeParser(oid, format)
  },
}

/**
 * Encodes a parameter before the driver gets it, for two reasons. A value that cannot be encoded must fail before
 * anything is sent; otherwise the driver would close a statement that it still takes for prepared. And the posting engine
 * sends arrays of thousands of items, which the driver encodes slowly. An array becomes a PostgreSQL array; for a json
 * column, pass text.
 */
export function encodeParameter(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return encodeArray(value)
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (typeof value === 'object') return JSON.stringify(value)
  return encodeScalar(value)
}

function encodeArray(items: readonly unknown[]): string {
  return `{${items.map(encodeItem).join(',')}}`
}

function encodeItem(item: unknown): string {
  if (typeof item === 'string') return quote(item)
  if (item === null || item === undefined) return 'NULL'
  if (Array.isArray(item)) return encodeArray(item)
  if (item instanceof Date) return quote(item.toISOString())
  if (item instanceof Uint8Array)
    return `"\\\\x${Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString('hex')}"`
  if (typeof item === 'object') return quote(JSON.stringify(item))
  return encodeScalar(item)
}

function encodeScalar(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw new TypeError(`A ${typeof value} cannot be a query parameter`)
}

const NEEDS_ESCAPE = /["\\]/
const EVERY_ESCAPE = /["\\]/g

function quote(text: string): string {
  return NEEDS_ESCAPE.test(text) ? `"${text.replace(EVERY_ESCAPE, '\\$&')}"` : `"${text}"`
}
