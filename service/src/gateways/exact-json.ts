import { isNestedTooDeep } from '@batua/verification/json-shape'
import { type Paise, paise } from '../kernel/money.ts'

/** JSON with every number as its original text, so that ids of 19 digits and amounts keep all their digits. */
export type ExactJson =
  | string
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson }

/** Undefined when the text is not JSON, or nests deeper than any response or webhook of a gateway. */
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

/** The value at a path of names; undefined when a part of the path is missing. */
export function at(json: ExactJson | undefined, ...path: readonly string[]): ExactJson | undefined {
  let found: ExactJson | undefined = json
  for (const name of path) {
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined
    found = Object.hasOwn(found, name) ? (found as Record<string, ExactJson>)[name] : undefined
  }
  return found
}

/** The text of a string or number at a path; null when there is none. */
export function textAt(json: ExactJson | undefined, ...path: readonly string[]): string | null {
  const found = at(json, ...path)
  return typeof found === 'string' && found !== '' ? found : null
}

/** The entries of a list; null when the value is no list. */
export function entriesOf(json: ExactJson | undefined): readonly ExactJson[] | null {
  return Array.isArray(json) ? json : null
}

/** The paise of an amount in rupees at a path; null when it is none or has a fraction of a paisa. */
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

/** The time at a path; null when it is none. Without a zone it is read as IST. */
export function momentAt(json: ExactJson | undefined, ...path: readonly string[]): Date | null {
  const text = textAt(json, ...path)
  if (text === null || !/^\d{4}-\d\d-\d\d/.test(text)) return null
  const written = text.includes('T') ? text : text.replace(' ', 'T')
  const moment = new Date(HAS_ZONE.test(written) || !written.includes('T') ? written : `${written}+05:30`)
  return Number.isNaN(moment.getTime()) ? null : moment
}
