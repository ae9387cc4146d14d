import { expect, test } from 'vitest'
import { reasonWord } from './gateway-result.ts'

test.each([
  ['order_already_exists', 'order_already_exists'],
  ['UPI_102', 'UPI_102'],
  ['account_50100012345678_invalid', 'account_#_invalid'],
  ['phone9876543210', 'phone#'],
  ['asha@examplebank', null],
  ['9876543210', null],
  ['Asha Rao', null],
  ['', null],
  [null, null],
])('a provider’s word for a reason is kept without what could be a person’s: %s', (said, kept) => {
  expect(reasonWord(said)).toBe(kept)
})
