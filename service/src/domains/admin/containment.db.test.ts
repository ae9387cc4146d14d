import { beforeEach, describe, expect } from 'vitest'
import { formatId, newUuid } from '../../kernel/ids.ts'
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
} from '../../testing/network-server.ts'

let platform: Headers
let ownerId: string

test.beforeAll(async () => {
  platform = (await signUp(network)).headers
})

beforeEach(async () => {
  ownerId = await signUpOwner(network, platform)
})

async function newAgents(count: number, owner = ownerId): Promise<string[]> {
  const agents: string[] = []
  for (let made = 0; made < count; made++) agents.push((await signUpAgent(network, platform, owner)).id)
  return agents
}

const bulk = async (name: string, ids: unknown, headers: Headers = AS_ADMIN) =>
  ask('POST', `/v1/admin/agents/bulk-${name}`, headers, { agent_ids: ids })
const onOwner = (name: string, id = ownerId) => ask('POST', `/v1/admin/owners/${id}/${name}`, AS_ADMIN)
const pause = (id: string) => ask('POST', `/v1/agents/${id}/pause`, platform)

async function statusesOf(ids: readonly string[]): Promise<unknown[]> {
  const seen = await Promise.all(ids.map(id => ask('GET', `/v1/agents/${id}`, platform)))
  return seen.map(({ body }) => body['status'])
}

/** An agent in each state that can be reached, of one owner. */
async function oneOfEach() {
  const [active, paused, quarantined, covered, frozen, ended] = await newAgents(6)
  const ids = { active, paused, quarantined, covered, frozen, ended } as Record<string, string>
  for (const id of [paused, covered]) await pause(String(id))
  await bulk('quarantine', [quarantined, covered])
  await bulk('freeze', [frozen])
  await ask('DELETE', `/v1/agents/${ended}`, platform)
  return ids
}

describe('a bulk request', () => {
  test('a bulk request returns one outcome for each agent, in the order of the request', async () => {
    const { active, paused, quarantined, frozen, ended } = await oneOfEach()
    const nobody = formatId('agt', newUuid(new Date()))
    const asked = [ended, frozen, nobody, quarantined, "agt_' or 1=1", active, paused]
    const reply = await bulk('quarantine', asked)
    expect(reply.status).toBe(200)
    expect(reply.body['results']).toEqual([
      {
        agent_id: ended,
        status: 'deactivated',
        error: { code: 'conflict', message: expect.stringContaining('final') },
      },
      {
        agent_id: frozen,
        status: 'frozen',
        error: { code: 'conflict', message: expect.stringContaining('loosen') },
      },
      { agent_id: nobody, status: null, error: { code: 'not_found', message: expect.any(String) } },
      { agent_id: quarantined, status: 'quarantined', error: null },
      { agent_id: "agt_' or 1=1", status: null, error: { code: 'not_found', message: expect.any(String) } },
      { agent_id: active, status: 'quarantined', error: null },
      { agent_id: paused, status: 'quarantined', error: null },
    ])
    expect(await statusesOf([String(active), String(paused), String(frozen)])).toEqual([
      'quarantined',
      'quarantined',
      'frozen',
    ])
  })

  test('a repeated bulk request changes nothing', async () => {
    const ids = await newAgents(2)
    for (const [name, status] of [
      ['freeze', 'frozen'],
      ['restore', 'active'],
      ['quarantine', 'quarantined'],
    ] as const) {
      const [first, second] = [await bulk(name, ids), await bulk(name, ids)]
      expect(first.body['results']).toEqual(ids.map(agent_id => ({ agent_id, status, error: null })))
      expect(second.body).toEqual(first.body)
    }
  })

  test('only an administrator may send a bulk request, for 1 to 500 different agents', async () => {
    const [id] = await newAgents(1)
    const many = Array.from({ length: 500 }, () => formatId('agt', newUuid(new Date())))
    expect((await bulk('freeze', many)).status).toBe(200)
    for (const ids of [[], [...many, id], [id, id], [7], 'agt_x', null]) {
      expect(await bulk('freeze', ids)).toMatchObject({ status: 400 })
    }
    for (const headers of [{}, platform, asOwner(ownerId)]) {
      expect((await bulk('freeze', [id], headers)).status).toBe(401)
    }
    expect(await statusesOf([String(id)])).toEqual(['active'])
  })

  test('concurrent bulk requests for the same agents leave all agents in the state that one of them set', async () => {
    const ids = await newAgents(8)
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all([
        bulk('freeze', ids),
        bulk('restore', ids.toReversed()),
        onOwner('freeze'),
        bulk('quarantine', ids),
        onOwner('unfreeze'),
      ])
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      expect(new Set(await statusesOf(ids)).size).toBe(1)
      await onOwner('unfreeze')
      await bulk('restore', ids)
      expect(new Set(await statusesOf(ids))).toEqual(new Set(['active']))
    }
  })
})

describe('freezing an owner', () => {
  test('freezing an owner freezes all its agents but the deactivated ones, and unfreezing gives each its earlier state', async () => {
    const ids = await oneOfEach()
    const all = Object.values(ids)
    const frozen = await onOwner('freeze')
    expect(frozen).toMatchObject({
      status: 200,
      body: { owner_id: ownerId, status: 'frozen', agents_affected: 4 },
    })
    expect(await statusesOf(all)).toEqual([...Array.from({ length: 5 }, () => 'frozen'), 'deactivated'])
    const unfrozen = await onOwner('unfreeze')
    expect(unfrozen).toMatchObject({ status: 200, body: { status: 'active', agents_affected: 5 } })
    expect(await statusesOf(all)).toEqual([
      'active',
      'paused',
      'quarantined',
      'quarantined',
      'active',
      'deactivated',
    ])
    await bulk('restore', [ids['covered']])
    expect(await statusesOf([String(ids['covered'])])).toEqual(['paused'])
  })

  test('a second freeze changes nothing; an unfreeze restores agents frozen since, even if the owner is active', async () => {
    const [first, second] = await newAgents(2)
    await onOwner('freeze')
    expect((await onOwner('freeze')).body['agents_affected']).toBe(0)
    await onOwner('unfreeze')
    await bulk('freeze', [first])
    expect(await onOwner('unfreeze')).toMatchObject({ status: 200, body: { agents_affected: 1 } })
    expect(await statusesOf([String(first), String(second)])).toEqual(['active', 'active'])
    expect(await onOwner('unfreeze')).toMatchObject({ status: 200, body: { agents_affected: 0 } })
  })

  test('agents that were paused or quarantined before they were frozen return to that state', async () => {
    const [first, second, third] = (await newAgents(3)).map(String)
    await pause(String(first))
    await bulk('quarantine', [second])
    await bulk('freeze', [first, second])
    await bulk('quarantine', [third])
    expect((await onOwner('unfreeze')).body).toMatchObject({ agents_affected: 2 })
    expect(await statusesOf([String(first), String(second), String(third)])).toEqual([
      'paused',
      'quarantined',
      'quarantined',
    ])
  })

  test('no agent of a frozen owner can be resumed or unfrozen', async () => {
    const [id] = await newAgents(1)
    await onOwner('freeze')
    expect((await bulk('restore', [id])).body).toMatchObject({
      results: [{ status: 'frozen', error: { code: 'conflict', message: expect.stringContaining('owner') } }],
    })
  })

  test('freezing an owner does not affect agents of other owners, and an unknown owner is not found', async () => {
    const others = await newAgents(1, await signUpOwner(network, platform))
    await onOwner('freeze')
    expect(await statusesOf(others)).toEqual(['active'])
    for (const id of ['own_none', formatId('own', newUuid(new Date()))]) {
      expect((await onOwner('freeze', id)).status).toBe(404)
      expect((await onOwner('unfreeze', id)).status).toBe(404)
    }
  })

  test('an agent that is created while its owner is frozen ends up frozen or is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const owner = await signUpOwner(network, platform)
      await Promise.all([onOwner('freeze', owner), ...[1, 2, 3].map(() => tryAgent(owner))])
      const { body } = await ask('GET', `/v1/admin/owners/${owner}`, AS_ADMIN)
      expect(body['agents']).toMatchObject({ active: 0 })
    }
  })
})

async function tryAgent(owner: string): Promise<void> {
  const handle = `agent-${newUuid(new Date()).slice(-12)}`
  await ask('POST', '/v1/agents', platform, { name: 'x', handle, owner_id: owner })
}
