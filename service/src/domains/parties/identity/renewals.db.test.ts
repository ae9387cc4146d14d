import type { Certificate, Tier } from '@batua/contract'
import { beforeEach, expect } from 'vitest'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { service } from '../../../operations/facts.ts'
import { signUpAgent } from '../../../testing/network-server.ts'
import { certificateMac } from '../../signing/certificates/certificate.ts'
import { selectCertificate } from '../../signing/certificates/store.ts'
import { setAgentsTier } from '../agents/group-store.ts'
import { certificateRenewals } from '../agents/renew-certificates.ts'
import { type Side, stage, test } from './testing/identity-stage.ts'

let side: Side

beforeEach(async () => {
  side = await stage.newSide()
})

async function setTier(tier: Tier, ownerId = side.ownerId): Promise<void> {
  const { database, vault, clock } = stage.context
  const id = parseId('own', ownerId) ?? ''
  const recording = { actor: service('test'), vault, now: clock.now() }
  await database.inTransaction(tx => setAgentsTier(tx, id, tier, recording))
}

async function runJob(): Promise<number> {
  const job = certificateRenewals(stage.context)
  let renewed = 0
  for (;;) {
    const done = await job.run(stage.clock.now())
    if (done === 0) return renewed
    renewed += done
  }
}

const waiting = async () =>
  stage.db.database.query<{ id: Uuid }>('select agent_id as id from certificate_renewals')

async function theOnly(of: Side): Promise<Certificate> {
  const [only, ...others] = await stage.certificates(of)
  if (only === undefined || others.length > 0) throw new Error('one certificate was expected')
  return only
}

test('a default certificate is renewed when the tier changes, and the old one is revoked as renewed', async () => {
  const old = await theOnly(side)
  await setTier('tier2')
  expect(await runJob()).toBeGreaterThan(0)
  const [renewed, revoked] = await stage.certificates(side)
  expect(renewed).toMatchObject({ status: 'active', tier: 'tier2', capabilities: old.capabilities })
  expect(revoked).toMatchObject({
    id: old.id,
    status: 'revoked',
    revocation_reason: 'renewed',
    tier: old.tier,
  })
  expect([await stage.validity(renewed?.id ?? ''), await stage.validity(old.id)]).toEqual(['ok', 'revoked'])
  const facts = await stage.db.database.query<{ actor: string; data: string }>(
    `select actor_id as actor, data from audit_entries where agent_id = $1 and action = 'certificate.revoked'`,
    [parseId('agt', side.agentId)],
  )
  expect(facts.map(({ actor, data }) => [actor, JSON.parse(data)])).toEqual([
    ['certificate renewal', { reason: 'renewed', replaced_by: renewed?.id }],
  ])
  expect(await waiting()).toEqual([])
})

test('a default certificate is renewed when the name changes, and again when it changes again', async () => {
  const path = `/v1/agents/${side.agentId}`
  for (const name of ['Second Name', 'Third Name']) {
    expect(await stage.outcome('PATCH', path, side.platform, { name })).toEqual([200, null])
    const [renewed] = await stage.certificates(side, '?status=active')
    expect(renewed).toMatchObject({ subject: name })
  }
  expect(await stage.certificates(side)).toHaveLength(3)
})

test('no certificate with an old tier is valid, even before the job has run', async () => {
  const old = await theOnly(side)
  await setTier('tier2')
  expect(await waiting()).toHaveLength(1)
  expect(await stage.validity(old.id)).toBe('revoked')
  expect(await waiting()).toEqual([])
  await setTier('tier3')
  const [renewed] = await stage.certificates(side, '?status=active')
  expect(renewed).toMatchObject({ tier: 'tier3' })
  await setTier('tier1')
  const identity = await stage.get<Record<string, unknown>>(`/v1/identity/${side.agentId}/verify`, side.agent)
  const [last] = await stage.certificates(side, '?status=active')
  expect(identity).toMatchObject({ tier: 'tier1', certificate_id: last?.id })
  expect(last?.tier).toBe('tier1')
})

test('a certificate is renewed when it is read, even if the request for its renewal was lost', async () => {
  const old = await theOnly(side)
  await setTier('tier2')
  await stage.db.database.query('delete from certificate_renewals')
  expect(await stage.validity(old.id)).toBe('revoked')
})

test('a certificate that was issued or rotated on request is not renewed', async () => {
  const issued = await stage.post<Certificate>(`/v1/agents/${side.agentId}/certificates`, side.platform)
  const [, first] = await stage.certificates(side)
  const { certificate: rotated } = await stage.post<{ certificate: Certificate }>(
    `/v1/certificates/${first?.id}/rotate`,
    side.platform,
  )
  await setTier('tier2')
  await runJob()
  for (const { id, tier } of [issued, rotated]) {
    expect(await stage.validity(id)).toBe('ok')
    expect(await stage.get(`/v1/certificates/${id}`, side.platform)).toMatchObject({ tier, status: 'active' })
  }
  expect(await stage.certificates(side)).toHaveLength(3)
})

test('ten concurrent verifications and the job renew a certificate once', async () => {
  const old = await theOnly(side)
  await setTier('tier2')
  const validities = await Promise.all([
    ...Array.from({ length: 10 }, () => stage.validity(old.id)),
    runJob(),
  ])
  expect(new Set(validities.slice(0, 10))).toEqual(new Set(['revoked']))
  expect(await stage.certificates(side)).toHaveLength(2)
})

test('certificates of an owner’s agents are renewed in bounded batches, without deactivated and unchanged agents', async () => {
  const agents = [side.agentId]
  for (let each = 0; each < 60; each++) {
    agents.push((await signUpAgent(stage.server, side.platform, side.ownerId)).id)
  }
  const [ended = '', ...living] = agents
  await setTier('tier2')
  expect(await waiting()).toHaveLength(61)
  await stage.server.ask('DELETE', `/v1/agents/${ended}`, side.platform)
  expect(await runJob()).toBe(61)
  const rows = await stage.db.database.query<{ tier: string; reason: string | null; count: number }>(
    `select tier, revocation_reason as reason, count(*)::int4 as count from certificates
     where agent_id = any($1::uuid[]) group by 1, 2 order by 1, 2`,
    [agents.map(id => parseId('agt', id))],
  )
  const before = rows[0]?.tier ?? ''
  expect(rows).toEqual([
    { tier: before, reason: 'agent deactivated', count: 1 },
    { tier: before, reason: 'renewed', count: living.length },
    { tier: 'tier2', reason: null, count: living.length },
  ])
  await setTier('tier3')
  await setTier('tier2')
  expect(await runJob()).toBe(living.length)
  expect((await stage.certificates({ ...side, agentId: living[0] ?? '' })).length).toBe(2)
})

test('a certificate older than the mark of default certificates counts as the default if it is the agent’s oldest', async () => {
  const old = await theOnly(side)
  // As it was stored then: without the mark, and with a MAC over the other columns.
  const { vault } = stage.context
  const stored = await selectCertificate(stage.db.database, parseId('cert', old.id) ?? '')
  if (stored === null) throw new Error('it was just read')
  await stage.db.database.query('update certificates set is_default = null, seal = $2 where id = $1', [
    stored.id,
    certificateMac(vault, { ...stored, isDefault: null }),
  ])
  const issued = await stage.post<Certificate>(`/v1/agents/${side.agentId}/certificates`, side.platform)
  await setTier('tier2')
  expect([await stage.validity(old.id), await stage.validity(issued.id)]).toEqual(['revoked', 'ok'])
})
