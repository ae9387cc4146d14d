import { describe, expect, test } from 'vitest'
import { isDoubt, resultText } from './index.ts'
import { checker, withEachByteFlipped, withEachLeafChanged } from './testing/checks.ts'
import { certificateSample, proofSample, receiptSample, samplesOf } from './testing/signed-samples.ts'
import { keyDocument, keySet, newSigner } from './testing/signer.ts'

const signer = newSigner()
const check = checker(keyDocument(signer))
const later = new Date('2026-11-20T11:15:30.250Z')
const json = JSON.stringify

/** What is signed of a response, and the signature. A certificate has more fields, which are not. */
function signedPart(name: string, text: string, names: readonly string[]): unknown {
  const { signature, token: _token, ...rest } = JSON.parse(text)
  if (name === 'membership proof') return { proof: rest.proof, signature }
  if (name !== 'certificate') return { ...rest, signature }
  return { ...Object.fromEntries(names.map(name => [name, rest[name]])), signature }
}

describe.each(samplesOf(signer))('a $name', ({ name, response, content }) => {
  const text = json(response)

  test('is genuine as the service made it, with its key document and with its key set', () => {
    for (const keys of [keyDocument(signer), keySet(signer)]) {
      expect(checker(keys)(text)).toMatchObject({
        kind: 'genuine',
        says: expect.stringContaining(name.split(' ')[0] ?? ''),
      })
      expect(checker(keys)(json(response, null, 2)).kind).toBe('genuine')
    }
  })

  test('is genuine as a token alone, and without its token', () => {
    expect(check(`${response.token}\n`).kind).toBe('genuine')
    const { token: _token, ...rest } = response
    expect(check(json(rest)).kind).toBe('genuine')
  })

  test('is not genuine when any byte of its signature is flipped', () => {
    const signature = Buffer.from(response.signature, 'base64')
    for (let index = 0; index < signature.length; index++) {
      for (const bit of [1, 128]) {
        const copy = Buffer.from(signature)
        copy[index] = (copy[index] ?? 0) ^ bit
        expect(isDoubt(check(json({ ...response, signature: copy.toString('base64') })))).toBe(true)
      }
    }
  })

  test('is not genuine when anything that is signed is changed, left out or added', () => {
    const wrap = (changed: object) => (name === 'membership proof' ? { proof: changed } : changed)
    let count = 0
    for (const changed of withEachLeafChanged(content)) {
      const file = json({
        ...response,
        ...wrap({}),
        ...wrap(changed as object),
        ...gone(content, changed as object),
      })
      expect.soft(isDoubt(check(file)), file).toBe(true)
      count += 1
    }
    expect(count).toBeGreaterThan(20)
  })

  test('is only genuine with a byte flipped where nothing that is signed changed', () => {
    const names = Object.keys(content)
    let refused = 0
    for (const flipped of withEachByteFlipped(text)) {
      if (isDoubt(check(flipped))) refused += 1
      else expect(signedPart(name, flipped, names)).toEqual(signedPart(name, text, names))
    }
    expect(refused).toBeGreaterThan(json(content).length)
  })

  test('is not genuine when any character of its token is changed', () => {
    for (let index = 0; index < response.token.length; index++) {
      const other = response.token[index] === 'A' ? 'B' : 'A'
      const token = response.token.slice(0, index) + other + response.token.slice(index + 1)
      expect(isDoubt(check(token))).toBe(true)
      expect(isDoubt(check(json({ ...response, token })))).toBe(true)
    }
  })

  test('is not genuine when the service says it signed with a key that another holds', () => {
    const forger = newSigner()
    const forged = samplesOf(forger).find(sample => sample.name === name)
    expect(check(json(forged?.response))).toMatchObject({ verdict: 'not genuine' })
    expect(check(forged?.response.token ?? '')).toMatchObject({ verdict: 'not genuine' })
  })

  test('cannot be decided with the key document of another service, or without its key', () => {
    for (const [service, keyId] of [
      ['other', signer.keyId],
      ['batua', 'key_2026-12_00000000'],
    ]) {
      const other = checker(keyDocument(newSigner(service, keyId)))
      for (const file of [text, response.token]) {
        expect(other(file)).toMatchObject({
          verdict: 'cannot tell',
          because: expect.stringContaining('key document'),
        })
      }
    }
  })

  test('is genuine under a retired key, and says that it is retired', () => {
    const next = newSigner('batua', 'key_2026-12_00000000')
    const verdict = checker(keyDocument(next, signer))(text)
    expect(verdict.kind).toBe('genuine')
    expect(resultText(verdict)).toContain(`${signer.keyId} is retired`)
  })

  test('may not say one thing in its fields and another in its token', () => {
    const other = { ...content, tier: 'tier3', amount: 1 }
    const typ = JSON.parse(Buffer.from(response.token.split('.')[0] ?? '', 'base64url').toString()).typ
    const verdict = check(json({ ...response, token: signer.token(typ, other) }))
    expect(verdict).toMatchObject({ verdict: 'not genuine', because: expect.stringContaining('token') })
  })
})

/** Names that a changed copy has lost: they must not be taken from the complete response. */
function gone(content: object, changed: object): Record<string, undefined> {
  const names = Object.keys(content).filter(name => !(name in changed))
  return Object.fromEntries(names.map(name => [name, undefined]))
}

test('a certificate and a proof end at their time and do not begin before it', () => {
  for (const { response } of [certificateSample(signer), proofSample(signer)]) {
    for (const file of [json(response), response.token]) {
      expect(check(file, new Date(later.getTime() - 1)).kind).toBe('genuine')
      expect(check(file, later)).toMatchObject({
        verdict: 'not valid',
        because: expect.stringContaining('expired'),
      })
      expect(check(file, new Date('2026-11-20T10:00:00Z'))).toMatchObject({ verdict: 'not valid' })
    }
  }
})

test('a certificate whose copy says that it was revoked is not valid', () => {
  const { response } = certificateSample(signer)
  const revoked = { ...response, status: 'revoked', revoked_at: '2026-11-20T10:20:00.000Z' }
  expect(check(json(revoked))).toMatchObject({
    verdict: 'not valid',
    because: expect.stringContaining('revoked'),
  })
})

test('what is not signed of a certificate is named', () => {
  const { response } = certificateSample(signer)
  const text = resultText(check(json({ ...response, famous: true })))
  expect(text).toContain('not signed: owner_id, status, revoked_at, revocation_reason, famous')
})

test('a receipt as strangers see it says that it leaves the words out', () => {
  const { response } = receiptSample(signer)
  const stranger = { ...response, reference: null, note: null, token: null }
  expect(check(json(stranger))).toMatchObject({
    verdict: 'cannot tell',
    because: expect.stringContaining('leaves out what the two wrote to each other'),
  })
})

test('a receipt without words verifies for strangers too', () => {
  const { content } = receiptSample(signer)
  const wordless = { ...content, reference: null, note: null }
  expect(check(json({ ...wordless, signature: signer.signature(wordless), token: null })).kind).toBe(
    'genuine',
  )
})

test('responses that hold one thing are unwrapped, and others are not guessed at', () => {
  const receipt = receiptSample(signer).response
  const certificate = certificateSample(signer).response
  const kinds = (value: unknown) => check(json(value)).kind
  expect(kinds({ valid: true, reason: 'ok', receipt })).toBe('genuine')
  expect(kinds({ valid: false, reason: 'bad_signature', receipt })).toBe('doubt')
  expect(kinds({ valid: false, reason: 'not_found', receipt: null })).toBe('doubt')
  expect(kinds({ certificate, revoked_certificate_id: 'cert_x' })).toBe('genuine')
  expect(kinds({ certificates: [certificate], pagination: { total: 1, limit: 20, offset: 0 } })).toBe(
    'genuine',
  )
  expect(check(json({ certificates: [certificate, certificate] }))).toMatchObject({
    because: expect.stringContaining('a list of 2'),
  })
  expect(kinds([receipt])).toBe('genuine')
})
