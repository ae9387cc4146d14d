import { expect, test } from 'vitest'
import { checkpointIn, isDoubt, readKeys, resultText } from './index.ts'
import { checker } from './testing/checks.ts'
import { newLog } from './testing/log-samples.ts'
import { certificateSample, proofSample, receiptSample } from './testing/signed-samples.ts'
import { keyDocument, keySet, newSigner } from './testing/signer.ts'

const signer = newSigner()
const check = checker(keyDocument(signer))
const { response, content } = receiptSample(signer)
const text = JSON.stringify(response)
const claims = JSON.parse(Buffer.from(response.token.split('.')[1] ?? '', 'base64url').toString())

test.each([
  ['a field that stands twice', text.replace('"amount":400.5', '"amount":1,"amount":400.5'), 'twice'],
  [
    'a field that stands twice, escaped',
    text.replace('"amount":400.5', '"\\u0061mount":1,"amount":400.5'),
    'twice',
  ],
  ['a number in another form', text.replace('"fee":2', '"fee":2.0'), 'number'],
  ['digits that a double loses', text.replace('400.5', '400.50000000000000001'), 'number'],
  ['minus zero', text.replace('"fee":2', '"fee":-0'), 'number'],
  ['a number beyond all', text.replace('"fee":2', '"fee":1e999'), 'number'],
  ['half a character', text.replace('invoice', '\\ud800'), 'half a character'],
  ['no JSON', text.slice(1), 'not JSON'],
  ['nesting without end', '['.repeat(500_000) + ']'.repeat(500_000), 'not JSON'],
  ['nothing', '', 'not JSON'],
])('%s is refused', (_what, file, because) => {
  expect(check(file)).toMatchObject({ verdict: 'cannot tell', because: expect.stringContaining(because) })
})

test.each([
  ['without padding', (signature: string) => signature.replaceAll('=', '')],
  ['with a line break', (signature: string) => `${signature}\n`],
  ['as base64url', (signature: string) => Buffer.from(signature, 'base64').toString('base64url')],
  [
    'with loose last bits',
    (signature: string) =>
      signature.replace(/.==$/, last =>
        last === 'A==' ? 'B==' : `${last.charAt(0) === 'Q' ? 'R' : last.charAt(0) === 'g' ? 'h' : 'x'}==`,
      ),
  ],
  ['empty', () => ''],
])('a signature %s is not the signature', (_how, written) => {
  const file = JSON.stringify({ ...response, signature: written(response.signature) })
  expect(check(file)).toMatchObject({ verdict: 'not genuine' })
})

test.each(['none', 'HS256', 'ES256', 'RS256', 'Ed25519', 'eddsa'])('a token with alg %s is refused', alg => {
  expect(check(signer.token('receipt+jwt', claims, { alg }))).toMatchObject({
    verdict: 'not genuine',
    because: expect.stringContaining('EdDSA'),
  })
})

test('a token that brings its own key is refused', () => {
  const forger = newSigner()
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(forger.publicKey, 'base64').toString('base64url') }
  for (const head of [
    { jwk },
    { jku: 'https://example.com' },
    { x5u: 'https://example.com' },
    { crit: ['exp'] },
  ]) {
    for (const by of [forger, signer]) {
      expect(isDoubt(check(by.token('receipt+jwt', claims, head)))).toBe(true)
    }
  }
})

test('a token of one kind never passes for another', () => {
  for (const typ of ['certificate+jwt', 'identity+jwt', 'membership-proof+jwt', 'JWT', 'RECEIPT+JWT']) {
    expect(isDoubt(check(signer.token(typ, claims)))).toBe(true)
  }
})

test('a token whose registered claims say something else is refused', () => {
  for (const claim of [
    { iss: 'other' },
    { iat: 0 },
    { jti: 'rcp_other' },
    { exp: 1 },
    { sub: 'x' },
    { aud: 'x' },
  ]) {
    expect(check(signer.token('receipt+jwt', { ...claims, ...claim }))).toMatchObject({
      verdict: 'not genuine',
    })
  }
})

test('a token whose head names another published key than its body is refused', () => {
  const next = newSigner('batua', 'key_2026-12_00000000')
  const both = checker(keyDocument(next, signer))
  expect(isDoubt(both(next.token('receipt+jwt', claims)))).toBe(true)
  expect(isDoubt(both(signer.token('receipt+jwt', claims, { kid: next.keyId })))).toBe(true)
  expect(isDoubt(both(next.token('receipt+jwt', claims, { kid: signer.keyId })))).toBe(true)
})

test.each([
  [
    'an error of the service',
    { error: { code: 'not_found', message: 'No such receipt' } },
    'error response of the service',
  ],
  ['an entry without its proof', { audit_id: 'aud_x', hash: '00' }, 'an audit entry alone'],
  ['a trail', { entries: [], pagination: {} }, 'save the response of /v1/audit/verify'],
  [
    'the response to a payment',
    { payment_id: 'pay_x', receipt_id: 'rcp_x' },
    'the response of /v1/receipts/',
  ],
  ['something else', { hello: 1 }, 'none of a receipt'],
  ['a number', 7, 'none of a receipt'],
  ['a receipt without its signature', content, 'no signature'],
])('%s is described in words', (_what, value, because) => {
  expect(check(JSON.stringify(value))).toMatchObject({ because: expect.stringContaining(because) })
})

test('what a file says cannot control the terminal', () => {
  const file = JSON.stringify({ ...response, key_id: '\u001b[2Jgenuine\n\u202e' })
  expect(resultText(check(file))).not.toMatch(/[^\P{C}\n]|\n./u)
})

const VERDICT = { kind: 'doubt', verdict: 'genuine', because: 'receipt of a lot of INR', checked: [] }
const headOf = (head: object) => Buffer.from(JSON.stringify(head)).toString('base64url')

test.each([
  ['a file', JSON.stringify(VERDICT)],
  ['a list', JSON.stringify([VERDICT])],
  ['the head of a token', `${headOf(VERDICT)}.e30.AAAA`],
  [
    'the body of a token',
    `${headOf({ alg: 'EdDSA', typ: 'receipt+jwt', kid: 'x' })}.${headOf(VERDICT)}.AAAA`,
  ],
])('%s cannot bring a verdict of its own', (_what, file) => {
  expect(resultText(check(file))).toMatch(/^(cannot tell|not genuine): /)
})

const log = newLog(signer, 2)
const proof = proofSample(signer).response
const certificate = certificateSample(signer).response
const forged = { ...response, amount: 1 }

test.each([
  ['a receipt', { ...forged, receipt: response }],
  ['a certificate', { ...certificate, subject: 'Another owner', certificate }],
  ['a list of one certificate', { ...forged, certificates: [certificate] }],
  ['a membership proof', { ...forged, ...proof }],
  ['an audit entry with its proof', { ...forged, ...log.verification(1) }],
  ['a checkpoint', { ...forged, checkpoint: log.checkpoint() }],
])('what is forged does not pass beside the genuine: %s', (_what, value) => {
  expect(check(JSON.stringify(value))).toMatchObject({
    verdict: 'cannot tell',
    because: expect.stringContaining('beside what is signed'),
  })
})

test('a receipt of which the service does not say that it is valid is not genuine', () => {
  for (const valid of [false, null, 'yes'])
    expect(check(JSON.stringify({ valid, reason: 'ok', receipt: response }))).toMatchObject({
      verdict: 'not genuine',
    })
})

const document = keyDocument(signer)
const [entry] = (document as { keys: object[] }).keys

test.each([
  ['no object', 7],
  ['no keys', {}],
  ['another algorithm', { ...document, algorithm: 'RSA' }],
  ['an empty list of keys', { ...document, keys: [] }],
  ['a key twice', { ...document, keys: [entry, entry] }],
  ['a key in use that is not among the keys', { ...document, public_key: newSigner().publicKey }],
  ['no key in use', { ...document, key_id: undefined, public_key: undefined }],
  [
    'a key of 31 bytes',
    { ...document, keys: [{ ...entry, public_key: Buffer.alloc(31).toString('base64') }] },
  ],
  ['a key of small order', { ...document, keys: [entry, { key_id: 'x', public_key: `${'A'.repeat(43)}=` }] }],
  ['a key in loose base64', { ...document, keys: [{ ...entry, public_key: `${signer.publicKey} ` }] }],
  ['a set without Ed25519 keys', { keys: [{ kty: 'RSA', kid: 'x' }] }],
  [
    'a set with a key of another use',
    { keys: [{ ...(keySet(signer) as { keys: object[] }).keys[0], use: 'enc' }] },
  ],
])('a key document with %s is refused', (_what, value) => {
  expect(readKeys(JSON.stringify(value))).toMatchObject({
    verdict: 'cannot tell',
    because: expect.stringContaining('the key document cannot be used'),
  })
})

test('keys of other kinds in a key set are left to others', () => {
  const set = keySet(signer) as { keys: object[] }
  expect(checker({ keys: [{ kty: 'RSA', kid: 'x' }, ...set.keys] })(text).kind).toBe('genuine')
})

test('a checkpoint is found in a note and in a response, and in nothing else', () => {
  expect(checkpointIn('{"checkpoint":"note\\n"}')).toBe('note\n')
  expect(checkpointIn('note')).toBe('note\n')
  expect(isDoubt(checkpointIn('{}'))).toBe(true)
})
