import { describe, expect } from 'vitest'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { newKeyPair } from '../../../kernel/signing.ts'
import { randomHandle } from '../../../testing/network.ts'
import {
  ask,
  type Body,
  type Headers,
  network,
  signUp,
  signUpAgent,
  signUpOwner,
  test,
} from '../../../testing/network-server.ts'

const NOBODY = formatId('agt', newUuid(new Date(0)))

let platformId: string
let platform: Headers
let ownerId: string

test.beforeAll(async () => {
  const signedUp = await signUp(network)
  platformId = signedUp.id
  platform = signedUp.headers
  ownerId = await signUpOwner(network, platform)
})

const create = (body: Body, headers: Headers = platform) =>
  ask('POST', '/v1/agents', headers, {
    name: 'Test agent',
    handle: randomHandle(),
    owner_id: ownerId,
    ...body,
  })

describe('creating an agent', () => {
  test('the creation of an agent returns the whole record with its key, and the key works', async () => {
    const handle = randomHandle()
    const { publicKey } = newKeyPair()
    const created = await create({
      handle: `@${handle.toUpperCase()}`,
      name: 'Cafe\u0301',
      spend_limit_daily: 5000.5,
      public_key: publicKey,
    })
    const agentId = String(created.body['agent_id'])
    expect(created).toMatchObject({
      status: 201,
      body: {
        handle,
        name: 'Caf\u00e9',
        owner_id: ownerId,
        platform_id: platformId,
        wallet_id: agentId.replace('agt_', 'wlt_'),
        status: 'active',
        tier: 'sandbox',
        policy: { spend_limit_daily: 5000.5, spend_limit_per_tx: null, allowed_payees: ['network'] },
        pending_policy: {},
      },
    })
    expect(created.body['vendor_id']).toMatch(new RegExp(`^vendor_[A-Z]{5}\\d{4}[A-Z]_${agentId}$`))
    const key = String(created.body['agent_key'])
    expect(created.body['key_last4']).toBe(key.slice(-4))
    const me = await ask('GET', '/v1/agents/me', { 'x-agent-key': key })
    const { agent_key: _, vendor_id: __, ...record } = created.body
    expect(me).toMatchObject({ status: 200, body: record })
    expect(me.body).not.toHaveProperty('vendor_id')
    expect(me.body).not.toHaveProperty('agent_key')
  })

  test.each([
    ["bob'; drop table agents; --"],
    ['\u0430lice-in-cyrillic'],
    ['\u212aelvin'],
    ['ali\u0000ce'],
    ['ali\u200dce'],
    ['alice\u0661'],
    ['ab'],
    ['a'.repeat(33)],
    ['1alice'],
    [NOBODY],
    [7],
    [null],
    [['alice']],
  ])('the handle %j is refused with the field name', async handle => {
    const refused = await create({ handle })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_error', field: 'handle' } },
    })
  })

  test.each(['ab', 'ali@ce', NOBODY])(
    'the refusal of the handle %s states the rule for handles',
    async handle => {
      const refused = await create({ handle })
      expect(refused.body['error']).toMatchObject({
        field: 'handle',
        message: expect.stringContaining('3 to 32 of the characters a-z, 0-9, _ and -, starts with a letter'),
      })
    },
  )

  test('a name without visible characters is refused, and the refusal says why', async () => {
    const refused = await create({ name: '\u200b' })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { field: 'name', message: expect.stringContaining('at least one visible character') } },
    })
  })

  test.each([
    ['spend_limit_daily', 10.001],
    ['spend_limit_daily', '10'],
    ['spend_limit_daily', -1],
    ['spend_limit_daily', 10_000_000_000.01],
    ['spend_limit_per_tx', true],
    ['max_counterparties_per_hour', 1.5],
    ['max_counterparties_per_hour', -1],
    ['max_counterparties_per_hour', 1e12],
    ['allowed_payees', 'network'],
    ['allowed_payees.0', ['everyone']],
    ['allowed_payees.1', [NOBODY, 'network']],
    ['allowed_payees.1', [NOBODY, 'agt_1']],
    ['blocked_payee_agents.0', ['network']],
    ['blocked_payee_agents.0', ["agt_' or 1=1"]],
    ['public_key', `${'A'.repeat(43)}=`],
    ['public_key', '7P///////////////////////////////////////38='],
    ['public_key', 'AAAA'],
    ['public_key', `${'A'.repeat(42)}B=`],
    ['owner_id', 'own_1'],
    ['spend_limit_weekly', 5],
    ['__proto__', 5],
  ])('an invalid %s is refused with the field name: %j', async (field, value) => {
    const control = field.replace(/\.\d$/, '')
    const body = `{"name":"A","handle":"${randomHandle()}","owner_id":"${ownerId}","${control}":${JSON.stringify(value)}}`
    const refused = await ask('POST', '/v1/agents', platform, body)
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } })
    if (field !== 'owner_id' && field !== '__proto__') expect(refused.body['error']).toMatchObject({ field })
  })

  test.each(['1e400', '-0', '-0.0', '0.005', '99999999999999999999999'])(
    'the limit %s is refused',
    async number => {
      const body = `{"name":"A","handle":"${randomHandle()}","owner_id":"${ownerId}","spend_limit_daily":${number}}`
      const refused = await ask('POST', '/v1/agents', platform, body)
      expect(refused).toMatchObject({ status: 400, body: { error: { field: 'spend_limit_daily' } } })
    },
  )

  test('a taken handle is a conflict, an unknown owner is not found, an agent may not create agents', async () => {
    const agent = await signUpAgent(network, platform, ownerId)
    const taken = await create({ handle: agent.handle.toUpperCase() })
    expect(taken).toMatchObject({ status: 409, body: { error: { code: 'conflict', field: 'handle' } } })
    const stranger = await signUp(network)
    expect((await create({}, stranger.headers)).status).toBe(404)
    expect((await create({}, agent.headers)).status).toBe(401)
  })

  test('a repeated Idempotency-Key creates one agent and never shows its key again', async () => {
    const headers = { ...platform, 'idempotency-key': randomHandle() }
    const body = { name: 'Once', handle: randomHandle(), owner_id: ownerId }
    const first = await ask('POST', '/v1/agents', headers, body)
    const again = await ask('POST', '/v1/agents', headers, body)
    expect(again).toMatchObject({ status: 201, body: { ...first.body, agent_key: null } })
  })
})

describe('reading agents', () => {
  test('an agent of another party is 403 for every credential, and an unknown agent is 404', async () => {
    const agent = await signUpAgent(network, platform, ownerId)
    const sibling = await signUpAgent(network, platform, ownerId)
    const stranger = await signUp(network)
    expect((await ask('GET', `/v1/agents/${agent.id}`, platform)).body['vendor_id']).toMatch(/^vendor_/)
    expect((await ask('GET', `/v1/agents/${agent.id}`, agent.headers)).body).not.toHaveProperty('vendor_id')
    for (const headers of [sibling.headers, stranger.headers]) {
      const refused = await ask('GET', `/v1/agents/${agent.id}`, headers)
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'authorization_error' } } })
    }
    for (const address of [NOBODY, 'agt_1', agent.handle, '%00', "'%20or%201=1"]) {
      expect((await ask('GET', `/v1/agents/${address}`, platform)).status).toBe(404)
    }
  })

  test('the list filters by status, owner and handle, and contains no agent of another platform', async () => {
    const { headers } = await signUp(network)
    const first = await signUpOwner(network, headers)
    const second = await signUpOwner(network, headers)
    const ended = await signUpAgent(network, headers, first)
    const kept = await signUpAgent(network, headers, first)
    const other = await signUpAgent(network, headers, second)
    await ask('DELETE', `/v1/agents/${ended.id}`, headers)
    const list = async (query: string) => {
      const { body } = await ask('GET', `/v1/agents${query}`, headers)
      const ids = (body['agents'] as Body[]).map(agent => agent['agent_id'])
      expect((body['pagination'] as Body)['total']).toBe(ids.length)
      return ids
    }
    expect(await list('')).toEqual([other.id, kept.id, ended.id])
    expect(await list('?status=deactivated')).toEqual([ended.id])
    expect(await list(`?owner_id=${first}&status=active`)).toEqual([kept.id])
    expect(await list(`?handle=@${other.handle.toUpperCase()}`)).toEqual([other.id])
    expect(await list(`?owner_id=${ownerId}`)).toEqual([])
    expect(await list('?handle=%D0%B0lice')).toEqual([])
    expect((await ask('GET', '/v1/agents?status=asleep', headers)).status).toBe(400)
    expect((await ask('GET', '/v1/agents?cursor=nonsense', headers)).status).toBe(400)
  })

  test('anyone can check whether an agent exists and whether a handle is free', async () => {
    const agent = await signUpAgent(network, platform, ownerId)
    const exists = {
      exists: true,
      agent_id: agent.id,
      handle: agent.handle,
      name: 'Test agent',
      status: 'active',
    }
    for (const name of [agent.id, agent.handle, `@${agent.handle.toUpperCase()}`]) {
      expect(await ask('GET', `/v1/agents/${name}/exists`)).toMatchObject({ status: 200, body: exists })
    }
    const nothing = { exists: false, agent_id: null, handle: null, name: null, status: null }
    for (const name of [NOBODY, randomHandle(), '%00', '%D0%B0lice', "'%20or%20'1'='1"]) {
      expect(await ask('GET', `/v1/agents/${name}/exists`)).toMatchObject({ status: 200, body: nothing })
    }
    const availability = async (name: string) =>
      (await ask('GET', `/v1/agents/handle/${name}/available`)).body
    expect(await availability(agent.handle)).toEqual({
      handle: agent.handle,
      available: false,
      reason: 'taken',
    })
    expect(await availability('@Never-Seen')).toEqual({ handle: 'never-seen', available: true, reason: null })
    expect(await availability('ab')).toEqual({ handle: 'ab', available: false, reason: 'invalid' })
    expect(await availability(NOBODY)).toEqual({ handle: NOBODY, available: false, reason: 'invalid' })
  })
})

describe('changing agents', () => {
  test('the platform can change name and policy, and the agent itself cannot', async () => {
    const agent = await signUpAgent(network, platform, ownerId)
    const address = `/v1/agents/${agent.id}`
    const changed = await ask('PATCH', address, platform, {
      name: 'Renamed',
      spend_limit_daily: 0,
      blocked_payee_agents: [NOBODY],
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Renamed', policy: { spend_limit_daily: 0, blocked_payee_agents: [NOBODY] } },
    })
    const loosened = await ask('PATCH', address, platform, {
      spend_limit_daily: null,
      blocked_payee_agents: null,
    })
    expect(loosened.body).toMatchObject({
      policy: { spend_limit_daily: 0, blocked_payee_agents: [NOBODY] },
      pending_policy: { spend_limit_daily: { value: null }, blocked_payee_agents: { value: null } },
    })
    expect((await ask('PATCH', address, agent.headers, { spend_limit_daily: 1e9 })).status).toBe(401)
    expect((await ask('PATCH', address, (await signUp(network)).headers, { name: 'Mine' })).status).toBe(403)
    for (const body of [{ status: 'paused' }, { handle: 'other' }, { spend_limit_daily: '1' }, [], 'null']) {
      expect((await ask('PATCH', address, platform, body)).status).toBe(400)
    }
    expect((await ask('GET', address, platform)).body).toEqual(loosened.body)
  })

  test('deactivation is final: the key fails and says so, nothing can be changed, and the handle stays taken', async () => {
    const agent = await signUpAgent(network, platform, ownerId)
    const address = `/v1/agents/${agent.id}`
    expect((await ask('DELETE', address, agent.headers)).status).toBe(401)
    const ended = await ask('DELETE', address, platform)
    expect(ended).toMatchObject({ status: 200, body: { agent_id: agent.id, status: 'deactivated' } })
    expect(await ask('DELETE', address, platform)).toMatchObject({ status: 200, body: ended.body })
    expect(await ask('GET', '/v1/agents/me', agent.headers)).toMatchObject({
      status: 401,
      body: { error: { message: expect.stringContaining('its agent is deactivated') } },
    })
    expect((await ask('PATCH', address, platform, { name: 'Ghost' })).status).toBe(409)
    expect((await ask('POST', `${address}/rotate-keys`, platform)).status).toBe(409)
    expect((await create({ handle: agent.handle })).status).toBe(409)
  })

  test('an agent can rotate its own key, and the old key is refused from then on', async () => {
    const agent = await signUpAgent(network, platform, ownerId)
    const sibling = await signUpAgent(network, platform, ownerId)
    expect((await ask('POST', `/v1/agents/${agent.id}/rotate-keys`, sibling.headers)).status).toBe(403)
    const rotated = await ask('POST', `/v1/agents/${agent.id}/rotate-keys`, agent.headers)
    const key = String(rotated.body['agent_key'])
    expect(rotated).toMatchObject({ status: 200, body: { agent_id: agent.id, key_last4: key.slice(-4) } })
    expect((await ask('GET', '/v1/agents/me', agent.headers)).status).toBe(401)
    expect((await ask('GET', '/v1/agents/me', { 'x-agent-key': key })).body['agent_id']).toBe(agent.id)
  })
})
