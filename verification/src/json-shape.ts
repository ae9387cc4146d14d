/**
 * The maximum nesting of JSON. No valid input needs more, and recursive functions over values would overflow the call
 * stack at thousands of levels.
 */
export const MAX_JSON_DEPTH = 32

export interface JsonShape {
  /** The most arrays and objects that are open at once. */
  readonly depth: number
  /** Colons outside strings: in valid JSON each one stands behind a key. */
  readonly keys: number
}

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The shape of a JSON text, found without parsing it. For a text that is not JSON the result has no meaning. */
export function jsonShapeOf(text: string): JsonShape {
  let keys = 0
  let open = 0
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (inString) {
      if (character === BACKSLASH) index++
      else if (character === QUOTE) inString = false
    } else if (character === QUOTE) inString = true
    else if (character === COLON) keys++
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      open++
      if (open > depth) depth = open
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) open--
  }
  return { depth, keys }
}

/** Whether a JSON text nests deeper than `MAX_JSON_DEPTH`. Call it before the text is parsed. */
export function isNestedTooDeep(text: string): boolean {
  return jsonShapeOf(text).depth > MAX_JSON_DEPTH
}

/** Whether a valid JSON text has a key twice in one object; the parsed value has it once. */
export function namesKeyTwice(value: unknown, text: string): boolean {
  return countKeysIn(value) !== jsonShapeOf(text).keys
}

/** The keys of all objects in a value. */
export function countKeysIn(root: unknown): number {
  let count = 0
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) count += Object.keys(value).length
    for (const child of Object.values(value)) {
      if (typeof child === 'object' && child !== null) waiting.push(child)
    }
  }
  return count
}
