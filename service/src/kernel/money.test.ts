import fc from 'fast-check'
import { expect, test } from 'vitest'
import { basisPoints, paise, paiseFromRupees, rupees, rupeesText } from './money.ts'

const MAX_PAISE = 10n ** 12n

test.each([
  [0.01, 1n],
  [0.07, 7n],
  [1.1, 110n],
  [1.15, 115n],
  [4.35, 435n],
  [1_005.005e3, 100_500_500n],
  [8.2, 820n],
  [9_999_999_999.99, 999_999_999_999n],
  [1e10, MAX_PAISE],
  [0, 0n],
  [-0, 0n],
  [-12.34, -1_234n],
])('%d rupees are exactly so many paise', (amount, expected) => {
  expect(paiseFromRupees(amount)).toBe(expected)
})

test.each([
  10.001,
  0.001,
  0.1 + 0.2,
  1.005,
  9_999_999_999.999,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MAX_VALUE,
  1e300,
  5e-324,
])('%d rupees are no whole number of paise', amount => {
  expect(paiseFromRupees(amount)).toBeNull()
})

test('every amount of the contract survives the way to the wire and back', () => {
  fc.assert(
    fc.property(fc.bigInt(-MAX_PAISE, MAX_PAISE), amount => {
      expect(paiseFromRupees(rupees(amount))).toBe(amount)
      expect(paiseFromRupees(Number(JSON.parse(JSON.stringify(rupees(amount)))))).toBe(amount)
    }),
  )
})

test('an amount with a third decimal is never taken for a neighbour', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, MAX_PAISE - 1n), fc.integer({ min: 1, max: 9 }), (whole, third) => {
      expect(paiseFromRupees(Number(`${rupeesText(whole)}${third}`))).toBeNull()
    }),
  )
})

test('a decimal text says what the amount is', () => {
  fc.assert(
    fc.property(fc.bigInt(-MAX_PAISE, MAX_PAISE), amount => {
      const text = rupeesText(amount)
      expect(text).toMatch(/^-?\d+\.\d\d$/)
      expect(BigInt(text.replace('.', ''))).toBe(amount)
    }),
  )
  expect([5n, 50n, 500n, 0n, -5n].map(rupeesText)).toEqual(['0.05', '0.50', '5.00', '0.00', '-0.05'])
})

test('a share is rounded half up to a paisa', () => {
  expect([99n, 100n, 299n, 300n].map(amount => basisPoints(paise(amount), 50n))).toEqual([0n, 1n, 1n, 2n])
  fc.assert(
    fc.property(fc.bigInt(0n, MAX_PAISE), fc.bigInt(0n, 10_000n), (amount, points) => {
      const share = basisPoints(paise(amount), points)
      const doubled = 2n * amount * points
      // The nearest whole number, and of two equally near ones the greater.
      expect(2n * 10_000n * share - doubled).toBeGreaterThan(-10_000n)
      expect(2n * 10_000n * share - doubled).toBeLessThanOrEqual(10_000n)
    }),
  )
})
