import { type BodyOf, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

const DAY_S = 86_400

let stage: PayingStage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let payee: Agent

beforeAll(async () => {
  stage = await openPayingStage()
  ;({ api, network, platform, owner, payee } = stage)
})
afterAll(() => stage.close())

const advance = (seconds: number) => api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })

const changeAgent = (agent: Agent, body: BodyOf<typeof routes.updateAgent>) =>
  api.ok(routes.updateAgent, { params: { agent_id: agent.id }, headers: platform.headers, body })

const policyOf = (agent: Agent, to?: Agent) =>
  api.ok(routes.getAgentPolicy, {
    params: { agent_id: agent.id },
    headers: agent.headers,
    query: to === undefined ? {} : { to: to.handle },
  })

const refuse = (from: Agent, amount: number) =>
  network.refusedPayment(from, payee, [403, 'spend_limit_exceeded'], { amount })

describe('an agent’s limit', () => {
  test('that is raised waits a day, shows the pending change, and then applies', async () => {
    const payer = await network.fundedAgent(owner, { spend_limit_per_tx: 10 })
    const { policy, pending_policy } = await changeAgent(payer, { spend_limit_per_tx: 20 })
    expect(policy.spend_limit_per_tx).toBe(10)
    expect(pending_policy.spend_limit_per_tx?.value).toBe(20)
    await advance(DAY_S - 60)
    await refuse(payer, 20)
    await advance(60)
    await network.pay(payer, payee, 20)
    await refuse(payer, 20.01)
    expect((await policyOf(payer)).pending_policy).toEqual({})
  })

  test('stays if its pending change is cancelled', async () => {
    const payer = await network.fundedAgent(owner, { spend_limit_per_tx: 10 })
    await changeAgent(payer, { spend_limit_per_tx: null })
    const params = { agent_id: payer.id, control: 'spend_limit_per_tx' }
    const record = await api.ok(routes.cancelPendingPolicy, { params, headers: platform.headers })
    expect(record.pending_policy).toEqual({})
    await api.refused(routes.cancelPendingPolicy, 404, 'not_found', { params, headers: platform.headers })
    await advance(DAY_S)
    await refuse(payer, 10.01)
  })
})

describe('an owner’s limit', () => {
  const change = (headers: Headers, body: BodyOf<typeof routes.updateOwnerPolicy>) =>
    api.ok(routes.updateOwnerPolicy, { headers, body })

  test('applies at once to every agent of the owner, and waits a day if it is raised', async () => {
    const person = await network.owner(platform)
    const agents = [await network.fundedAgent(person), await network.fundedAgent(person)]
    const session = await network.login(person)
    await change(session, { spend_limit_per_tx: 10 })
    for (const agent of agents) expect((await refuse(agent, 10.01)).details).toMatchObject({ layer: 'owner' })
    const { pending_policy } = await change(session, { spend_limit_per_tx: 20 })
    expect(pending_policy.spend_limit_per_tx?.value).toBe(20)
    await advance(DAY_S)
    for (const agent of agents) await network.pay(agent, payee, 20)
    const shown = await api.ok(routes.getOwnerPolicy, { headers: await network.login(person) })
    expect(shown).toMatchObject({ policy: { spend_limit_per_tx: 20 }, pending_policy: {} })
  })

  test('stays if its pending change is cancelled', async () => {
    const person = await network.owner(platform)
    const agent = await network.fundedAgent(person)
    const headers = await network.login(person)
    await change(headers, { spend_limit_per_tx: 10 })
    await change(headers, { spend_limit_per_tx: null })
    await api.ok(routes.cancelOwnerPendingPolicy, { params: { control: 'spend_limit_per_tx' }, headers })
    await advance(DAY_S)
    await refuse(agent, 10.01)
  })
})

test('verifying an owner moves its agents to tier1, whose limits are higher', async () => {
  const person = await network.owner(platform)
  const payer = await network.agent(person)
  await network.fund(payer, 5_000)
  expect((await refuse(payer, 1000.01)).details).toMatchObject({ layer: 'tier', limit: 1_000 })
  await network.verify(person)
  await network.pay(payer, payee, 1000.01)
})

test('a tier that an administrator changes applies to the next payment, higher and lower', async () => {
  const payer = await network.fundedAgent(owner)
  const headers = await network.admin()
  const tiers = await api.ok(routes.listTiers, { headers })
  for (const { tier, owners } of tiers.tiers) {
    const listed = await api.ok(routes.listAllOwners, { headers, query: { tier, limit: 1 } })
    expect(owners).toBe(listed.pagination.total)
  }
  const before = tiers.tiers.find(({ tier }) => tier === 'tier1')?.per_tx
  for (const per_tx of [5, 6, 4]) {
    await api.ok(routes.updateTier, { params: { tier: 'tier1' }, headers, body: { per_tx } })
    expect((await refuse(payer, per_tx + 0.01)).details).toMatchObject({ layer: 'tier', limit: per_tx })
    await network.pay(payer, payee, per_tx)
  }
  await api.ok(routes.updateTier, { params: { tier: 'tier1' }, headers, body: { per_tx: before ?? 5_000 } })
})

test('the limits that an agent reads and its dry runs match the decision about its next payment', async () => {
  const payer = await network.fundedAgent(owner, {
    spend_limit_hourly: 100,
    spend_limit_daily: 300,
    per_counterparty_daily_limit: 90,
    max_counterparties_per_hour: 1,
  })
  await network.pay(payer, payee, 40)
  const shown = await policyOf(payer, payee)
  const own = shown.limits.filter(({ layer }) => layer === 'agent')
  expect(own.map(({ rule, used, remaining }) => [rule, used, remaining])).toEqual([
    ['spend_limit_hourly', 40, 60],
    ['spend_limit_daily', 40, 260],
    ['per_counterparty_daily_limit', 40, 50],
    ['max_counterparties_per_hour', 1, 0],
  ])
  expect(shown.max_amount_now).toBe(50)
  const params = { agent_id: payer.id }
  const body = { to: payee.id, amount: 50.01 }
  const dryRun = await api.ok(routes.evaluatePolicy, { params, headers: payer.headers, body })
  const { code, message, details } = await refuse(payer, 50.01)
  expect(dryRun).toMatchObject({ decision: 'denied', code, message, details })
  await network.pay(payer, payee, shown.max_amount_now ?? 0)
})
