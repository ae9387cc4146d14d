import { beforeEach, describe, expect } from 'vitest'
import {
  AS_ADMIN,
  ask,
  asOwner,
  type Headers,
  network,
  signUp,
  signUpAgent,
  signUpOwner,
  test,
} from '../../../testing/network-server.ts'

let platform: Headers
let ownerId: string
let agentId: string
let agent: Headers

beforeEach(async () => {
  platform = (await signUp(network)).headers
  ownerId = await signUpOwner(network, platform)
  const made = await signUpAgent(network, platform, ownerId)
  agentId = made.id
  agent = made.headers
})

const act = (name: string, headers: Headers, id = agentId) => ask('POST', `/v1/agents/${id}/${name}`, headers)
const bulk = (name: string) =>
  ask('POST', `/v1/admin/agents/bulk-${name}`, AS_ADMIN, { agent_ids: [agentId] })

describe('pausing and resuming', () => {
  test('the platform and the owner can pause and resume an agent, each also undoing the other', async () => {
    const byOwner = asOwner(ownerId)
    for (const [name, headers, status] of [
      ['pause', platform, 'paused'],
      ['resume', byOwner, 'active'],
      ['pause', byOwner, 'paused'],
      ['resume', platform, 'active'],
    ] as const) {
      const changed = await act(name, headers)
      expect(changed).toMatchObject({ status: 200, body: { agent_id: agentId, status } })
      const seen = await ask('GET', `/v1/agents/${agentId}`, platform)
      expect(seen.body).toEqual(changed.body)
    }
  })

  test('a repeated pause or resume changes nothing and returns the same response', async () => {
    for (const name of ['resume', 'pause'] as const) {
      const [first, second] = [await act(name, platform), await act(name, platform)]
      expect(second).toMatchObject({ status: 200, body: first.body })
    }
  })

  test('a paused agent keeps its key and may read', async () => {
    await act('pause', platform)
    expect(await ask('GET', '/v1/agents/me', agent)).toMatchObject({
      status: 200,
      body: { status: 'paused' },
    })
  })

  test('the agent itself, other parties and administrators cannot pause or resume an agent', async () => {
    const strange = (await signUp(network)).headers
    const strangeOwner = asOwner(await signUpOwner(network, platform))
    for (const name of ['pause', 'resume']) {
      expect((await act(name, agent)).status).toBe(401)
      expect((await act(name, AS_ADMIN)).status).toBe(401)
      expect(await act(name, strange)).toMatchObject({ body: { error: { code: 'authorization_error' } } })
      expect((await act(name, strangeOwner)).status).toBe(403)
      expect((await act(name, platform, 'agt_none')).status).toBe(404)
    }
    expect((await ask('GET', `/v1/agents/${agentId}`, platform)).body['status']).toBe('active')
  })

  test.each([
    ['quarantine', 'Agent is quarantined; only an administrator can end that'],
    ['freeze', 'Agent is frozen; only an administrator can end that'],
  ])(
    'pausing or resuming an agent under %s is a conflict that says who can end that state',
    async (name, message) => {
      await bulk(name)
      for (const wanted of ['pause', 'resume']) {
        expect(await act(wanted, platform)).toMatchObject({
          status: 409,
          body: { error: { code: 'conflict', message } },
        })
      }
    },
  )

  test('pausing or resuming a deactivated agent is a conflict, and its key no longer works', async () => {
    await act('pause', platform)
    await ask('DELETE', `/v1/agents/${agentId}`, platform)
    expect((await act('resume', platform)).status).toBe(409)
    expect((await act('pause', platform)).status).toBe(409)
    expect((await ask('GET', '/v1/agents/me', agent)).status).toBe(401)
  })

  test('while the owner is frozen, resuming or creating an agent is a conflict that names the owner', async () => {
    await ask('POST', `/v1/admin/owners/${ownerId}/freeze`, AS_ADMIN)
    const message = expect.stringContaining('owner')
    for (const refused of [
      await act('resume', asOwner(ownerId)),
      await ask('POST', '/v1/agents', platform, { name: 'x', handle: 'below-frozen', owner_id: ownerId }),
    ]) {
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict', message } } })
    }
  })
})

test('an agent that was paused before a quarantine or freeze is paused again afterwards', async () => {
  await act('pause', platform)
  await bulk('quarantine')
  await bulk('freeze')
  await bulk('restore')
  expect((await ask('GET', `/v1/agents/${agentId}`, platform)).body['status']).toBe('paused')
})

test('an agent that was paused, quarantined and frozen can be deactivated for good', async () => {
  for (const name of ['quarantine', 'freeze']) await bulk(name)
  const ended = await ask('DELETE', `/v1/agents/${agentId}`, platform)
  expect(ended).toMatchObject({ status: 200, body: { status: 'deactivated' } })
  // The freeze of its money can be lifted as for any other agent, and it stays deactivated.
  expect((await bulk('restore')).body).toMatchObject({ results: [{ status: 'deactivated', error: null }] })
  for (const name of ['quarantine', 'freeze', 'restore']) {
    expect((await bulk(name)).body).toMatchObject({
      results: [{ status: 'deactivated', error: { code: 'conflict' } }],
    })
  }
})
