import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Headers } from './src/api.ts'
import type { Agent, Owner, Platform } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let platform: Platform
let owner: Owner
let session: Headers
let payer: Agent
let payee: Agent
let approvalId: string

beforeAll(async () => {
  stage = await sharedStage()
  const { api, network } = stage
  platform = await network.platform()
  owner = await network.owner(platform)
  await network.verify(owner)
  payee = await network.agent(owner, { name: 'Translator' })
  payer = await network.fundedAgent(owner, {
    ...{ name: 'Research Agent', spend_limit_daily: 500, require_human_approval_above: 100 },
  })
  session = await network.login(owner)
  const { created_at } = await network.pay(payer, payee, 80, { reference: 'first', note: 'The first of all' })
  await network.pay(payer, payee, 20)
  await api.ok(routes.holdEscrow, {
    params: { agent_id: payer.id },
    headers: platform.headers,
    body: { amount: 40, reference: 'order-7' },
  })
  // By the service's clock, which other files may have moved.
  const until = new Date(Date.parse(created_at ?? '') + 86_400_000).toISOString()
  const body = { agent_id: payer.id, to: payee.id, amount: 300, until }
  await api.ok(routes.createAllowance, { headers: session, body })
  const { approval_id } = await network.pay(payer, payee, 301)
  approvalId = approval_id ?? ''
})
afterAll(() => stage.close())

const same = <Fields extends { as_of?: string }>({ as_of: _time, ...fields }: Fields) => fields

test('an overview says what the routes of its parts say', async () => {
  const { api } = stage
  const call = { params: { agent_id: payer.id }, headers: session }
  const overview = await api.ok(routes.getAgentOverview, call)
  const [balance, policy, exposure, { transactions }, { allowances }] = await Promise.all([
    api.ok(routes.getBalance, call),
    api.ok(routes.getAgentPolicy, call),
    api.ok(routes.getExposure, call),
    api.ok(routes.listTransactions, { ...call, query: { limit: 5 } }),
    api.ok(routes.listAllowances, { headers: session, query: { agent_id: payer.id } }),
  ])
  expect(overview).toMatchObject({ balance, allowances, recent: transactions })
  expect(same(overview.policy)).toEqual(same(policy))
  expect(same(overview.exposure)).toEqual(same(exposure))
  expect(allowances).toMatchObject([
    { agent_name: 'Research Agent', to_name: 'Translator', to_handle: payee.handle, amount: 300 },
  ])
  const ofPlatform = await api.ok(routes.getAgentOverview, { ...call, headers: platform.headers })
  expect(ofPlatform).toMatchObject({ balance, allowances: null })
})

test('a list of agents shows what is held, the limit that is used most, and what was done last', async () => {
  const { api } = stage
  const { agents, pagination } = await api.ok(routes.listAgentSummaries, { headers: session })
  expect(pagination.total).toBe(2)
  expect(agents).toMatchObject([
    {
      agent: { agent_id: payer.id, status: 'active' },
      held: 40,
      pending_approvals: 301,
      // 80, 20 and the hold of 40 of the agent's own 500; the tier allows 50,000.
      tightest: { rule: 'spend_limit_daily', layer: 'agent', limit: 500, used: 140, remaining: 360 },
      last_transaction: { type: 'pay_out', status: 'pending', amount: 40 },
    },
    {
      agent: { agent_id: payee.id },
      available: 100,
      held: 0,
      last_transaction: { type: 'pay_in', amount: 20 },
    },
  ])
  const paused = await api.ok(routes.listAgentSummaries, { headers: session, query: { status: 'paused' } })
  expect(paused.agents).toEqual([])
})

test('the details of an approval are the approval, the payee and the balance', async () => {
  const { api, network } = stage
  const params = { approval_id: approvalId }
  const details = await api.ok(routes.getApprovalDetails, { params, headers: session })
  expect(details).toMatchObject({
    approval: await api.ok(routes.getApproval, { params, headers: session }),
    payee: { handle: payee.handle, kyc_status: 'verified' },
    available: (await network.balance(payer)).available,
  })
  const stranger = await network.login(await network.owner(await network.platform()))
  await api.refused(routes.getApprovalDetails, 404, 'not_found', { params, headers: stranger })
})

test('the details of an escrow are the escrow and the names of its agents', async () => {
  const { api, network } = stage
  const call = { params: { agent_id: payer.id }, headers: platform.headers }
  const body = { amount: 20, to_agent_id: payee.handle }
  const { escrow_id } = await api.ok(routes.holdEscrow, { ...call, body })
  const params = { escrow_id: escrow_id ?? '' }
  const { escrow, agents } = await api.ok(routes.getEscrowDetails, { params, headers: platform.headers })
  expect(escrow).toEqual(await api.ok(routes.getEscrow, { params, headers: platform.headers }))
  expect(agents.map(({ agent_id, name }) => [agent_id, name]).toSorted()).toEqual(
    [
      [payer.id, 'Research Agent'],
      [payee.id, 'Translator'],
    ].toSorted(),
  )
  const { headers } = await network.platform()
  await api.refused(routes.getEscrowDetails, 404, 'not_found', { params, headers })
})

test('the versions of a policy name the agents of its payee lists, also after they left the lists', async () => {
  const { api, network } = stage
  const careful = await network.agent(owner)
  const params = { agent_id: careful.id }
  for (const blocked_payee_agents of [[payee.id], []])
    await api.ok(routes.updateAgent, { params, headers: session, body: { blocked_payee_agents } })
  await api.ok(routes.advanceClock, { body: { advance_seconds: 90_000 } })
  const changes = async () => {
    const { versions } = await api.ok(routes.listPolicyVersions, { params, headers: platform.headers })
    return versions.map(({ payees }) => payees.map(({ name }) => name))
  }
  await expect.poll(changes).toEqual([['Translator'], ['Translator'], []])
})

test('the first payment of a platform stays its first', async () => {
  const { api, network } = stage
  expect(await api.ok(routes.getFirstSteps, { headers: platform.headers })).toMatchObject({
    ...{ owners: 1, agents: 3, is_funded: true },
    first_payment: {
      ...{ from: payer.id, from_name: 'Research Agent', to: payee.id, to_handle: payee.handle, amount: 80 },
      ...{ reference: 'first', note: 'The first of all' },
    },
  })
  const { headers } = await network.platform()
  expect(await api.ok(routes.getFirstSteps, { headers })).toEqual({
    ...{ owners: 0, agents: 0, is_funded: false, first_payment: null },
  })
})
