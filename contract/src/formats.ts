/** The greatest amount on the wire, in INR (contract section 1). */
export const MAX_AMOUNT_INR = 10_000_000_000

const DATE = /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
// Line breaks, and characters that change how text is displayed (Unicode UAX #9, Bidi_Control).
const NOT_IN_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
// Blank, or visible only together with other characters: a joiner, a filler, the empty braille pattern.
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]/u
const EMAIL = /^[^\s@<>",;:\\()[\]]{1,64}@[^\s@<>",;:\\()[\]]+\.[^\s@<>",;:\\()[\]]+$/

/** An amount of INR: a finite number with at most two decimals. `-0` is refused because it hides a sign error. */
export function isInr(value: number): boolean {
  if (!Number.isFinite(value) || Object.is(value, -0)) return false
  return Math.round(value * 100) / 100 === value
}

/** A calendar date that exists, `2026-11-20`. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const midnight = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text)
}

/** An RFC 3339 timestamp with its offset, `2026-11-20T10:15:30.000Z`. */
export function isTimestamp(text: string): boolean {
  return text[10]?.toUpperCase() === 'T' && isDate(text.slice(0, 10)) && TIME.test(text.slice(11))
}

/**
 * Text without line breaks, without control characters, those that turn the direction of writing included, and without
 * halves of surrogate pairs, which UTF-8 cannot hold. Joiners are allowed: Indian scripts need them.
 */
export function isSingleLine(text: string): boolean {
  return !NOT_IN_LINE.test(text) && text.isWellFormed()
}

/** A single line with at least one visible character. */
export function isVisibleLine(text: string): boolean {
  return VISIBLE.test(text) && isSingleLine(text)
}

/** Text of several lines, in any direction of writing, without other control characters and halves of pairs. */
export function isMultiLine(text: string): boolean {
  return !CONTROL_BUT_LINES.test(text) && text.isWellFormed()
}

function isEmail(text: string): boolean {
  return isSingleLine(text) && EMAIL.test(text)
}

/** An address of the web that a person may open: http or https, one line, without a user name or password. */
export function isWebUrl(text: string): boolean {
  if (!isSingleLine(text) || /\s/u.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

/**
 * Every `format` that the contract's schemas use, in the form that Ajv accepts: `new Ajv2020({ formats: FORMATS })`.
 * Contract section 1: amounts, texts and times.
 */
export const FORMATS = {
  inr: { type: 'number', validate: isInr },
  date: { type: 'string', validate: isDate },
  'date-time': { type: 'string', validate: isTimestamp },
  'date-or-timestamp': { type: 'string', validate: (text: string) => isDate(text) || isTimestamp(text) },
  'single-line': { type: 'string', validate: isSingleLine },
  'visible-line': { type: 'string', validate: isVisibleLine },
  'multi-line': { type: 'string', validate: isMultiLine },
  email: { type: 'string', validate: isEmail },
  'web-url': { type: 'string', validate: isWebUrl },
} as const
