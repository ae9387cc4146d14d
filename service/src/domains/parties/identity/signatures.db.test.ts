import type { Certificate, IdentityVerification, MembershipProof } from '@batua/contract'
import { describe, expect } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { newKeyPair } from '../../../kernel/signing.ts'
import {
  changedOnce,
  flippedOnce,
  isSignedBy,
  verifyToken,
  without,
} from '../../../testing/independent-verifier.ts'
import { randomHandle } from '../../../testing/network.ts'
import { serviceKeysDocument } from '../../signing/keys/key-documents.ts'
import { rotateSigningKey } from '../../signing/keys/rotate-signing-key.ts'
import { type Side, stage, test } from './testing/identity-stage.ts'

let side: Side

test.beforeAll(async () => {
  side = await stage.newSide()
})

/** Signed content as a third party reads it: the signed bytes, and the token. */
interface Signed {
  readonly content: Record<string, unknown>
  readonly signature: string
  readonly token: string
}

const SIGNED_OF_CERTIFICATE = [
  'id',
  'agent_id',
  'issuer',
  'subject',
  'public_key',
  'capabilities',
  'tier',
  'issued_at',
  'expires_at',
  'key_id',
]

const KINDS = {
  'certificate+jwt': async (): Promise<Signed> => {
    const [certificate] = await stage.certificates(side)
    if (certificate === undefined) throw new Error('every agent has a certificate')
    const hidden = Object.keys(certificate).filter(field => !SIGNED_OF_CERTIFICATE.includes(field))
    const { signature, token } = certificate
    return { content: without(certificate, hidden), signature, token }
  },
  'identity+jwt': async (): Promise<Signed> => {
    const identity = await identityOf(side)
    const { signature, token } = identity
    return { content: without(identity, ['signature', 'token']), signature, token }
  },
  'membership-proof+jwt': async (): Promise<Signed> => {
    const { proof, signature, token } = await proofOf(side, '?affiliation=true')
    return { content: proof, signature, token }
  },
} as const

function identityOf({ agentId }: Side): Promise<IdentityVerification> {
  return stage.get<IdentityVerification>(`/v1/identity/${agentId}/verify`, side.agent)
}

function proofOf({ agent }: Side, query = ''): Promise<MembershipProof> {
  return stage.get<MembershipProof>(`/v1/agents/me/proof${query}`, agent)
}

/** The key in `service-keys.json` with this id. */
async function publishedKey(id: unknown): Promise<string> {
  const { keys } = serviceKeysDocument('batua', await stage.context.signingKeys.all())
  const key = keys.find(({ key_id }) => key_id === id)
  if (key === undefined) throw new Error(`${String(id)} is not published`)
  return key.public_key
}

describe.each(Object.entries(KINDS))('%s', (typ, read) => {
  test('the signature verifies with the published key, and no byte of it can be changed', async () => {
    const { content, signature } = await read()
    const key = await publishedKey(content['key_id'])
    const bytes = Buffer.from(signature, 'base64')
    expect(bytes).toHaveLength(64)
    expect(isSignedBy(key, content, bytes)).toBe(true)
    expect(flippedOnce(bytes).filter(flipped => isSignedBy(key, content, flipped))).toEqual([])
  })

  test('no field of the signed content can be changed, removed or added', async () => {
    const { content, signature } = await read()
    const key = await publishedKey(content['key_id'])
    const bytes = Buffer.from(signature, 'base64')
    for (const field of Object.keys(content)) {
      expect([field, isSignedBy(key, { ...content, [field]: 'x' }, bytes)]).toEqual([field, false])
      expect([field, isSignedBy(key, without(content, [field]), bytes)]).toEqual([field, false])
    }
    expect(isSignedBy(key, { ...content, more: 1 }, bytes)).toBe(false)
  })

  test('the token has the same content, and a JOSE library verifies it', async () => {
    const { content, token } = await read()
    const now = stage.clock.now()
    const { payload, protectedHeader } = await verifyToken(await stage.jwks(), token, typ, now)
    expect(payload).toMatchObject(content)
    expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: content['key_id'], typ })
    expect(payload.iat).toBe(
      Math.floor(Date.parse(String(content['issued_at'] ?? content['verified_at'])) / 1000),
    )
    const end = content['expires_at']
    expect(payload.exp).toBe(typeof end === 'string' ? Math.floor(Date.parse(end) / 1000) : undefined)
  })

  test('no part of the token can be changed, and it is not accepted as another kind of token', async () => {
    const { token } = await read()
    const [jwks, now] = [await stage.jwks(), stage.clock.now()]
    const isGood = (text: string, kind = typ) =>
      verifyToken(jwks, text, kind, now).then(
        () => true,
        () => false,
      )
    expect(await isGood(token)).toBe(true)
    const changed = changedOnce(token)
    const good = await Promise.all(changed.map(text => isGood(text)))
    expect(changed.filter((_, index) => good[index])).toEqual([])
    for (const other of ['receipt+jwt', ...Object.keys(KINDS)]) {
      if (other !== typ) expect([other, await isGood(token, other)]).toEqual([other, false])
    }
  })
})

test('a certificate states the agent’s identity for a year, and its token has its id', async () => {
  const [certificate] = await stage.certificates(side)
  expect(certificate).toMatchObject({
    agent_id: side.agentId,
    issuer: 'batua',
    subject: 'Test agent',
    capabilities: ['pay', 'receive', 'escrow', 'verify'],
    tier: 'sandbox',
    status: 'active',
    revoked_at: null,
    revocation_reason: null,
  })
  const { id, token, issued_at, expires_at, public_key } = certificate as Certificate
  expect(Date.parse(expires_at) - Date.parse(issued_at)).toBe(365 * DAY_MS)
  const { payload } = await verifyToken(await stage.jwks(), token, 'certificate+jwt', stage.clock.now())
  expect(payload.jti).toBe(id)
  const key = await stage.get(`/v1/identity/${side.agentId}/public-key`, side.platform)
  expect(key).toEqual({ agent_id: side.agentId, algorithm: 'Ed25519', public_key })
})

test('an identity can be read by handle too, and names the newest valid certificate', async () => {
  const path = `/v1/agents/${side.agentId}/certificates`
  const newer = await stage.post<Certificate>(path, side.platform, { capabilities: ['receive'] })
  const identity = await stage.get<IdentityVerification>(`/v1/identity/@${side.handle}/verify`, side.owner)
  expect(identity).toMatchObject({
    agent_id: side.agentId,
    handle: side.handle,
    status: 'active',
    kyc_status: 'none',
    certificate_id: newer.id,
    capabilities: ['receive'],
    public_key: newer.public_key,
    issuer: 'batua',
  })
  await stage.post(`/v1/certificates/${newer.id}/revoke`, side.platform)
  expect((await identityOf(side)).capabilities).toEqual(['pay', 'receive', 'escrow', 'verify'])
})

test('a membership proof names the platform and the organization only on request', async () => {
  const { proof } = await proofOf(side)
  expect(Object.keys(proof)).not.toContain('platform_id')
  expect(Object.keys(proof)).not.toContain('organization_id')
  const named = await proofOf(side, '?affiliation=true')
  expect(named.proof).toMatchObject({ platform_id: side.platform['x-platform-id'], organization_id: null })
})

test('a membership proof is valid for an hour and counts whole days', async () => {
  const { proof, token } = await proofOf(side)
  expect(Date.parse(proof.expires_at) - Date.parse(proof.issued_at)).toBe(3_600_000)
  expect(proof).toMatchObject({
    handle: side.handle,
    kyc_status: 'none',
    network_age_days: 0,
    tier: 'sandbox',
  })
  const later = new Date(Date.parse(proof.expires_at) + 1000)
  await expect(verifyToken(await stage.jwks(), token, 'membership-proof+jwt', later)).rejects.toThrow('exp')
  stage.clock.setOffsetMs(stage.clock.offsetMs() + 2 * DAY_MS)
  expect((await proofOf(side)).proof.network_age_days).toBe(2)
})

test('the public key of the caller is in the certificate and in the identity', async () => {
  const { publicKey } = newKeyPair()
  const made = await stage.post<{ agent_id: string; agent_key: string }>('/v1/agents', side.platform, {
    name: 'Own key',
    handle: randomHandle(),
    owner_id: side.ownerId,
    public_key: publicKey,
  })
  const own: Side = { ...side, agentId: made.agent_id, agent: { 'x-agent-key': made.agent_key } }
  expect((await stage.certificates(own)).map(({ public_key }) => public_key)).toEqual([publicKey])
  expect(await identityOf(own)).toMatchObject({ public_key: publicKey })
  expect((await proofOf(own)).proof.agent_id).toBe(made.agent_id)
})

test('after a rotation of the signing key old certificates stay valid, and new ones are signed with the new key', async () => {
  const own = await stage.newSide()
  const [before] = await stage.certificates(own)
  const made = await rotateSigningKey(stage.context, stage.clock.now())
  stage.clock.setOffsetMs(stage.clock.offsetMs() + DAY_MS)
  const [after] = await stage.certificates(own)
  expect(after).toEqual(before)
  expect(await stage.validity(before?.id ?? '')).toBe('ok')
  await verifyToken(await stage.jwks(), before?.token ?? '', 'certificate+jwt', stage.clock.now())

  const rotated = await stage.post<{ certificate: Certificate }>(
    `/v1/certificates/${before?.id}/rotate`,
    own.platform,
  )
  const [identity, { proof }] = await Promise.all([identityOf(own), proofOf(own)])
  expect([rotated.certificate.key_id, identity.key_id, proof.key_id]).toEqual([made.id, made.id, made.id])
  expect(await stage.validity(rotated.certificate.id)).toBe('ok')
})
