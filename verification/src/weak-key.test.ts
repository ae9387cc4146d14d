import { EXAMPLE_PUBLIC_KEY } from '@batua/contract'
import { expect, test } from 'vitest'
import { newSigner } from './testing/signer.ts'
import { isWeakKey } from './weak-key.ts'

const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
]

const WRITTEN_OTHERWISE = [
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
]

test.each([...SMALL_ORDER, ...WRITTEN_OTHERWISE])('%s is a weak key', hex => {
  expect(isWeakKey(Buffer.from(hex, 'hex'))).toBe(true)
})

test('keys of real pairs are not weak', () => {
  for (let pair = 0; pair < 100; pair += 1) {
    expect(isWeakKey(Buffer.from(newSigner().publicKey, 'base64'))).toBe(false)
  }
})

test('the key of the standard’s first example is not weak', () => {
  expect(isWeakKey(Buffer.from(EXAMPLE_PUBLIC_KEY, 'base64'))).toBe(false)
})
