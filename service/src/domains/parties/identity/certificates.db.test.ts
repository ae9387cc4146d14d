import type { Certificate } from '@batua/contract'
import { describe, expect } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, newUuid, parseId } from '../../../kernel/ids.ts'
import { AS_ADMIN } from '../../../testing/network-server.ts'
import { type Side, stage, test } from './testing/identity-stage.ts'

let side: Side
let stranger: Side

test.beforeAll(async () => {
  side = await stage.newSide()
  stranger = await stage.newSide()
})

function issue(to: Side, body: Record<string, unknown> = {}): Promise<Certificate> {
  return stage.post<Certificate>(`/v1/agents/${to.agentId}/certificates`, to.platform, body)
}

async function ids(of: Side, query = ''): Promise<string[]> {
  return (await stage.certificates(of, query)).map(({ id }) => id)
}

describe('a certificate', () => {
  test('a certificate is issued as requested, beside existing ones, and all are listed newest first', async () => {
    const own = await stage.newSide()
    const [first] = await ids(own)
    const second = await issue(own, { capabilities: ['verify', 'pay'], validity_days: 1 })
    expect(second).toMatchObject({ capabilities: ['verify', 'pay'], status: 'active', owner_id: own.ownerId })
    expect(Date.parse(second.expires_at) - Date.parse(second.issued_at)).toBe(DAY_MS)
    expect(await ids(own)).toEqual([second.id, first])
    expect(await ids(own, '?limit=1')).toEqual([second.id])
    expect(await ids(own, '?offset=1')).toEqual([first])
    expect(await stage.validity(second.id)).toBe('ok')
  })

  test('a revoked certificate fails at once and for good, and says why', async () => {
    const own = await stage.newSide()
    const { id } = await issue(own)
    const path = `/v1/certificates/${id}/revoke`
    const revoked = await stage.post<Certificate>(path, own.owner, { reason: 'Key compromised' })
    expect(revoked).toMatchObject({ id, status: 'revoked', revocation_reason: 'Key compromised' })
    expect(await stage.validity(id)).toBe('revoked')
    expect(await stage.get(`/v1/certificates/${id}`, own.platform)).toEqual(revoked)
    expect(await stage.outcome('POST', path, own.platform, {})).toEqual([409, 'conflict'])
    const rotation = `/v1/certificates/${id}/rotate`
    expect(await stage.outcome('POST', rotation, own.platform, {})).toEqual([409, 'conflict'])
    expect([await ids(own, '?status=revoked'), await ids(own, '?status=active')]).toEqual([
      [id],
      [expect.any(String)],
    ])
  })

  test('a rotated certificate is replaced by one with the same or the requested content, valid for a year', async () => {
    const own = await stage.newSide()
    const old = await issue(own, { capabilities: ['receive'], validity_days: 3 })
    const rotate = (id: string, body: Record<string, unknown>) =>
      stage.post<{ certificate: Certificate; revoked_certificate_id: string }>(
        `/v1/certificates/${id}/rotate`,
        own.platform,
        body,
      )
    const { certificate, revoked_certificate_id } = await rotate(old.id, {})
    expect(revoked_certificate_id).toBe(old.id)
    expect(certificate).toMatchObject({ capabilities: ['receive'], status: 'active' })
    expect(Date.parse(certificate.expires_at) - Date.parse(certificate.issued_at)).toBe(365 * DAY_MS)
    expect([await stage.validity(old.id), await stage.validity(certificate.id)]).toEqual(['revoked', 'ok'])
    expect((await rotate(certificate.id, { capabilities: ['pay'] })).certificate.capabilities).toEqual([
      'pay',
    ])
  })

  test('a certificate has the name and tier that the agent has when it is issued', async () => {
    const own = await stage.newSide()
    const before = await issue(own)
    await stage.server.ask('PATCH', `/v1/agents/${own.agentId}`, own.platform, { name: 'Renamed' })
    expect((await issue(own)).subject).toBe('Renamed')
    expect((await stage.certificates(own)).find(({ id }) => id === before.id)).toEqual(before)
  })

  test.each(['pause', 'bulk-quarantine', 'bulk-freeze'])(
    'certificates are valid and can be issued after a %s',
    async act => {
      const own = await stage.newSide()
      const [id = ''] = await ids(own)
      if (act === 'pause') await stage.post(`/v1/agents/${own.agentId}/pause`, own.platform)
      else await stage.post(`/v1/admin/agents/${act}`, AS_ADMIN, { agent_ids: [own.agentId] })
      expect(await stage.validity(id)).toBe('ok')
      expect(await stage.validity((await issue(own)).id)).toBe('ok')
    },
  )

  test('an altered certificate, an unknown id and an invalid id are not found', async () => {
    const unknown = [formatId('cert', newUuid(new Date())), 'cert_1', side.agentId]
    for (const id of unknown) {
      expect(await stage.validity(id)).toBe('not_found')
      expect(await stage.outcome('GET', `/v1/certificates/${id}`, side.agent)).toEqual([404, 'not_found'])
      for (const act of ['revoke', 'rotate']) {
        const path = `/v1/certificates/${id}/${act}`
        expect(await stage.outcome('POST', path, side.platform, {})).toEqual([404, 'not_found'])
      }
    }
  })
})

describe('access to certificates', () => {
  test('no one can issue, revoke or rotate a certificate of another party’s agent', async () => {
    const [id = ''] = await ids(side)
    const forbidden = [403, 'authorization_error']
    const ofAgent = `/v1/agents/${side.agentId}/certificates`
    for (const headers of [stranger.platform, stranger.owner]) {
      expect(await stage.outcome('POST', ofAgent, headers, {})).toEqual(forbidden)
      expect(await stage.outcome('GET', ofAgent, headers)).toEqual(forbidden)
      for (const act of ['revoke', 'rotate']) {
        expect(await stage.outcome('POST', `/v1/certificates/${id}/${act}`, headers, {})).toEqual(forbidden)
      }
    }
    expect(await stage.outcome('GET', ofAgent, stranger.agent)).toEqual(forbidden)
    expect(await stage.outcome('GET', ofAgent, side.agent)).toEqual([200, null])
    expect(await stage.validity(id)).toBe('ok')
  })

  test('the owner in a certificate is shown to the agent’s platform, its owner and administrators only', async () => {
    const [id = ''] = await ids(side)
    const seenBy = async (headers: Record<string, string>) =>
      (await stage.get<Certificate>(`/v1/certificates/${id}`, headers)).owner_id
    for (const headers of [side.platform, side.owner, AS_ADMIN])
      expect(await seenBy(headers)).toBe(side.ownerId)
    for (const headers of [side.agent, stranger.platform, stranger.owner, stranger.agent]) {
      expect(await seenBy(headers)).toBeUndefined()
    }
    const { certificates } = await stage.get<{ certificates: Certificate[] }>(
      `/v1/agents/${side.agentId}/certificates`,
      side.agent,
    )
    expect(certificates.map(({ owner_id }) => owner_id)).toEqual([undefined])
  })

  test('certificates of an unknown agent are not found', async () => {
    const unknown = formatId('agt', newUuid(new Date()))
    for (const address of [unknown, 'nobody-here', '-']) {
      for (const what of ['verify', 'public-key']) {
        const path = `/v1/identity/${address}/${what}`
        expect(await stage.outcome('GET', path, side.agent)).toEqual([404, 'not_found'])
      }
    }
    const path = `/v1/agents/${unknown}/certificates`
    expect(await stage.outcome('POST', path, side.platform, {})).toEqual([404, 'not_found'])
  })
})

describe('the deactivation of an agent', () => {
  async function eventsOf({ agentId }: Side): Promise<unknown[]> {
    const rows = await stage.db.database.query<{ data: unknown }>(
      `select data from events where name = 'certificate.revoked' and agent_id = $1 order by data->>'certificate_id'`,
      [parseId('agt', agentId)],
    )
    return rows.map(({ data }) => data)
  }

  async function factsOf({ agentId }: Side): Promise<string[]> {
    const rows = await stage.db.database.query<{ action: string }>(
      `select action from audit_entries where agent_id = $1 order by id`,
      [parseId('agt', agentId)],
    )
    return rows.map(({ action }) => action)
  }

  test('the deactivation of an agent revokes its certificates once and notifies its platform', async () => {
    const own = await stage.newSide()
    const [first = ''] = await ids(own)
    const second = await issue(own)
    const { id: revoked } = await issue(own)
    await stage.post(`/v1/certificates/${revoked}/revoke`, own.platform, { reason: 'Mine' })
    for (let times = 0; times < 2; times++) {
      expect(await stage.outcome('DELETE', `/v1/agents/${own.agentId}`, own.platform)).toEqual([200, null])
    }
    expect([await stage.validity(first), await stage.validity(second.id)]).toEqual(['revoked', 'revoked'])
    const events = await eventsOf(own)
    const revocation = { agent_id: own.agentId, reason: 'agent deactivated', replaced_by: null }
    expect(events).toMatchObject([
      { ...revocation, certificate_id: first },
      { ...revocation, certificate_id: second.id },
      { certificate_id: revoked, reason: 'Mine' },
    ])
    const facts = await factsOf(own)
    expect(facts.filter(action => action === 'agent.deactivated')).toHaveLength(1)
    expect(facts.filter(action => action === 'certificate.revoked')).toHaveLength(3)
    const path = `/v1/agents/${own.agentId}/certificates`
    expect(await stage.outcome('POST', path, own.platform, {})).toEqual([409, 'conflict'])
    const identity = await stage.get(`/v1/identity/${own.agentId}/verify`, side.agent)
    expect(identity).toMatchObject({ status: 'deactivated', certificate_id: null, capabilities: [] })
  })

  test('the deletion of a platform revokes the certificates of its agents', async () => {
    const own = await stage.newSide()
    const [id = ''] = await ids(own)
    const platform = own.platform['x-platform-id'] ?? ''
    expect(await stage.outcome('DELETE', `/v1/platforms/${platform}`, own.platform)).toEqual([200, null])
    expect(await stage.validity(id)).toBe('revoked')
    expect(await factsOf(own)).toEqual(expect.arrayContaining(['agent.deactivated', 'certificate.revoked']))
    expect(await eventsOf(own)).toHaveLength(1)
  })
})

test('a certificate expires by the service’s clock; a revoked one stays revoked, and an expired one can be rotated', async () => {
  const own = await stage.newSide()
  const short = await issue(own, { validity_days: 1 })
  const revoked = await issue(own, { validity_days: 1 })
  await stage.post(`/v1/certificates/${revoked.id}/revoke`, own.platform)
  stage.clock.setOffsetMs(stage.clock.offsetMs() + DAY_MS)
  expect([await stage.validity(short.id), await stage.validity(revoked.id)]).toEqual(['expired', 'revoked'])
  expect(await ids(own, '?status=expired')).toEqual([short.id])
  expect(await ids(own, '?status=active')).toHaveLength(1)
  expect(await stage.get(`/v1/certificates/${short.id}`, own.platform)).toEqual({
    ...short,
    status: 'expired',
  })
  await stage.post(`/v1/certificates/${short.id}/rotate`, own.platform)
  expect(await stage.validity(short.id)).toBe('revoked')
})
