import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isDoubt, resultText } from './index.ts'
import { checker, withEachLeafChanged } from './testing/checks.ts'
import { type Algorithm, newDevice, PASSKEY_ID, RP_ID } from './testing/evidence-samples.ts'
import { newLog } from './testing/log-samples.ts'
import { canonical, keyDocument, newSigner } from './testing/signer.ts'

const signer = newSigner()
const check = checker(keyDocument(signer))
const json = JSON.stringify

const CONTEXT = { purpose: 'Translation', items: [{ name: 'Page', quantity: 12, amount: 30 }] }
const SIGNED = {
  approval_id: 'apr_01kb7q3f8meg5tz4x9wc2n6a02',
  agent_id: 'agt_01kb7q3f8meg5tz4x9wc2n6a03',
  kind: 'payment',
  to: 'agt_01kb7q3f8meg5tz4x9wc2n6a04',
  amount: 400.1,
  fee: 2,
  reference: 'invoice-7',
  expires_at: '2026-11-21T10:15:30.000Z',
}
const document = {
  ...SIGNED,
  currency: 'INR',
  context_sha256: hash('sha256', canonical(CONTEXT), 'hex'),
  allow: { amount: 500, until: '2026-11-22T10:15:30.000Z' },
}
const recordWith = (evidence: unknown) => ({
  ...SIGNED,
  agent_name: 'Buyer',
  status: 'approved',
  context: CONTEXT,
  evidence,
})

/** The response of `/v1/audit/verify` for the enrolment of a passkey. */
function enrolmentOf(publicKey: string, changes: object = {}, action = 'passkey.enrolled'): string {
  const entry = {
    audit_id: 'aud_01kb7q3f8meg5tz4x9wc2n6a05',
    agent_id: null,
    actor: { type: 'owner', id: 'own_01kb7q3f8meg5tz4x9wc2n6a06' },
    action,
    target: PASSKEY_ID,
    data: {
      holder: 'x',
      public_key: publicKey,
      rp_id: RP_ID,
      effective_at: '2026-11-20T10:00:00.000Z',
      ...changes,
    },
    created_at: '2026-11-20T10:00:00.000Z',
  }
  return json(newLog(signer, 5, [{}, entry].toSpliced(0, 1, entry)).verification(0))
}

const device = newDevice()
const evidence = device.confirm(document)
const enrolment = enrolmentOf(device.publicKey)
const verdict = (file: unknown, proof: string | null = enrolment) => {
  const result = check(json(file), undefined, null, proof)
  return resultText(result).split('\n')[0] ?? ''
}

describe.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])(
  'an approval that a passkey of %s confirmed',
  algorithm => {
    test('is genuine with its enrolment, as a record and as evidence alone', () => {
      const other = newDevice(algorithm)
      const signed = other.confirm(document)
      const proof = enrolmentOf(other.publicKey)
      for (const file of [recordWith(signed), signed]) {
        expect(verdict(file, proof)).toMatch(
          /^genuine: approval apr_\S+ of 400\.1 INR from agt_\S+ to agt_\S+, and 500 INR more until 2026-11-22T10:15:30\.000Z, confirmed with the passkey pky_/,
        )
      }
    })
  },
)

test('an approval of which one paisa was altered is not genuine, with or without the enrolment', () => {
  for (const proof of [enrolment, null]) {
    expect(verdict({ ...recordWith(evidence), amount: 400.11 }, proof)).toMatch(
      /^not genuine: the passkey confirmed something else than the record says/,
    )
    const changed = { ...evidence, document: canonical({ ...document, amount: 400.11 }) }
    expect(verdict({ ...recordWith(changed), amount: 400.11 }, proof)).toBe(
      'not genuine: the passkey signed another document',
    )
  }
})

test('evidence of which anything is altered, left out or added is not accepted', () => {
  for (const changed of withEachLeafChanged(evidence)) {
    expect.soft(verdict(changed), json(changed)).not.toMatch(/^genuine/)
  }
})

test('a record of which a signed field or the context is altered is not accepted', () => {
  for (const changed of withEachLeafChanged({ ...SIGNED, context: CONTEXT })) {
    const file = { agent_name: 'Buyer', evidence, ...(changed as object) }
    expect.soft(verdict(file), json(changed)).not.toMatch(/^genuine/)
  }
})

test('fields of a record that the passkey did not sign are named', () => {
  const result = check(json(recordWith(evidence)), undefined, null, enrolment)
  expect(isDoubt(result) ? [] : result.unknowable.at(-1)).toMatch(/not signed: agent_name, status$/)
})

test('without the enrolment it says so, and that the key could be anybody’s', () => {
  expect(verdict(recordWith(evidence), null)).toMatch(
    /^cannot tell: signed by a key whose enrolment was not shown/,
  )
})

test('a key that was not enrolled as this passkey is not genuine', () => {
  const thief = newDevice()
  expect(verdict(recordWith(thief.confirm(document)))).toMatch(
    /^not genuine: the passkey was enrolled with another key/,
  )
  expect(verdict(evidence, enrolmentOf(device.publicKey, { rp_id: 'evil.example' }))).toMatch(/^not genuine/)
})

test('an entry that is no enrolment of the passkey proves nothing', () => {
  expect(verdict(evidence, enrolmentOf(device.publicKey, {}, 'passkey.removed'))).toMatch(/^cannot tell/)
  expect(verdict(evidence, '{}')).toMatch(/^not genuine: the proof of --proof/)
})

test('a passkey that could be used only after the document had expired is not genuine', () => {
  const late = enrolmentOf(device.publicKey, { effective_at: '2026-11-21T10:15:31.000Z' })
  expect(verdict(evidence, late)).toMatch(/^not genuine: the passkey could not be used yet/)
})

test.each([
  ['on a page of another host', { origin: 'https://evil.example' }],
  ['on a host whose name only ends alike', { origin: `https://evil${RP_ID}` }],
  ['for another host', { rpId: 'example.org' }],
  ['when it was made', { type: 'webauthn.create' }],
  ['without verifying the person', { flags: 0x01 }],
])('a passkey that signed %s confirmed nothing', (_what, changes) => {
  expect(verdict(device.confirm(document, changes))).toMatch(/^not genuine/)
})

test('the result for a request that a passkey confirmed names its action', () => {
  const request = {
    action: 'PATCH /v1/agents/agt_1',
    body_sha256: '00',
    subject: 'own_1',
    expires_at: '2026-11-20T10:20:30.000Z',
  }
  expect(verdict(device.confirm(request))).toMatch(/^genuine: the request PATCH \/v1\/agents\/agt_1 of own_1/)
})

test('an approval without a passkey is not said to be genuine', () => {
  expect(verdict(recordWith(null))).toMatch(/^cannot tell: no passkey confirmed this approval/)
})
