import { Buffer } from 'node:buffer'
import { PaymentChallenge, PaymentProof } from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rupeesText } from './amount.ts'
import {
  decodeChallenge,
  decodeProof,
  encodeChallenge,
  encodeProof,
  MAX_HEADER_CHARACTERS,
} from './headers.ts'

const nonce = '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e'
const challenge = { payTo: 'translator', amount: '12.50', asset: 'INR', nonce } as const
const proof = {
  version: 1,
  transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01',
  fromAgent: 'agt_01kb7q3f8meg5tz4x9wc2n6a01',
  nonce,
} as const

const ajv = new Ajv2020()
const isChallenge = ajv.compile(PaymentChallenge)
const isProof = ajv.compile(PaymentProof)

function base64(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64')
}

function header(value: unknown): string {
  return base64(JSON.stringify(value))
}

const idSuffix = fc.stringMatching(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/)
const challenges = fc.record({
  payTo: fc.stringMatching(/^@?[a-z][a-z0-9_-]{2,31}$/),
  amount: fc.bigInt(1n, 10n ** 12n).map(rupeesText),
  asset: fc.constant('INR' as const),
  nonce: fc.uuid(),
})
const proofs = fc.record({
  version: fc.constant(1 as const),
  transactionId: idSuffix.map(suffix => `pay_${suffix}`),
  fromAgent: idSuffix.map(suffix => `agt_${suffix}`),
  nonce: fc.uuid(),
})

test('a written header is read back unchanged, and matches the contract', () => {
  fc.assert(
    fc.property(challenges, proofs, (challenge, proof) => {
      expect(decodeChallenge(encodeChallenge(challenge))).toEqual(challenge)
      expect(isChallenge(challenge)).toBe(true)
      expect(decodeProof(encodeProof(proof))).toEqual(proof)
      expect(isProof(proof)).toBe(true)
    }),
  )
})

/** A field that is missing, or has another type. */
const wrong = fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.constantFrom('', '0', '-1', 'INR ', nonce))

test('only the fields that the contract describes are read, whatever the others contain', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys({ ...challenge, ...proof })), wrong, (field, value) => {
      const readChallenge = decodeChallenge(header({ ...challenge, [field]: value }))
      if (readChallenge !== null) expect(isChallenge(readChallenge)).toBe(true)
      const readProof = decodeProof(header({ ...proof, [field]: value }))
      if (readProof !== null) expect(isProof(readProof)).toBe(true)
    }),
  )
})

test('invalid text of any kind gives null and never throws', () => {
  const garbage = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.base64String(),
    fc.uint8Array().map(base64),
    fc.json().map(base64),
  )
  fc.assert(
    fc.property(garbage, text => {
      expect(decodeChallenge(text)).toBeNull()
      expect(decodeProof(text)).toBeNull()
    }),
  )
})

test.each([
  ['no payee', { payTo: undefined }],
  ['an empty payee', { payTo: '' }],
  ['a payee of 65 characters', { payTo: 'a'.repeat(65) }],
  ['a payee with a line break', { payTo: 'translator\n' }],
  ['half a character as payee', { payTo: '\ud800' }],
  ['a payee that is a list', { payTo: ['translator'] }],
  ['an amount as a number', { amount: 12.5 }],
  ['nothing to pay', { amount: '0.00' }],
  ['less than nothing', { amount: '-1' }],
  ['a third decimal', { amount: '1.005' }],
  ['an amount with an exponent', { amount: '1e3' }],
  ['more than the service moves', { amount: '10000000000.01' }],
  ['another asset', { asset: 'USD' }],
  ['the asset in small letters', { asset: 'inr' }],
  ['no nonce', { nonce: undefined }],
  ['a nonce that is no UUID', { nonce: '12345' }],
  ['a nonce in braces', { nonce: `{${nonce}}` }],
  ['a nonce and more', { nonce: `${nonce}\n` }],
])('a challenge with %s is refused', (_, change) => {
  expect(decodeChallenge(header({ ...challenge, ...change }))).toBeNull()
})

test.each([
  ['no version', { version: undefined }],
  ['another version', { version: 2 }],
  ['a version as text', { version: '1' }],
  ['the id of something else', { transactionId: 'txn_01kb7q3f8meg5tz4x9wc2n6a01' }],
  ['a cut id', { transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a0' }],
  ['an id with more behind it', { transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01/verify' }],
  ['a handle as payer', { fromAgent: 'translator' }],
  ['a payer that is an object', { fromAgent: { id: proof.fromAgent } }],
  ['a nonce that is no UUID', { nonce: '../verify' }],
])('a proof with %s is refused', (_, change) => {
  expect(decodeProof(header({ ...proof, ...change }))).toBeNull()
})

describe('base64 is accepted in one form only', () => {
  const text = encodeChallenge(challenge)
  const json = JSON.stringify(challenge)
  test.each([
    ['without padding', text.replaceAll('=', '')],
    ['with a space', ` ${text}`],
    ['with a line break', `${text.slice(0, 76)}\r\n${text.slice(76)}`],
    ['with bits that say nothing', `${text.slice(0, -3)}R==`],
    ['twice', `${text}, ${text}`],
    ['of the URL alphabet', base64('{"a":"???>>>"}').replaceAll('+', '-').replaceAll('/', '_')],
    ['of a JSON with a byte order mark', base64(`\ufeff${json}`)],
    ['of bytes that are no UTF-8', base64(Buffer.from(json.replace('translator', 'caf\u00e9'), 'latin1'))],
    ['of a cut JSON', base64(json.slice(0, -1))],
    ['of null', base64('null')],
    ['of a list', header([challenge])],
    ['of a text', header(json)],
    ['of JSON itself', json],
    ['of nothing', ''],
  ])('%s it is refused', (_, value) => {
    expect(decodeChallenge(value)).toBeNull()
  })
})

test('unknown fields are ignored, and the result contains none of them', () => {
  expect(decodeChallenge(header({ ...challenge, resource: '/weather' }))).toEqual(challenge)
  expect(decodeProof(header({ ...proof, note: [1] }))).toEqual(proof)
})

test('a header of the maximum length is read, and a longer one is refused', () => {
  const filler = (extra: number): string => header({ ...challenge, filler: ' '.repeat(extra) })
  const fits = MAX_HEADER_CHARACTERS * 0.75 - JSON.stringify({ ...challenge, filler: '' }).length
  expect(filler(fits)).toHaveLength(MAX_HEADER_CHARACTERS)
  expect(decodeChallenge(filler(fits))).toEqual(challenge)
  expect(decodeChallenge(filler(fits + 1))).toBeNull()
  expect(decodeChallenge('A'.repeat(1_048_576))).toBeNull()
})

test('keys that are special in JavaScript have no effect', () => {
  const inherited = `{"__proto__":${JSON.stringify(challenge)},"constructor":{"prototype":{"payTo":"thief"}}}`
  expect(decodeChallenge(base64(inherited))).toBeNull()
  expect(Object.keys(Object.prototype)).toEqual([])
  const twice = `{"payTo":"thief",${JSON.stringify(challenge).slice(1)}`
  expect(decodeChallenge(base64(twice))).toEqual(challenge)
})
