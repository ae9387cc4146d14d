import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paise } from '../../kernel/money.ts'
import { paymentFee } from './fee.ts'

test.each([
  [1n, 100n],
  [10_000n, 100n],
  [19_999n, 100n],
  [20_000n, 100n],
  [20_099n, 100n],
  [20_100n, 101n],
  [20_299n, 101n],
  [20_300n, 102n],
  [40_000n, 200n],
  [10n ** 12n, 5n * 10n ** 9n],
])('%d paise cost %d paise', (amount, fee) => {
  expect(paymentFee(paise(amount))).toBe(fee)
})

test('the fee is half a percent, rounded half up, and at least 1 INR', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 12n), amount => {
      // Half a percent is a 200th; adding half of 200 before truncating rounds half up.
      const halfPercent = (amount + 100n) / 200n
      expect(paymentFee(paise(amount))).toBe(halfPercent < 100n ? 100n : halfPercent)
    }),
  )
})
