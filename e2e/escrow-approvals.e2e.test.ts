import { type EscrowWaiting, routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { faultOf } from './src/responses.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let session: Headers
let payer: Agent
let payee: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())

beforeEach(async () => {
  platform = await network.platform()
  owner = await network.owner(platform)
  session = await network.login(owner)
  payer = await network.fundedAgent(owner, { require_human_approval_above: 100 })
  payee = await network.agent(owner, { name: 'Seller' })
})

async function ask(): Promise<string> {
  const reply = await api.send(routes.holdEscrowWithTimeout, askCall())
  const { approval_id, ...response } = reply.body as EscrowWaiting
  expect(response).toMatchObject({
    ...{ escrow_id: null, status: 'pending_approval', agent_id: payer.id, to_agent_id: payee.id },
    ...{ amount: 200, auto_action: 'refund', expires_at: null, transaction_id: null },
  })
  return approval_id
}

const askCall = () => ({
  params: { agent_id: payer.id },
  headers: platform.headers,
  body: { amount: 200, timeout_hours: 2, to_agent_id: payee.id, reference: 'order-77' },
})

test('a hold that waits for approval gets 200 and one that is made gets 201, also with a repeated Idempotency-Key', async () => {
  const headers = (key: string) => ({ ...platform.headers, 'idempotency-key': key })
  for (const status of [200, 201] as const) {
    const call = askCall()
    const amount = status === 200 ? 200 : 50
    for (const replayed of [undefined, 'true']) {
      const reply = await api.send(routes.holdEscrowWithTimeout, {
        ...{ ...call, headers: headers(`k-${status}`), body: { ...call.body, amount } },
      })
      expect(reply.status).toBe(status)
      expect(reply.headers.get('idempotent-replayed') ?? undefined).toBe(replayed)
      expect(faultOf(routes.holdEscrowWithTimeout, reply.body, reply.status)).toBeNull()
    }
  }
})

test('a hold above the approval threshold waits for the owner, who sees its details', async () => {
  const approval_id = await ask()
  const { approvals } = await api.ok(routes.listApprovals, { headers: session })
  expect(approvals).toMatchObject([
    {
      ...{ approval_id, kind: 'escrow_hold', agent_id: payer.id, to: payee.id, to_name: 'Seller' },
      ...{ amount: 200, fee: 0, reference: 'order-77', note: null, payment_id: null, escrow_id: null },
      ...{ timeout_hours: 2, auto_action: 'refund', attestor_agent_id: null },
    },
  ])
  expect((await network.balance(payer)).available).toBe(975)
})

test('an approved hold is made in the same step, and the response and the approval name the escrow', async () => {
  const approval_id = await ask()
  await api.ok(routes.advanceClock, { body: { advance_seconds: 3_600 } })
  const params = { approval_id }
  const { escrow, ...approval } = await api.ok(routes.approve, { params, headers: session })
  expect(escrow).toMatchObject({ status: 'held', amount: 200, to_agent_id: payee.id })
  // The timeout runs from the hold.
  expect(Date.parse(escrow?.expires_at ?? '') - Date.parse(escrow?.created_at ?? '')).toBe(7_200_000)
  expect(approval).toMatchObject({ status: 'approved', escrow_id: escrow?.escrow_id, payment_id: null })
  expect(await api.ok(routes.getApproval, { params, headers: payer.headers })).toEqual(approval)
  expect((await network.balance(payer)).available).toBe(775)
  const found = { params: { escrow_id: escrow?.escrow_id ?? '' }, headers: session }
  expect(await api.ok(routes.getEscrow, found)).toEqual(escrow)
  const { details } = await api.refused(routes.approve, 409, 'conflict', { params, headers: session })
  expect(details).toEqual({ approval_id, status: 'approved', escrow_id: escrow?.escrow_id })
})

test('a rejected hold holds no money', async () => {
  const params = { approval_id: await ask() }
  await api.ok(routes.reject, { params, headers: session })
  expect((await network.balance(payer)).available).toBe(975)
})

test('an approval of a hold that is refused returns the refusal, and the hold still waits', async () => {
  const params = { approval_id: await ask() }
  const of = { params: { agent_id: payee.id }, headers: platform.headers }
  await api.ok(routes.pauseAgent, of)
  const error = await api.refused(routes.approve, 400, 'validation_error', { params, headers: session })
  expect(error.field).toBe('to_agent_id')
  await api.ok(routes.resumeAgent, of)
  await api.ok(routes.approve, { params, headers: session })
})
