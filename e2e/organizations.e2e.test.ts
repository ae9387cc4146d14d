import { type Organization, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import type { Agent, Network, Owner } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let owner: Owner
let headers: Headers
let treasury: Agent
let worker: Agent
let lab: Organization

const ofLab = () => ({ params: { org_id: lab.id }, headers })
const ofWorker = () => ({ params: { org_id: lab.id, agent_id: worker.id }, headers })

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
  owner = await network.owner(await network.platform())
  headers = await network.login(owner)
  treasury = await network.fundedAgent(owner, { name: 'Treasury' })
  worker = await network.agent(owner, { name: 'Worker' })
  const body = { name: 'Research Lab', tier: 'tier1' } as const
  lab = await api.ok(routes.createOrganization, { headers, body })
  await api.ok(routes.addMember, { ...ofLab(), body: { agent_id: treasury.id, role: 'treasury' } })
})
afterAll(async () => {
  expect(await ledgerFaults(stage.database.query)).toEqual([])
  await stage.close()
})

test('a worker gets money from the treasury, spends it within its budget, and leaves the organization', async () => {
  const member = { agent_id: worker.id, role: 'worker', budget_limit: 150 } as const
  const joined = await api.ok(routes.addMember, { ...ofLab(), body: member })
  expect(joined).toMatchObject({ ...member, org_id: lab.id, agent_name: 'Worker' })
  expect(await api.ok(routes.getOrganization, ofLab())).toEqual({ ...lab, treasury_agent_id: treasury.id })

  const call = { ...ofLab(), body: { agent_id: worker.id, amount: 400 } }
  const allocation = await api.ok(routes.allocate, call)
  expect(allocation).toMatchObject({ amount: 400, treasury_balance: 575, agent_balance: 400 })

  const payee = await network.agent(await network.owner(await network.platform()))
  await network.pay(worker, payee, 100)
  const { details } = await network.refusedPayment(worker, payee, [403, 'spend_limit_exceeded'], {
    amount: 51,
  })
  expect(details).toMatchObject({ rule: 'budget_limit', layer: 'org', limit: 150, used: 100, remaining: 50 })
  const raised = await api.ok(routes.updateMember, { ...ofWorker(), body: { budget_limit: 151 } })
  expect(raised).toMatchObject({ budget_limit: 150, pending_budget: { value: 151 } })
  await network.pay(worker, payee, 50)

  expect((await api.ok(routes.getBudget, ofLab())).members).toMatchObject([
    { agent_id: treasury.id, budget_limit: null, spent_this_month: 400, remaining: null },
    { agent_id: worker.id, budget_limit: 150, spent_this_month: 150, remaining: 0 },
  ])
  const { transactions } = await api.ok(routes.listOrganizationTransactions, ofLab())
  expect(transactions.map(({ agent_name, type, net_amount }) => [agent_name, type, net_amount])).toEqual([
    ['Worker', 'pay_out', 51],
    ['Worker', 'pay_out', 101],
    ['Worker', 'pay_in', 400],
    ['Treasury', 'pay_out', 400],
    ['Treasury', 'fund', 975],
  ])

  expect(await api.ok(routes.removeMember, ofWorker())).toMatchObject({ agent_id: worker.id })
  // The budget outlives the membership until the cooldown has passed.
  await network.refusedPayment(worker, payee, [403, 'spend_limit_exceeded'], { amount: 1 })
  await api.refused(routes.allocate, 404, 'not_found', call)
})

test('a budget counts a hold until its refund, and applies again when a waiting payment is approved', async () => {
  const payer = await network.fundedAgent(owner, { require_human_approval_above: 50 })
  const payee = await network.agent(owner)
  const member = { agent_id: payer.id, role: 'worker', budget_limit: 80 } as const
  await api.ok(routes.addMember, { ...ofLab(), body: member })
  const ofPlatform = { headers: owner.platform.headers }
  const holdCall = { ...ofPlatform, params: { agent_id: payer.id }, body: { amount: 20 } }
  const { escrow_id } = await api.ok(routes.holdEscrow, holdCall)
  const used = async () => {
    const { members } = await api.ok(routes.getBudget, ofLab())
    return members.find(({ agent_id }) => agent_id === payer.id)?.spent_this_month
  }
  const budget = await api.ok(routes.getBudget, ofLab())
  expect(budget.members.find(({ agent_id }) => agent_id === payer.id)?.available).toBe(
    (await network.balance(payer)).available,
  )
  const { approval_id } = await network.pay(payer, payee, 60)
  expect(await used()).toBe(20)
  await network.pay(payer, payee, 1)
  const approval = { params: { approval_id: approval_id ?? '' }, headers }
  const { details } = await api.refused(routes.approve, 403, 'spend_limit_exceeded', approval)
  expect(details).toMatchObject({ layer: 'org', limit: 80, used: 21, remaining: 59 })
  await api.ok(routes.refundEscrow, { ...ofPlatform, params: { escrow_id: escrow_id ?? '' } })
  expect(await used()).toBe(1)
  expect((await api.ok(routes.approve, approval)).payment).toMatchObject({ status: 'completed' })
  expect(await used()).toBe(61)
})

test('an allocation that is repeated with its Idempotency-Key is made once, also from a later session', async () => {
  const member = { agent_id: worker.id, role: 'admin' } as const
  await api.ok(routes.addMember, { ...ofLab(), body: member })
  const call = {
    ...ofLab(),
    headers: { ...headers, 'idempotency-key': 'salary-1' },
    body: { agent_id: worker.id, amount: 10 },
  }
  const before = (await network.balance(treasury)).available
  const responses = [await api.ok(routes.allocate, call), await api.ok(routes.allocate, call)]
  expect(responses[1]).toEqual(responses[0])
  // The session ends, and no response is stored for the next.
  await api.ok(routes.advanceClock, { body: { advance_seconds: 13 * 3600 } })
  const later = { ...call, headers: { ...(await network.login(owner)), 'idempotency-key': 'salary-1' } }
  const { details } = await api.refused(routes.allocate, 409, 'idempotency_error', later)
  expect(details).toMatchObject({ transaction_id: responses[0]?.transaction_id, amount: 10 })
  expect((await network.balance(treasury)).available).toBe(before - 10)
})
