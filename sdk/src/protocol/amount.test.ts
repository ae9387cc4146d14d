import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paiseFromRupees, rupeesNumber, rupeesText } from './amount.ts'

const MAX_PAISE = 10n ** 12n
const amounts = fc.bigInt(0n, MAX_PAISE)

test.each([
  [0.07, 7n],
  [1.15, 115n],
  [4.35, 435n],
  [8.2, 820n],
  [0, 0n],
  [-0, 0n],
  [9_999_999_999.99, 999_999_999_999n],
  [1e10, MAX_PAISE],
  ['12', 1_200n],
  ['12.5', 1_250n],
  ['12.05', 1_205n],
  ['0.01', 1n],
  ['00012.50', 1_250n],
  ['10000000000.00', MAX_PAISE],
])('%j is parsed to the exact number of paise', (rupees, paise) => {
  expect(paiseFromRupees(rupees)).toBe(paise)
})

const notAmounts: readonly unknown[] = [
  ...[-1, -0.01, 10.001, 0.1 + 0.2, 1.005, 1e10 + 0.01, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 5e-324],
  ...[
    '',
    '-1',
    '+1',
    '1.',
    '.5',
    '1.005',
    '1e2',
    '0x10',
    ' 1',
    '1\n',
    '1,000',
    '١',
    '10000000000.01',
    '1'.repeat(12),
  ],
  ...[null, undefined, true, 1n, {}, [], ['12.50'], new Date(), Symbol('12')],
]

test.each(notAmounts)('%s is refused as an amount', rupees => {
  expect(() => paiseFromRupees(rupees as string)).toThrow(RangeError)
})

test('every amount is the same after it was written and parsed', () => {
  fc.assert(
    fc.property(amounts, paise => {
      expect(rupeesText(paise)).toMatch(/^[0-9]{1,11}\.[0-9]{2}$/)
      expect(paiseFromRupees(rupeesText(paise))).toBe(paise)
      expect(paiseFromRupees(rupeesNumber(paise))).toBe(paise)
      expect(paiseFromRupees(Number(JSON.parse(JSON.stringify(rupeesNumber(paise)))))).toBe(paise)
    }),
  )
})

test('an amount with a third decimal is never rounded', () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 9 }), (paise, third) => {
      expect(() => paiseFromRupees(`${rupeesText(paise)}${third}`)).toThrow(RangeError)
    }),
  )
})

test('a negative amount is written with its sign', () => {
  expect(rupeesText(-5n)).toBe('-0.05')
  expect(rupeesText(-1_234n)).toBe('-12.34')
})
