import type { Fields } from './reply.ts'

/** What a field must be: a pattern for its text, or the shape of an object within. */
export type Shape = { readonly [field: string]: RegExp | Shape | Optional }

export interface Optional {
  readonly optional: RegExp | Shape
}

export function optional(shape: RegExp | Shape): Optional {
  return { optional: shape }
}

export const RUPEES = /^\d{1,10}\.\d\d$/
export const ORDER_ID = /^[A-Za-z0-9_-]{3,45}$/
export const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** The path of the first field that does not fit, one too many included; null when all do. */
export function misfit(shape: Shape, given: unknown, path = ''): string | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return path === '' ? 'body' : path
  const fields = given as Fields
  for (const name of Object.keys(fields)) if (!(name in shape)) return path + name
  for (const [name, expected] of Object.entries(shape)) {
    const wrong = fieldMisfit(expected, fields[name], path + name)
    if (wrong !== null) return wrong
  }
  return null
}

function fieldMisfit(expected: Shape[string], given: unknown, path: string): string | null {
  if (isOptional(expected)) return given === undefined ? null : fieldMisfit(expected.optional, given, path)
  if (expected instanceof RegExp) return typeof given === 'string' && expected.test(given) ? null : path
  return misfit(expected, given, `${path}.`)
}

function isOptional(expected: Shape[string]): expected is Optional {
  return !(expected instanceof RegExp) && 'optional' in expected
}
