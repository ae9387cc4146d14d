import { routes } from '@batua/contract'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api } from './src/api.ts'
import type { Agent, Network, Owner } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

const DAY_S = 86_400

let stage: Stage
let api: Api
let network: Network
let owner: Owner
let agent: Agent
let stranger: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
  owner = await network.owner(await network.platform())
  agent = await network.agent(owner)
  stranger = await network.agent(await network.owner(await network.platform()))
})
afterAll(() => stage.close())

const ofAgent = () => ({ params: { agent_id: agent.id }, headers: owner.platform.headers })
const validity = async (id: string) => {
  const { reason } = await api.ok(routes.verifyCertificate, { params: { cert_id: id } })
  return reason
}

test('a counterparty can verify an agent’s proof and its record at the service', async () => {
  const { proof, token } = await api.ok(routes.getMembershipProof, { headers: agent.headers })
  const jwks = createRemoteJWKSet(new URL('/.well-known/jwks.json', api.address))
  const { payload } = await jwtVerify(token, jwks, { issuer: proof.issuer, typ: 'membership-proof+jwt' })
  expect(payload).toMatchObject({ agent_id: agent.id, handle: agent.handle })

  const shown = await api.ok(routes.verifyIdentity, {
    params: { agent_id: agent.handle },
    headers: stranger.headers,
  })
  expect(shown).toMatchObject({ agent_id: agent.id, status: 'active', kyc_status: 'none' })
  const certificate = await api.ok(routes.getCertificate, {
    params: { cert_id: shown.certificate_id ?? '' },
    headers: stranger.headers,
  })
  expect(certificate).toMatchObject({ agent_id: agent.id, public_key: shown.public_key, status: 'active' })
  expect(certificate).not.toHaveProperty('owner_id')
})

test('a certificate can be issued, rotated and revoked, and expires', async () => {
  const { id } = await api.ok(routes.issueCertificate, {
    ...ofAgent(),
    body: { capabilities: ['verify'], validity_days: 1 },
  })
  const { certificate } = await api.ok(routes.rotateCertificate, {
    params: { cert_id: id },
    headers: owner.platform.headers,
    body: {},
  })
  expect([await validity(id), await validity(certificate.id)]).toEqual(['revoked', 'ok'])
  const revocation = { params: { cert_id: certificate.id }, headers: await network.login(owner), body: {} }
  await api.ok(routes.revokeCertificate, revocation)
  await api.refused(routes.revokeCertificate, 409, 'conflict', revocation)

  const short = await api.ok(routes.issueCertificate, { ...ofAgent(), body: { validity_days: 1 } })
  await api.ok(routes.advanceClock, { body: { advance_seconds: DAY_S } })
  expect([await validity(short.id), await validity(certificate.id)]).toEqual(['expired', 'revoked'])
})

test('deactivating an agent revokes its certificates', async () => {
  const { certificates } = await api.ok(routes.listCertificates, {
    ...ofAgent(),
    query: { status: 'active' },
  })
  expect(certificates).not.toEqual([])
  await api.ok(routes.deactivateAgent, ofAgent())
  for (const { id } of certificates) expect(await validity(id)).toBe('revoked')
  await api.refused(routes.issueCertificate, 409, 'conflict', { ...ofAgent(), body: {} })
  await api.refused(routes.getMembershipProof, 401, 'authentication_error', { headers: agent.headers })
})
