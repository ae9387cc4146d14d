import { routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Api } from './src/api.ts'
import type { Agent, Network, Owner } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { dayAfter } from './src/world.ts'

let stage: Stage
let api: Api
let network: Network
let owner: Owner
let payer: Agent
let payee: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())
beforeEach(async () => {
  owner = await network.owner(await network.platform())
  await network.verify(owner)
  payer = await network.agent(owner)
  payee = await network.agent(owner)
  await network.fund(payer, 1000)
})

const ask = (more: object = {}) =>
  api.ok(routes.pay, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { to: payee.handle, amount: 5, require_approval: true, ...more },
  })

test('a payment that asks for approval waits whatever its amount, and is made when the owner approves', async () => {
  const { status, payment_id, approval_id = '' } = await ask({ idempotency_key: 'asked-1' })
  expect([status, payment_id]).toEqual(['pending_approval', null])
  expect((await network.balance(payer)).total_spent).toBe(0)
  const headers = await network.login(owner)
  const params = { approval_id }
  expect(await api.ok(routes.getApproval, { params, headers })).toMatchObject({
    rule: 'require_approval',
    status: 'pending_approval',
    amount: 5,
  })
  const approved = await api.ok(routes.approve, { params, headers, body: {} })
  expect(approved).toMatchObject({ status: 'approved', payment: { status: 'completed' } })
  expect((await network.balance(payee)).available).toBe(5)
})

test('a payment that asks for approval waits even if an allowance covers it, and uses none of the allowance', async () => {
  const headers = await network.login(owner)
  const { created_at } = await api.ok(routes.getAgent, { params: { agent_id: payer.id }, headers })
  const body = { agent_id: payer.id, to: payee.id, amount: 100, until: dayAfter(created_at) }
  await api.ok(routes.createAllowance, { headers, body })
  expect((await ask()).status).toBe('pending_approval')
  const { allowances } = await api.ok(routes.listAllowances, { headers })
  expect(allowances).toMatchObject([{ used: 0 }])
})

test('a payment that asks for approval is refused by every rule that refuses a payment', async () => {
  const strict = await network.agent(owner, { spend_limit_per_tx: 4 })
  await network.fund(strict, 100)
  const call = { params: { agent_id: strict.id }, headers: strict.headers }
  const body = { to: payee.handle, require_approval: true }
  await api.refused(routes.pay, 403, 'spend_limit_exceeded', { ...call, body: { ...body, amount: 5 } })
  const poor = await network.agent(owner)
  await api.refused(routes.pay, 402, 'insufficient_balance', {
    params: { agent_id: poor.id },
    headers: poor.headers,
    body: { ...body, amount: 5 },
  })
})

test('an agent holds its own money in escrow, and only its platform releases it', async () => {
  const call = { params: { agent_id: payer.id }, headers: payer.headers }
  const held = await api.ok(routes.holdEscrow, { ...call, body: { amount: 40, to_agent_id: payee.handle } })
  expect(held).toMatchObject({ agent_id: payer.id, status: 'held' })
  const params = { escrow_id: held.escrow_id ?? '' }
  for (const route of [routes.releaseEscrow, routes.refundEscrow]) {
    await api.refused(route, 401, 'authentication_error', { params, headers: payer.headers })
  }
  await api.ok(routes.releaseEscrow, { params, headers: owner.platform.headers })
  expect((await network.balance(payee)).available).toBe(40)
  await api.ok(routes.holdEscrowWithTimeout, { ...call, body: { amount: 10, timeout_hours: 1 } })
  const attestor = { amount: 10, attestor_agent_id: payee.handle }
  await api.ok(routes.holdEscrowWithAttestation, { ...call, body: attestor })
})

test('an agent cannot hold the money of another agent, or hold money with a key that was replaced', async () => {
  const body = { amount: 40, to_agent_id: payee.handle }
  const others = { params: { agent_id: payee.id }, headers: payer.headers, body }
  await api.refused(routes.holdEscrow, 403, 'authorization_error', others)
  const params = { agent_id: payer.id }
  await api.ok(routes.rotateAgentKey, { params, headers: owner.platform.headers })
  await api.refused(routes.holdEscrow, 401, 'authentication_error', { params, headers: payer.headers, body })
  const { available } = await api.ok(routes.getBalance, { params, headers: owner.platform.headers })
  expect(available).toBe(975)
})
