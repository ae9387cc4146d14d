import { isUtf8 } from 'node:buffer'
import { countKeysIn, jsonShapeOf, MAX_JSON_DEPTH } from '@batua/verification/json-shape'
import { AppError } from '../../kernel/app-error.ts'

/**
 * Parses a JSON body strictly. Refused with `validation_error`: bytes that are not UTF-8 (they would become replacement
 * characters), nesting deeper than 32 levels, a key twice in one object (parsers disagree which one counts).
 * A number that a double cannot hold becomes NaN, which no schema accepts: see `readExactNumber`.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new AppError('validation_error', 'The body is not valid UTF-8; encode it as UTF-8')
  const text = bytes.toString('utf8')
  const { depth, keys } = jsonShapeOf(text)
  if (depth > MAX_JSON_DEPTH) {
    const message = `The JSON body nests deeper than ${MAX_JSON_DEPTH} levels; send it flatter`
    throw new AppError('validation_error', message)
  }
  const value = parse(text)
  if (countKeysIn(value) !== keys) {
    throw new AppError(
      'validation_error',
      'The JSON body names a field twice in one object; send each field once',
    )
  }
  return value
}

/** Literals that could lose digits: three or more decimals, or a negative exponent. Amounts have neither. */
const MAY_LOSE_DIGITS = /\.\d{3}|\d[eE]-/

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return MAY_LOSE_DIGITS.test(text) ? JSON.parse(text, readExactNumber) : value
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new AppError(
        'validation_error',
        'The body is not valid JSON; check its quotes, commas and brackets',
      )
    }
    throw error
  }
}

/** No amount needs more digits, and comparing 64 KiB of them would keep every other caller waiting. */
const MAX_LITERAL_LENGTH = 40

/**
 * `10.0000000000000001` parses to 10, an amount that the caller did not send. A literal that is a whole number of paise
 * only because its last digits were lost, or that has too many digits, becomes NaN.
 */
function readExactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  if (Math.round(value * 100) / 100 !== value) return value
  if (context.source.length > MAX_LITERAL_LENGTH) return Number.NaN
  return decimal(context.source) === decimal(String(value)) ? value : Number.NaN
}

/** One text for each decimal value: its significant digits and its exponent. */
function decimal(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const sign = whole.startsWith('-') ? '-' : ''
  const digits = (whole.replace('-', '') + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
