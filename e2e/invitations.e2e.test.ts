import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { logIn } from './src/log-in.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api } = stage)
})
afterAll(() => stage.close())

async function sessionOwners(headers: Headers): Promise<string[]> {
  const { owners } = await api.ok(routes.getSession, { headers })
  return owners.map(({ owner_id }) => owner_id)
}

test('a stranger who knows a phone number adds nothing to its holder’s session', async () => {
  const { network } = stage
  const hers = await network.owner(await network.platform())
  const headers = await network.login(hers)
  const strangers = await network.owner(await network.platform(), hers.phone)
  await network.verify(strangers)
  const agent = await network.fundedAgent(strangers, { require_human_approval_above: 10 })
  const payee = await network.agent(strangers)
  const waiting = await network.pay(agent, payee, 100, { note: 'approve to get your money' })
  expect(waiting.status).toBe('pending_approval')

  expect(await sessionOwners(headers)).toEqual([hers.id])
  expect((await api.ok(routes.listApprovals, { headers })).approvals).toEqual([])
  expect((await api.ok(routes.listAgents, { headers })).agents).toEqual([])
  expect((await api.ok(routes.listOwnerTransactions, { headers })).transactions).toEqual([])
  await api.ok(routes.updateOwnerPolicy, { headers, body: { spend_limit_per_tx: 1 } })
  const params = { approval_id: waiting.approval_id ?? '' }
  for (const route of [routes.approve, routes.reject, routes.getApproval]) {
    await api.refused(route, 404, 'not_found', { params, headers })
  }
})

test('approvals of an invited owner can be decided only after the invitation is accepted', async () => {
  const { network } = stage
  const hers = await network.owner(await network.platform())
  const headers = await network.login(hers)
  const invited = await network.owner(await network.platform(), hers.phone)
  const agent = await network.fundedAgent(invited, { require_human_approval_above: 10 })
  const payee = await network.agent(invited)
  const waiting = await network.pay(agent, payee, 100)
  const { invitations } = await api.ok(routes.listInvitations, { headers })
  expect(invitations).toMatchObject([{ owner_id: invited.id, platform_id: invited.platform.id }])

  const accepted = await api.ok(routes.acceptInvitation, { params: { owner_id: invited.id }, headers })
  expect(accepted).toMatchObject({ owner_id: invited.id, link_status: 'accepted' })
  expect(await sessionOwners(headers)).toEqual([hers.id, invited.id])
  const { approvals } = await api.ok(routes.listApprovals, { headers })
  expect(approvals.map(({ approval_id }) => approval_id)).toEqual([waiting.approval_id])
  const params = { approval_id: waiting.approval_id ?? '' }
  expect(await api.ok(routes.approve, { params, headers })).toMatchObject({ status: 'approved' })
})

test('verification, funding, payments, withdrawals and settlement work for an invited owner', async () => {
  const { network } = stage
  const hers = await network.owner(await network.platform())
  await network.login(hers)
  const invited = await network.owner(await network.platform(), hers.phone)
  const record = () =>
    api.ok(routes.getOwner, { params: { owner_id: invited.id }, headers: invited.platform.headers })
  expect((await record()).link_status).toBe('invited')
  await network.verify(invited)
  const [agent, payee] = [await network.fundedAgent(invited), await network.agent(invited)]
  expect((await network.pay(agent, payee, 100)).status).toBe('completed')
  const body = { amount: 50 }
  await api.ok(routes.withdraw, { params: { agent_id: agent.id }, headers: agent.headers, body })
  expect(await record()).toMatchObject({ link_status: 'invited', kyc_status: 'verified', tier: 'tier1' })
})

test('an approval of an invited owner expires, and the platform can read it at all times', async () => {
  const { network } = stage
  const hers = await network.owner(await network.platform())
  await network.login(hers)
  const invited = await network.owner(await network.platform(), hers.phone)
  const { headers } = invited.platform
  const agent = await network.fundedAgent(invited, { require_human_approval_above: 10 })
  const payee = await network.agent(invited)
  const waiting = await network.pay(agent, payee, 100)
  const params = { approval_id: waiting.approval_id ?? '' }
  const { status, expires_at } = await api.ok(routes.getApproval, { params, headers })
  expect(status).toBe('pending_approval')
  const advance_seconds = Math.ceil((Date.parse(expires_at) - Date.now()) / 1_000) + 60
  await api.ok(routes.advanceClock, { body: { advance_seconds } })
  expect((await api.ok(routes.getApproval, { params, headers })).status).toBe('expired')
})

test('a person who declines cannot be invited again for 30 days, and the platform sees it', async () => {
  const { network } = stage
  const hers = await network.owner(await network.platform())
  const headers = await network.login(hers)
  const invited = await network.owner(await network.platform(), hers.phone)
  const params = { owner_id: invited.id }
  await api.ok(routes.declineInvitation, { params, headers })
  const byPlatform = { params, headers: invited.platform.headers }
  expect((await api.ok(routes.getOwner, byPlatform)).link_status).toBe('declined')
  const refused = await api.refused(routes.inviteOwner, 409, 'conflict', byPlatform)
  expect(refused.details).toMatchObject({ link_status: 'declined', retry_at: expect.any(String) })
  await api.ok(routes.advanceClock, { body: { advance_seconds: 30 * 24 * 3_600 } })
  expect((await api.ok(routes.inviteOwner, byPlatform)).link_status).toBe('invited')
  const later = await logIn(api, hers.phone, 'owner')
  const { invitations } = await api.ok(routes.listInvitations, { headers: later })
  expect(invitations.map(({ owner_id }) => owner_id)).toEqual([invited.id])
})

test('an administrator’s phone can be invited as an owner’s, with separate codes', async () => {
  const invited = await stage.network.owner(await stage.network.platform(), '9999999999')
  const headers = await logIn(api, invited.phone, 'owner')
  expect(await sessionOwners(headers)).toEqual([invited.id])
})
