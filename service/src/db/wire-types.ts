import { types } from 'pg'

type Parse = (text: string) => unknown

const INT8_ARRAY = 1016
const TEXT_ARRAY: number = 1009

const parseTextArray: (text: string) => (string | null)[] = types.getTypeParser(TEXT_ARRAY, 'text')

// Money is int8, which a double cannot hold. A date or a time without zone would become a moment in the zone of
// this process, so they stay text.
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [types.builtins.INT8, BigInt],
  [INT8_ARRAY, text => parseTextArray(text).map(item => (item === null ? null : BigInt(item)))],
  [types.builtins.DATE, text => text],
  [types.builtins.TIMESTAMP, text => text],
  [types.builtins.TIMESTAMPTZ, dateOf],
])

const parseTimestamptz: Parse = types.getTypeParser(types.builtins.TIMESTAMPTZ, 'text')

/** The driver makes a number of infinity. Nothing here is that late; who reads it must find a date that is none. */
function dateOf(text: string): Date {
  const value = parseTimestamptz(text)
  return value instanceof Date ? value : new Date(Number.NaN)
}

/** How values of the database become values here: int8 → bigint, numeric and uuid → string, timestamptz → Date. */
export const WIRE_TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parse {
    const own = format === 'binary' ? undefined : PARSERS.get(oid)
    return own ?? types.getTypeParser(oid, format)
  },
}

/**
 * A parameter as the wire wants it. It is done here, before the driver sees the value, for two reasons: a value that
 * cannot be encoded must fail before anything is sent (the driver would otherwise close a statement it still
 * believes prepared), and the posting engine sends arrays of thousands of items, where the driver's way is slow.
 * An array becomes a PostgreSQL array; for a json column, hand in text.
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
