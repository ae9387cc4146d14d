import { expect, test } from 'vitest'
import { TEST_VAULT } from '../../../testing/network.ts'
import { hashCode, newCode } from './phone-login.ts'

test('a code has six digits, and every digit occurs in every position', () => {
  const codes = Array.from({ length: 2_000 }, newCode)
  for (const code of codes) expect(code).toMatch(/^\d{6}$/)
  for (let place = 0; place < 6; place++) {
    expect(new Set(codes.map(code => code[place])).size).toBe(10)
  }
})

test('the digest of a code is valid for one kind of login of one phone only', () => {
  const digest = (audience: 'owner' | 'admin', phone: string, code: string) =>
    hashCode(TEST_VAULT, audience, phone, code).toString('hex')
  const digests = [
    digest('owner', '9876543210', '042917'),
    digest('admin', '9876543210', '042917'),
    digest('owner', '9876543211', '042917'),
    digest('owner', '9876543210', '042918'),
  ]
  expect(new Set(digests).size).toBe(4)
  expect(digest('owner', '9876543210', '042917')).toBe(digests[0])
})
