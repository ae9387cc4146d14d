import { expect, test } from 'vitest'
import { normaliseTotpSecret, totpSecretBytes, totpStep } from './totp.ts'

/** RFC 6238, appendix B: the ASCII text 12345678901234567890, of whose eight digits six are the last. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code of second %d is the one of RFC 6238', (second, code) => {
  expect(totpStep(SECRET, code, second * 1_000)).toBe(Math.floor(second / 30))
})

test('a code is valid one step early and one step late, but no longer', () => {
  const at = (second: number) => totpStep(SECRET, '287082', second * 1_000)
  expect([0, 29, 30, 59, 60, 89].map(at)).toEqual([1, 1, 1, 1, 1, 1])
  expect(at(90)).toBeNull()
  expect(totpStep(SECRET, '081804', (1_111_111_109 - 60) * 1_000)).toBeNull()
})

test('a secret is read as apps show it, in groups, in either case, with or without padding', () => {
  for (const text of ['gezd gnbv gy3t qojq gezd gnbv gy3t qojq', `${SECRET}===`]) {
    expect(normaliseTotpSecret(text)).toBe(SECRET)
  }
  expect(totpSecretBytes(SECRET)).toBe(20)
  for (const text of ['', 'abc1', 'secret!', '====']) expect(normaliseTotpSecret(text)).toBeNull()
})
