import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonShapeOf } from './json-shape.ts'

interface Shape {
  readonly depth: number
  readonly keys: number
}

function shapeOfValue(value: unknown): Shape {
  if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0 }
  const shapes = Object.values(value).map(shapeOfValue)
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return {
    depth: 1 + Math.max(0, ...shapes.map(shape => shape.depth)),
    keys: own + shapes.reduce((sum, shape) => sum + shape.keys, 0),
  }
}

test('the depth and the keys of a text are those of the value that it is parsed to', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), value => {
      expect(jsonShapeOf(JSON.stringify(value))).toEqual(shapeOfValue(value))
    }),
  )
})

test.each([
  ['brackets in a string', '["[[[{{{"]', 1],
  ['brackets behind an escaped quote', String.raw`["\"[[["]`, 1],
  ['brackets behind an escaped backslash', String.raw`["\\",[[]]]`, 3],
  ['brackets that never close', '[[[[', 4],
  ['brackets that only close', ']]]][', 0],
])('the depth of a JSON text is right for %s', (_what, text, depth) => {
  expect(jsonShapeOf(text).depth).toBe(depth)
})
