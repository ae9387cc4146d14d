import { isNestedTooDeep } from '../kernel/json-shape.ts'
import { type Paise, paise } from '../kernel/money.ts'

/** JSON with every number as the text it was written in: an id of 19 digits and an amount keep all their digits. */
export type ExactJson =
  | string
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson }

/** Undefined when the text is not JSON, or nests deeper than any answer or webhook of a gateway. */
export function parseExactJson(text: string): ExactJson | undefined {
  if (isNestedTooDeep(text)) return undefined
  try {
    return JSON.parse(text, (_key, value: ExactJson | number, context?: { source?: string }) =>
      typeof value === 'number' ? (context?.source ?? String(value)) : value,
    )
  } catch {
    return undefined
  }
}

/** What stands at a path of names; undefined when anything on the way is missing. */
export function at(json: ExactJson | undefined, ...path: readonly string[]): ExactJson | undefined {
  let found: ExactJson | undefined = json
  for (const name of path) {
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined
    found = Object.hasOwn(found, name) ? (found as Record<string, ExactJson>)[name] : undefined
  }
  return found
}

/** A text or number at a path, as it was written; null when there is none. */
export function textAt(json: ExactJson | undefined, ...path: readonly string[]): string | null {
  const found = at(json, ...path)
  return typeof found === 'string' && found !== '' ? found : null
}

/** The entries of a list; null when it is none. */
export function entriesOf(json: ExactJson | undefined): readonly ExactJson[] | null {
  return Array.isArray(json) ? json : null
}

/** An amount in rupees at a path, in paise; null when it is none or has a part of a paisa. */
export function paiseAt(json: ExactJson | undefined, ...path: readonly string[]): Paise | null {
  const text = textAt(json, ...path)
  return text === null ? null : paiseFromText(text)
}

const DECIMAL = /^(-?)(\d{1,20})(?:\.(\d{1,20}))?(?:[eE]([+-]?\d{1,2}))?$/

/** `1234.5`, `1234.50` and `1.2345E3` are all 123450 paise. No float is made on the way. */
export function paiseFromText(text: string): Paise | null {
  const [match, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (match === undefined) return null
  const shift = Number(exponent) + 2 - fraction.length
  const digits = BigInt(whole + fraction)
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : wholePart(digits, -shift)
  if (amount === null) return null
  return paise(sign === '-' ? -amount : amount)
}

function wholePart(digits: bigint, places: number): bigint | null {
  const divisor = 10n ** BigInt(places)
  return digits % divisor === 0n ? digits / divisor : null
}

const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i

/** A moment at a path; null when it is none. One without a zone is taken to be Indian time. */
export function momentAt(json: ExactJson | undefined, ...path: readonly string[]): Date | null {
  const text = textAt(json, ...path)
  if (text === null || !/^\d{4}-\d\d-\d\d/.test(text)) return null
  const written = text.includes('T') ? text : text.replace(' ', 'T')
  const moment = new Date(HAS_ZONE.test(written) || !written.includes('T') ? written : `${written}+05:30`)
  return Number.isNaN(moment.getTime()) ? null : moment
}
