import { CHALLENGE_HEADER, PaymentChallenge, PaymentProof, PROOF_HEADER } from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { decodeChallenge, decodeProof, encodeChallenge, encodeProof } from './headers.ts'
import * as messages from './messages.ts'

// The base64 was made with Python, not by the code under test.
const challenges = [
  {
    base64:
      'eyJwYXlUbyI6InRyYW5zbGF0b3IiLCJhbW91bnQiOiIxMi41MCIsImFzc2V0IjoiSU5SIiwibm9uY2UiOiIwYjU0ZjBjMi03YTBlLTRhNTItOWE1MS00YTZjM2ExZjBkN2UifQ==',
    challenge: {
      payTo: 'translator',
      amount: '12.50',
      asset: 'INR',
      nonce: '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e',
    },
  },
  {
    base64:
      'eyJwYXlUbyI6ImFndF8wMWtiN3EzZjhtZWc1dHo0eDl3YzJuNmEwMSIsImFtb3VudCI6IjEwMDAwMDAwMDAwLjAwIiwiYXNzZXQiOiJJTlIiLCJub25jZSI6IjAxOGYzYTBjLTFiMmQtOGM0ZS05ZjYwLTcxODI5M2E0YjVjNiJ9',
    challenge: {
      payTo: 'agt_01kb7q3f8meg5tz4x9wc2n6a01',
      amount: '10000000000.00',
      asset: 'INR',
      nonce: '018f3a0c-1b2d-8c4e-9f60-718293a4b5c6',
    },
  },
] as const

const proof = {
  base64:
    'eyJ2ZXJzaW9uIjoxLCJ0cmFuc2FjdGlvbklkIjoicGF5XzAxa2I3cTNmOG1lZzV0ejR4OXdjMm42YTAxIiwiZnJvbUFnZW50IjoiYWd0XzAxa2I3cTNmOG1lZzV0ejR4OXdjMm42YTAxIiwibm9uY2UiOiIwYjU0ZjBjMi03YTBlLTRhNTItOWE1MS00YTZjM2ExZjBkN2UifQ==',
  proof: {
    version: 1,
    transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01',
    fromAgent: 'agt_01kb7q3f8meg5tz4x9wc2n6a01',
    nonce: '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e',
  },
} as const

const ajv = new Ajv2020()
const isChallenge = ajv.compile(PaymentChallenge)
const isProof = ajv.compile(PaymentProof)

test('the headers have the names of the contract', () => {
  expect([messages.CHALLENGE_HEADER, messages.PROOF_HEADER]).toEqual([CHALLENGE_HEADER, PROOF_HEADER])
})

test.each(challenges)(
  'X-SERVICE-PAY is byte for byte what the interface says: %$',
  ({ base64, challenge }) => {
    expect(encodeChallenge(challenge)).toBe(base64)
    expect(decodeChallenge(base64)).toEqual(challenge)
    expect(isChallenge(decodeChallenge(base64))).toBe(true)
  },
)

test('X-SERVICE-PAYMENT is byte for byte what the interface says', () => {
  expect(encodeProof(proof.proof)).toBe(proof.base64)
  expect(decodeProof(proof.base64)).toEqual(proof.proof)
  expect(isProof(decodeProof(proof.base64))).toBe(true)
})

test('the order of a caller’s fields does not change the header', () => {
  const [{ base64, challenge }] = challenges
  const { payTo, amount, asset, nonce } = challenge
  expect(encodeChallenge({ nonce, asset, amount, payTo })).toBe(base64)
  const { version, transactionId, fromAgent } = proof.proof
  expect(encodeProof({ nonce, fromAgent, transactionId, version })).toBe(proof.base64)
})

test('an amount without two decimals is written with them', () => {
  const [{ base64, challenge }] = challenges
  expect(encodeChallenge({ ...challenge, amount: '12.5' })).toBe(base64)
  expect(() => encodeChallenge({ ...challenge, amount: '12.505' })).toThrow(RangeError)
})

test('a challenge of any script and case is read as it was written', () => {
  const base64 =
    'eyJwYXlUbyI6IuCkheCkqOClgeCkteCkvuCkpiIsImFtb3VudCI6IjEiLCJhc3NldCI6IklOUiIsIm5vbmNlIjoiMEI1NEYwQzItN0EwRS00QTUyLTlBNTEtNEE2QzNBMUYwRDdFIn0='
  const nonce = '0B54F0C2-7A0E-4A52-9A51-4A6C3A1F0D7E'
  expect(decodeChallenge(base64)).toEqual({ payTo: 'अनुवाद', amount: '1', asset: 'INR', nonce })
})
