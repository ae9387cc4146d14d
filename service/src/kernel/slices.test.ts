import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slicesOf } from './slices.ts'

test('slices hold every item once, in order, and only the last one is shorter than the size', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 20 }), (items, size) => {
      const slices = slicesOf(items, size)
      expect(slices.flat()).toEqual(items)
      expect(slices.slice(0, -1).every(slice => slice.length === size)).toBe(true)
      expect(slices.every(slice => slice.length > 0 && slice.length <= size)).toBe(true)
    }),
  )
})
