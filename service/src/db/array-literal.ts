/**
 * PostgreSQL array literals for the bulk statements of the posting engine. The driver's general encoder inspects each
 * value, which is slower.
 */

/** For values that need no quoting: numbers, uuids, hex, plain words. null becomes NULL. */
export function arrayLiteral(values: readonly (string | number | bigint | null)[]): string {
  let literal = '{'
  for (let index = 0; index < values.length; index++) {
    literal += index === 0 ? '' : ','
    literal += values[index] ?? 'NULL'
  }
  return `${literal}}`
}

/** Bytes as PostgreSQL writes them. */
export function byteaText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`
}

const NEEDS_ESCAPE = /["\\]/

/** For any text: quoted and escaped. null becomes NULL. */
export function textArrayLiteral(values: readonly (string | null)[]): string {
  let literal = '{'
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? null
    literal += index === 0 ? '' : ','
    if (value === null) literal += 'NULL'
    else literal += `"${NEEDS_ESCAPE.test(value) ? escaped(value) : value}"`
  }
  return `${literal}}`
}

/** Two plain replacements: one by a pattern takes three times as long for JSON, which is full of quotes. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
}
