import type { Certificate } from '@batua/contract'
import { checkFile, isDoubt, readKeys } from '@batua/verification'
import { expect } from 'vitest'
import { isSignedBy, verifyToken, without } from '../../../testing/independent-verifier.ts'
import { serviceKeysDocument } from '../../signing/keys/key-documents.ts'
import { revokeSigningKey } from '../../signing/keys/revoke-signing-key.ts'
import { type Side, stage, test } from './testing/identity-stage.ts'

let side: Side
let before: Certificate
let stolen: string

const HIDDEN = ['owner_id', 'signature', 'status', 'revoked_at', 'revocation_reason', 'token']

test.beforeAll(async () => {
  side = await stage.newSide()
  const [certificate] = await stage.certificates(side)
  before = certificate ?? expect.fail('every agent has a certificate')
  stolen = before.key_id
  const { clock, context } = stage
  const now = clock.now()
  await revokeSigningKey(context, now, { keyId: stolen, revokedAt: now })
  clock.setOffsetMs(clock.offsetMs() + 2_000)
})

const documentNow = async () => serviceKeysDocument('batua', await stage.context.signingKeys.all())

async function verifiedOffline(file: object) {
  const keys = readKeys(JSON.stringify(await documentNow()))
  if (isDoubt(keys)) throw new Error(keys.because)
  return checkFile(JSON.stringify(file), { keys, at: stage.clock.now(), checkpoints: null, proof: null })
}

test('a certificate signed by a revoked key stays valid and is shown with the signature of the next key', async () => {
  expect(await stage.validity(before.id)).toBe('ok')
  const [now = before] = await stage.certificates(side)
  const document = await documentNow()
  expect(now).toEqual({
    ...before,
    key_id: document.key_id,
    signature: now.signature,
    token: now.token,
  })
  expect(isSignedBy(document.public_key, without(now, HIDDEN), Buffer.from(now.signature, 'base64'))).toBe(
    true,
  )
  await verifyToken(await stage.jwks(), now.token, 'certificate+jwt', stage.clock.now())
  expect(await verifiedOffline(now)).toMatchObject({ kind: 'genuine' })
})

test('the copy signed by a revoked key is refused by a JOSE library, and by offline verification without a log proof', async () => {
  await expect(
    verifyToken(await stage.jwks(), before.token, 'certificate+jwt', stage.clock.now()),
  ).rejects.toThrow('no applicable key')
  expect(await verifiedOffline(before)).toMatchObject({ verdict: 'cannot tell' })
})

test('after a revocation, identities and membership proofs are signed with the next key', async () => {
  const { key_id } = await documentNow()
  const identity = await stage.get<{ key_id: string }>(`/v1/identity/${side.agentId}/verify`, side.agent)
  const { proof } = await stage.get<{ proof: { key_id: string } }>('/v1/agents/me/proof', side.agent)
  expect([identity.key_id, proof.key_id]).toEqual([key_id, key_id])
})

test('a certificate signed by a revoked key can be revoked and rotated, and shows one signature', async () => {
  const rotated = await stage.post<{ certificate: Certificate }>(
    `/v1/certificates/${before.id}/rotate`,
    side.platform,
  )
  expect(rotated.certificate.key_id).not.toBe(stolen)
  expect(await stage.validity(before.id)).toBe('revoked')
  const old = await stage.get<Certificate>(`/v1/certificates/${before.id}`, side.platform)
  expect(old.key_id).not.toBe(stolen)
  const responded = await stage.post<Certificate>(
    `/v1/certificates/${rotated.certificate.id}/revoke`,
    side.platform,
    { reason: 'test' },
  )
  expect(responded).toMatchObject({ status: 'revoked', key_id: rotated.certificate.key_id })
})
