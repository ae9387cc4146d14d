import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { VoucherProof } from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { nodeEd25519, webEd25519 } from './ed25519.ts'
import { decodeProof, decodeVoucherProof, encodeVoucherProof } from './headers.ts'
import { isSignedBy, readVoucher, signVoucher } from './vouchers.ts'

const AUTHORIZATION = 'ath_01kb7q3f8meg5tz4x9wc2n6a01'
const NONCE = '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d7e'
const content = { authorizationId: AUTHORIZATION, amountPaise: 1_250n, nonce: NONCE }

const secret = () => crypto.getRandomValues(new Uint8Array(32))
const node = nodeEd25519()
if (node === null) throw new Error('the tests run on Node')

describe.each([
  ['node:crypto', node],
  ['Web Crypto', webEd25519],
])('a voucher signed with %s', (_, ed25519) => {
  test('is verified by another JOSE library and by the other platform', async () => {
    const key = await ed25519.keyOf(secret())
    const voucher = await signVoucher(key, content)
    const x = Buffer.from(key.publicKey, 'base64').toString('base64url')
    const { payload } = await compactVerify(
      voucher,
      await importJWK({ kty: 'OKP', crv: 'Ed25519', x }, 'EdDSA'),
    )
    expect(new TextDecoder().decode(payload)).toBe(
      `{"jti":"${AUTHORIZATION}","amount":"12.50","nonce":"${NONCE}"}`,
    )
    expect(decodeProtectedHeader(voucher)).toEqual({ alg: 'EdDSA', typ: 'voucher+jwt' })
    const read = readVoucher(voucher)
    expect(read).toMatchObject(content)
    for (const platform of [node, webEd25519]) {
      const other = await platform.keyOf(secret())
      const [own, foreign] = [await platform.verifier(x), await platform.verifier(other.publicKey)]
      if (read === null || own === null || foreign === null) throw new Error('it has the form')
      expect([await isSignedBy(own, read), await isSignedBy(foreign, read)]).toEqual([true, false])
    }
  })

  test('has the key that RFC 8032 derives from a secret', async () => {
    const secret = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
    const { publicKey, sign } = await ed25519.keyOf(new Uint8Array(secret))
    expect(Buffer.from(publicKey, 'base64').toString('hex')).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    )
    expect(Buffer.from(await sign(new Uint8Array())).toString('hex')).toMatch(/^e5564300c360ac72/)
  })

  test('has a key of 32 bytes', async () => {
    expect(await ed25519.verifier(Buffer.alloc(31).toString('base64'))).toBeNull()
    expect(await ed25519.verifier('not a key')).toBeNull()
  })
})

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const part = (text: string) => Buffer.from(text).toString('base64url')
const payload = `{"jti":"${AUTHORIZATION}","amount":"12.50","nonce":"${NONCE}"}`

function voucherOf(text: string, header = '{"alg":"EdDSA","typ":"voucher+jwt"}'): string {
  const signed = `${part(header)}.${part(text)}`
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}

test.each([
  ['another algorithm', voucherOf(payload, '{"alg":"Ed25519","typ":"voucher+jwt"}')],
  ['a further name in the header', voucherOf(payload, '{"alg":"EdDSA","typ":"voucher+jwt","kid":"a"}')],
  ['spaces', voucherOf(payload.replaceAll(',', ', '))],
  ['a further name', voucherOf(payload.replace('}', ',"exp":1}'))],
  ['a repeated name', voucherOf(payload.replace('{', '{"amount":"1.00",'))],
  ['its names in another order', voucherOf(`{"amount":"12.50","jti":"${AUTHORIZATION}","nonce":"${NONCE}"}`)],
  ['an amount without paise', voucherOf(payload.replace('12.50', '12.5'))],
  ['an amount that begins with 0', voucherOf(payload.replace('12.50', '012.50'))],
  ['a negative amount', voucherOf(payload.replace('12.50', '-12.50'))],
  ['an amount that is a number', voucherOf(payload.replace('"12.50"', '12.5'))],
  ['no nonce', voucherOf(payload.replace(NONCE, ''))],
  ['padding', `${voucherOf(payload)}==`],
  ['four parts', `${voucherOf(payload)}.e30`],
  ['two parts', voucherOf(payload).split('.').slice(0, 2).join('.')],
  ['a signature of 63 bytes', voucherOf(payload).slice(0, -2)],
  ['no JSON', voucherOf('{')],
  ['a list', voucherOf('[]')],
  ['a length beyond every voucher', voucherOf(payload.replace(NONCE, 'n'.repeat(1_000)))],
])('a voucher with %s is refused', (_, voucher) => {
  expect(readVoucher(voucherOf(payload))).not.toBeNull()
  expect(readVoucher(voucher)).toBeNull()
})

test('a signature whose scalar is not reduced is refused, although some libraries verify it', () => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const voucher = voucherOf(payload)
  const [header = '', body = '', signature = ''] = voucher.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`) + order
  const larger = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').toReversed()
  const other = Buffer.concat([bytes.subarray(0, 32), larger]).toString('base64url')
  expect(readVoucher(`${header}.${body}.${other}`)).toBeNull()
  expect(verify(null, Buffer.from(`${header}.${body}`), publicKey, bytes)).toBe(true)
})

test('the proof by a voucher is read as it was written, and is no proof of a payment', () => {
  const fromAgent = 'agt_01kb7q3f8meg5tz4x9wc2n6a01'
  const proof = { version: 1, authorization: 'a.b.c', voucher: 'd.e.f', fromAgent, nonce: NONCE } as const
  const header = encodeVoucherProof(proof)
  expect(Buffer.from(header, 'base64').toString()).toBe(JSON.stringify(proof))
  expect(decodeVoucherProof(header)).toEqual(proof)
  expect(new Ajv2020().compile(VoucherProof)(proof)).toBe(true)
  expect(decodeProof(header)).toBeNull()
  for (const wrong of [
    { version: 2 },
    { voucher: 'd.e' },
    { fromAgent: 'me' },
    { nonce: 'n' },
    { authorization: 1 },
  ]) {
    const text = Buffer.from(JSON.stringify({ ...proof, ...wrong })).toString('base64')
    expect(decodeVoucherProof(text)).toBeNull()
  }
})
