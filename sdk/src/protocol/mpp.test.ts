import { expect, test } from 'vitest'
import { base64UrlFromBytes } from './base64.ts'
import type { PaymentProof } from './messages.ts'
import { credentialFor, MPP_CHARGE, offersIn, proofInCredential } from './mpp.ts'

const chargesIn = (header: string | null) => offersIn(header, MPP_CHARGE)

const NONCE = '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d7e'
const SERVICE = 'https://batua.example'
const REQUEST = {
  ...{ amount: '250', currency: 'inr', recipient: 'weather' },
  methodDetails: { nonce: NONCE, service: SERVICE, resource: 'GET /page' },
}
const PROOF: PaymentProof = {
  version: 1,
  transactionId: 'pay_01m7yptcm9e008qzdncftyawbt',
  fromAgent: 'agt_01m7yptc5he00870yqczhzdbjy',
  nonce: NONCE,
}

const encoded = (value: object) => base64UrlFromBytes(new TextEncoder().encode(JSON.stringify(value)))
const challenge = (request: object = REQUEST, more = '') =>
  `Payment id="a-1", realm="shop", method="batua", intent="charge", request="${encoded(request)}"${more}`

test('a charge is read, with its parameters as they came', () => {
  const [charge, ...others] = chargesIn(challenge(REQUEST, ', description="a \\"cool\\" page", expires="x"'))
  expect(others).toEqual([])
  expect(charge).toMatchObject({
    ...{ service: SERVICE, resource: 'GET /page' },
    challenge: { payTo: 'weather', amount: '2.50', asset: 'INR', nonce: NONCE },
    params: { id: 'a-1', realm: 'shop', description: 'a "cool" page', request: encoded(REQUEST) },
  })
})

test.each([
  ['other schemes before and after', `Bearer realm="x", error="y", ${challenge()}, Basic realm="z"`],
  ['a scheme without parameters', `Negotiate, ${challenge()}`],
  ['another method first', `${challenge().replace('batua', 'tempo')}, ${challenge()}`],
  ['another case of the scheme', challenge().replace('Payment', 'PAYMENT')],
  ['spaces around the equals sign', challenge().replaceAll('=', ' = ').replaceAll(' = "', ' = "')],
  ['tokens in place of strings', challenge().replace('"batua"', 'batua')],
])('a charge is found among %s', (_, header) => {
  expect(chargesIn(header).map(({ challenge: { nonce } }) => nonce)).toEqual([NONCE])
})

test.each<[string, string | null]>([
  ['no header', null],
  ['another intent', challenge().replace('charge', 'session')],
  ['another currency', challenge({ ...REQUEST, currency: 'usd' })],
  ['an amount of 0', challenge({ ...REQUEST, amount: '0' })],
  ['rupees in place of paise', challenge({ ...REQUEST, amount: '2.50' })],
  ['no nonce', challenge({ ...REQUEST, methodDetails: { ...REQUEST.methodDetails, nonce: 'n' } })],
  ['no details', challenge({ ...REQUEST, methodDetails: null })],
  ['a request that is no JSON', challenge().replace(encoded(REQUEST), '!!')],
  ['a name of a prototype', challenge().replace('method=', '__proto__=')],
  ['an unfinished string', challenge().slice(0, -1)],
  ['a header that is too long', challenge(REQUEST, `, description="${'x'.repeat(20_000)}"`)],
])('no charge is found in %s', (_, header) => {
  expect(chargesIn(header)).toEqual([])
})

test('the proof in a credential is the one that was written', () => {
  const [charge] = chargesIn(challenge())
  const credential = credentialFor(charge?.params ?? {}, PROOF)
  expect(proofInCredential(credential)).toEqual(PROOF)
  expect(proofInCredential(credentialFor({ ...charge?.params, method: 'tempo' }, PROOF))).toBeNull()
  for (const none of [null, 'Bearer x', 'Payment', 'Payment !', `Payment ${encoded({ challenge: 1 })}`])
    expect(proofInCredential(none)).toBeNull()
})

test('a hostile header is read in time proportional to its length', {
  timeout: 5_000,
}, () => {
  const spaces = ' '.repeat(15_500)
  for (const header of [
    `a,${spaces}(`,
    `a${spaces}(`,
    `a b=${spaces}(`,
    `a b=c${spaces}(`,
    `a b="${spaces}`,
  ]) {
    for (let time = 0; time < 20; time++) expect(chargesIn(header)).toEqual([])
  }
})
