import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

const FOUR_DAYS_S = 4 * 86_400

let stage: PayingStage

beforeAll(async () => {
  stage = await openPayingStage()
})
afterAll(() => stage.close())

async function bulk(act: 'bulkFreezeAgents' | 'bulkQuarantineAgents' | 'bulkRestoreAgents', agent: Agent) {
  const { results } = await stage.api.ok(routes[act], {
    headers: await stage.network.admin(),
    body: { agent_ids: [agent.id] },
  })
  return results[0]
}

async function end(agent: Agent): Promise<void> {
  const params = { agent_id: agent.id }
  await stage.api.ok(routes.deactivateAgent, { params, headers: stage.platform.headers })
}

const withdrawal = (agent: Agent) => ({
  params: { agent_id: agent.id },
  headers: stage.platform.headers,
  body: {},
})

test.each([
  ['bulkFreezeAgents', 'frozen'],
  ['bulkQuarantineAgents', 'quarantined'],
] as const)(
  'deactivating an agent releases no money held by %s, and its record and the refusal say why',
  async (stop, held_as) => {
    const { api, network, owner, payee, platform } = stage
    const agent = await network.fundedAgent(owner)
    const { escrow_id } = await api.ok(routes.holdEscrow, {
      params: { agent_id: agent.id },
      headers: platform.headers,
      body: { amount: 75, to_agent_id: payee.id },
    })
    const release = {
      params: { escrow_id: escrow_id ?? '' },
      headers: platform.headers,
      body: { to_agent_id: payee.id },
    }
    await bulk(stop, agent)
    await end(agent)

    const refused = await api.refused(routes.withdraw, 403, 'policy_denied', withdrawal(agent))
    expect(refused.message).toMatch(new RegExp(`^Agent is deactivated and was ${held_as} before`))
    expect(refused.details).toEqual({ status: 'deactivated', held_as })
    const record = { params: { agent_id: agent.id }, headers: platform.headers }
    expect(await api.ok(routes.getAgent, record)).toMatchObject({ status: 'deactivated', held_as })
    await api.refused(routes.releaseEscrow, 403, 'policy_denied', release)
    await api.ok(routes.advanceClock, { body: { advance_seconds: FOUR_DAYS_S } })
    const balance = { params: { agent_id: agent.id }, headers: platform.headers }
    expect((await api.ok(routes.getBalance, balance)).available).toBe(900)

    expect(await bulk('bulkRestoreAgents', agent)).toMatchObject({ status: 'deactivated', error: null })
    expect((await api.ok(routes.releaseEscrow, release)).status).toBe('released')
    expect((await api.ok(routes.withdraw, withdrawal(agent))).amount).toBe(900)
  },
)

test('unfreezing an owner also releases the money of its deactivated agents', async () => {
  const { api, network, owner } = stage
  const agent = await network.fundedAgent(owner)
  const params = { owner_id: owner.id }
  await api.ok(routes.freezeOwner, { params, headers: await stage.network.admin() })
  await end(agent)
  await api.refused(routes.withdraw, 403, 'policy_denied', withdrawal(agent))
  await api.ok(routes.unfreezeOwner, { params, headers: await stage.network.admin() })
  expect((await api.ok(routes.withdraw, withdrawal(agent))).amount).toBe(975)
})
