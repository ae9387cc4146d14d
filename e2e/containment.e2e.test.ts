import { type BodyOf, routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Api, type Headers, openApi, type Reply } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { type Service, startService } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let second: Service
let api: Api
let nodes: readonly Api[]
let network: Network
let admin: Headers
let platform: Platform
let owner: Owner
let payer: Agent
let payee: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
  second = await startService({ DATABASE_URL: stage.database.url })
  nodes = [api, openApi(second.address)]
  admin = await network.admin()
  platform = await network.platform()
  payee = await network.agent(await network.owner(platform))
})

beforeEach(async () => {
  owner = await network.owner(platform)
  payer = await network.fundedAgent(owner)
})

afterAll(async () => {
  await second.stop()
  await stage.close()
})

const ofPayer = () => ({ params: { agent_id: payer.id } })
const ofOwner = () => ({ params: { owner_id: owner.id }, headers: admin })
const bulk = () => ({ body: { agent_ids: [payer.id] }, headers: admin })

/** Every way to stop an agent, the refusal of its payments, and whether it can still receive. */
const STOPS = {
  'pause by the platform': {
    stop: () => api.ok(routes.pauseAgent, { ...ofPayer(), headers: platform.headers }),
    message: 'Agent is paused',
    receives: false,
  },
  'pause by the owner': {
    stop: async () => api.ok(routes.pauseAgent, { ...ofPayer(), headers: await network.login(owner) }),
    message: 'Agent is paused',
    receives: false,
  },
  'pause of all agents by the owner': {
    stop: async () => api.ok(routes.pauseAllAgents, { headers: await network.login(owner) }),
    message: 'Agent is paused',
    receives: false,
  },
  'bulk quarantine': {
    stop: () => api.ok(routes.bulkQuarantineAgents, bulk()),
    message: 'Agent is quarantined',
    receives: true,
  },
  'bulk freeze': {
    stop: () => api.ok(routes.bulkFreezeAgents, bulk()),
    message: 'Agent is frozen',
    receives: false,
  },
  'freeze of the owner': {
    stop: () => api.ok(routes.freezeOwner, ofOwner()),
    message: 'Agent is frozen',
    receives: false,
  },
}
const stops = Object.entries(STOPS)

function pay(node: Api, from: Agent, to: Agent): Promise<Reply> {
  const body: BodyOf<typeof routes.pay> = { to: to.id, amount: 1 }
  return node.send(routes.pay, { params: { agent_id: from.id }, headers: from.headers, body })
}

const payAll = (count: number) =>
  Array.from({ length: count }, async (_, at) => pay(nodes[at % 2] ?? api, payer, payee))

describe('a stop', () => {
  test.each(stops)(
    'by %s applies to the next payment on every node, whatever is in flight',
    async (_, way) => {
      const inFlight = payAll(200)
      await way.stop()
      const balance = await network.balance(payer)
      for (const { status, body } of await Promise.all(payAll(20))) {
        expect([status, body]).toMatchObject([
          403,
          { error: { code: 'policy_denied', message: way.message } },
        ])
      }
      const statuses = new Set((await Promise.all(inFlight)).map(({ status }) => status))
      expect([...statuses].every(status => status === 200 || status === 403)).toBe(true)
      expect(await network.balance(payer)).toEqual(balance)
    },
  )

  test.each(stops)('by %s decides whether the agent can still receive payments', async (_, way) => {
    const funded = await network.fundedAgent(await network.owner(platform))
    await way.stop()
    for (const node of nodes) {
      const { status } = await pay(node, funded, payer)
      expect(status).toBe(way.receives ? 200 : 400)
    }
  })

  test.each(stops)('by %s can be lifted, and then the agent can pay again', async (name, way) => {
    await way.stop()
    if (name.startsWith('pause'))
      await api.ok(routes.resumeAgent, { ...ofPayer(), headers: platform.headers })
    else if (name.startsWith('bulk')) await api.ok(routes.bulkRestoreAgents, bulk())
    else await api.ok(routes.unfreezeOwner, ofOwner())
    for (const node of nodes) expect((await pay(node, payer, payee)).status).toBe(200)
  })
})

test('lifting a stronger stop restores the weaker one: paused, quarantined, frozen with the owner, and back', async () => {
  const status = async () =>
    (await api.ok(routes.getAgent, { ...ofPayer(), headers: platform.headers })).status
  await api.ok(routes.pauseAgent, { ...ofPayer(), headers: platform.headers })
  await api.ok(routes.bulkQuarantineAgents, bulk())
  expect((await api.ok(routes.freezeOwner, ofOwner())).agents_affected).toBe(1)
  expect(await status()).toBe('frozen')
  await api.ok(routes.unfreezeOwner, ofOwner())
  expect(await status()).toBe('quarantined')
  await api.ok(routes.bulkRestoreAgents, bulk())
  expect(await status()).toBe('paused')
  await api.ok(routes.resumeAgent, { ...ofPayer(), headers: await network.login(owner) })
  expect(await status()).toBe('active')
})

test('a deactivated agent’s key stops working on every node, and no action restores it', async () => {
  await api.ok(routes.deactivateAgent, { ...ofPayer(), headers: platform.headers })
  for (const node of nodes) {
    expect(await pay(node, payer, payee)).toMatchObject({
      status: 401,
      body: { error: { message: expect.stringMatching('its agent.* deactivated') } },
    })
  }
  await api.refused(routes.resumeAgent, 409, 'conflict', { ...ofPayer(), headers: platform.headers })
  for (const route of [routes.bulkFreezeAgents, routes.bulkQuarantineAgents, routes.bulkRestoreAgents]) {
    const { results } = await api.ok(route, bulk())
    expect(results).toMatchObject([{ status: 'deactivated', error: { code: 'conflict' } }])
  }
  await api.ok(routes.freezeOwner, ofOwner())
  expect((await api.ok(routes.unfreezeOwner, ofOwner())).agents_affected).toBe(0)
})

test('a stop by an administrator cannot be lifted by the owner’s side', async () => {
  await api.ok(routes.bulkQuarantineAgents, bulk())
  for (const headers of [platform.headers, await network.login(owner)]) {
    const error = await api.refused(routes.resumeAgent, 409, 'conflict', { ...ofPayer(), headers })
    expect(error.message).toContain('only an administrator can end that')
  }
})

test('the emergency stop pauses every active agent of the owner, however many, and no other', async () => {
  // A few at a time: the service lets no caller have more requests waiting than it serves soon.
  for (let made = 0; made < 205; made += 5) {
    await Promise.all(Array.from({ length: 5 }, () => network.agent(owner)))
  }
  const headers = await network.login(owner)
  expect(await api.ok(routes.pauseAllAgents, { headers })).toEqual({ paused: 206 })
  const of = (status: 'active' | 'paused') =>
    api.ok(routes.listAgents, { headers, query: { status, limit: 1 } }).then(list => list.pagination.total)
  expect([await of('active'), await of('paused')]).toEqual([0, 206])
  expect(await api.ok(routes.pauseAllAgents, { headers })).toEqual({ paused: 0 })
  const params = { agent_id: payee.id }
  expect((await api.ok(routes.getAgent, { params, headers: platform.headers })).status).toBe('active')
})

test('the emergency stop pauses the others where the row of one agent was altered', async () => {
  const altered = await network.agent(owner)
  await stage.database.query('update agents set budget_limit_paise = 1 where handle = $1', [altered.handle])
  expect(await api.ok(routes.pauseAllAgents, { headers: await network.login(owner) })).toEqual({ paused: 1 })
  const stopped = await api.ok(routes.getAgent, { ...ofPayer(), headers: platform.headers })
  expect(stopped.status).toBe('paused')
  expect((await pay(api, altered, payee)).status).toBe(401)
})

describe('after the response to the emergency stop', () => {
  const denied = [403, 'policy_denied'] as const
  const body = { amount: 20, to_agent_id: '' }
  const session = () => network.login(owner)
  const limitPayer = (controls: BodyOf<typeof routes.updateAgent>) =>
    api.ok(routes.updateAgent, { ...ofPayer(), headers: platform.headers, body: controls })

  test('nothing leaves an agent’s wallet: no payment, hold, authorization, or request that waited; and none is lost', async () => {
    const headers = await session()
    const until = new Date(
      Date.parse((await api.ok(routes.advanceClock, { body: { advance_seconds: 1 } })).now) + 3_600_000,
    )
    await limitPayer({ require_human_approval_above: 30 })
    const waiting = await network.pay(payer, payee, 40)
    await api.ok(routes.createAllowance, {
      headers,
      body: { agent_id: payer.id, to: payee.id, amount: 100, until: until.toISOString() },
    })
    const balance = await network.balance(payer)
    expect(await api.ok(routes.pauseAllAgents, { headers })).toEqual({ paused: 1 })
    const byPayer = { ...ofPayer(), headers: payer.headers }
    const to = { to: payee.id, amount: 35 }
    const hold = { ...body, to_agent_id: payee.id }
    for (const node of nodes) {
      await node.refused(routes.pay, ...denied, { ...byPayer, body: to })
      await node.refused(routes.authorize, ...denied, { ...byPayer, body: to })
      await node.refused(routes.holdEscrow, ...denied, { ...byPayer, body: hold })
      await node.refused(routes.holdEscrowWithTimeout, ...denied, {
        ...byPayer,
        body: { ...hold, timeout_hours: 1 },
      })
      await node.refused(routes.holdEscrowWithAttestation, ...denied, {
        ...byPayer,
        body: { ...hold, attestor_agent_id: payee.id },
      })
    }
    const approval = { params: { approval_id: waiting.approval_id ?? '' }, headers }
    await api.refused(routes.approve, ...denied, approval)
    expect(await network.balance(payer)).toEqual(balance)
    await api.ok(routes.resumeAgent, { ...ofPayer(), headers })
    await api.ok(routes.approve, approval)
    expect((await network.pay(payer, payee, 35)).status).toBe('completed')
  })

  test('what was set aside before goes back ten minutes later, and what is held in escrow where it was meant for', async () => {
    const byPayer = { ...ofPayer(), headers: payer.headers }
    const before = await network.balance(payer)
    const { authorization_id } = await api.ok(routes.authorize, {
      ...byPayer,
      body: { to: payee.id, amount: 50 },
    })
    const hold = { ...byPayer, body: { amount: 20, to_agent_id: payee.id } }
    const [released, refunded] = [
      await api.ok(routes.holdEscrow, hold),
      await api.ok(routes.holdEscrow, hold),
    ]
    await api.ok(routes.pauseAllAgents, { headers: await session() })
    const capture = (total: number) => ({
      params: { authorization_id: authorization_id ?? '' },
      headers: payee.headers,
      body: { total },
    })
    await api.ok(routes.captureAuthorization, capture(5))
    await api.ok(routes.advanceClock, { body: { advance_seconds: 601 } })
    await api.refused(routes.captureAuthorization, 409, 'conflict', capture(6))
    const ofHold = ({ escrow_id }: typeof released) => ({
      params: { escrow_id: escrow_id ?? '' },
      headers: platform.headers,
    })
    await api.ok(routes.releaseEscrow, { ...ofHold(released), body: {} })
    await api.ok(routes.refundEscrow, ofHold(refunded))
    // The captured part with its fee, and the released hold.
    await expect.poll(async () => before.available - (await network.balance(payer)).available).toBe(26)
  })
})
