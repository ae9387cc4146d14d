import { namesKeyTwice } from './json-shape.ts'
import { type Doubt, unclear } from './verification-result.ts'

export type JsonObject = { readonly [name: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export interface Json {
  readonly value: unknown
}

/**
 * Parses JSON that every parser reads the same. Parsers disagree about duplicate keys, digits that a double cannot
 * represent and lone surrogates, and a signature covers what one parser made of them.
 */
export function readJson(text: string): Json | Doubt {
  const odd: string[] = []
  let value: unknown
  try {
    value = JSON.parse(text, (key, part: unknown) => {
      if (!key.isWellFormed() || (typeof part === 'string' && !part.isWellFormed()))
        odd.push('a text with half a character in it')
      return part
    })
  } catch {
    return unclear('it is not JSON; save the response of the service as it came')
  }
  const number = numbersIn(text).find(literal => JSON.stringify(Number(literal)) !== literal)
  if (number !== undefined)
    odd.push(`a number that is not written as the service writes it (${number.slice(0, 40)})`)
  if (namesKeyTwice(value, text)) odd.push('a field that stands twice in one object')
  const [first] = odd
  return first === undefined
    ? { value }
    : unclear(`it holds ${first}; save the response of the service as it came`)
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** The numbers of a valid JSON text as they are written. Node 20 does not pass them to a reviver. */
function numbersIn(text: string): string[] {
  return (text.match(STRING_OR_NUMBER) ?? []).filter(token => !token.startsWith('"'))
}
