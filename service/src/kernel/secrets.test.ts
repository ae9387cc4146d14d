import { createHmac, hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openVault } from './secrets.ts'

const MASTER_KEY = Buffer.alloc(32, 3)
const vault = openVault(MASTER_KEY)

test('a MAC is the HMAC-SHA256 of the text, cut to 16 bytes', () => {
  const key = Buffer.from(hkdfSync('sha256', MASTER_KEY, '', 'batua/seal', 32))
  const lengths = fc.constantFrom(1, 10_000, 21_845, 21_846, 100_000)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), lengths, (part, length) => {
      const text = part.repeat(Math.ceil(length / Math.max(1, part.length)))
      const expected = createHmac('sha256', key).update(text).digest().subarray(0, 16)
      expect(vault.mac(text)).toEqual(expected)
    }),
  )
})

test('a value encrypted for one column cannot be decrypted for another, nor after a change', () => {
  const encrypted = vault.encrypt('ABCDE1234F', 'owners.pan')
  expect(vault.decrypt(encrypted, 'owners.pan')).toBe('ABCDE1234F')
  expect(() => vault.decrypt(encrypted, 'owners.email')).toThrow()
  for (const index of encrypted.keys()) {
    const changed = Buffer.from(encrypted)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(() => vault.decrypt(changed, 'owners.pan')).toThrow()
  }
})
