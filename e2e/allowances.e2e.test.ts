import { type ResponseOf, routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Agent, Network, Owner } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

const HOUR_S = 3_600
const DAY_MS = 86_400_000

let stage: Stage
let api: Api
let network: Network
let owner: Owner
let session: Headers
let payer: Agent
let payee: Agent
let other: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())

beforeEach(async () => {
  const platform = await network.platform()
  owner = await network.owner(platform)
  session = await network.login(owner)
  payer = await network.fundedAgent(owner, { name: 'Shopper', require_human_approval_above: 100 })
  payee = await network.agent(await network.owner(await network.platform()), { name: 'Seller' })
  other = await network.agent(owner, { name: 'Other' })
})

const passTime = (seconds: number) => api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
/** The clock says its time only when it moves. */
const nowMs = async () => Date.parse((await passTime(1)).now)

async function give(amount: number, more: { readonly ms?: number; readonly to?: string } = {}) {
  const { ms = HOUR_S * 1_000, to = payee.id } = more
  const until = new Date((await nowMs()) + ms).toISOString()
  return api.ok(routes.createAllowance, { headers: session, body: { agent_id: payer.id, to, amount, until } })
}

const list = async () => (await api.ok(routes.listAllowances, { headers: session })).allowances
const pay = async (amount: number, to = payee) => (await network.pay(payer, to, amount)).status
const end = (allowance_id: string, headers = session) =>
  api.send(routes.endAllowance, { params: { allowance_id }, headers })

async function hold(amount: number): Promise<unknown> {
  const { body } = await api.send(routes.holdEscrow, {
    params: { agent_id: payer.id },
    headers: owner.platform.headers,
    body: { amount, to_agent_id: payee.id },
  })
  return (body as { status: string }).status
}

describe('an allowance', () => {
  test('covers payments and holds to its payee that fit as a whole into the rest of its amount', async () => {
    const { allowance_id } = await give(400)
    expect(await pay(150)).toBe('completed')
    expect(await hold(150)).toBe('held')
    // 100 are left: this one would need approval, and does not fit.
    expect(await pay(101)).toBe('pending_approval')
    expect(await list()).toMatchObject([{ allowance_id, to: payee.id, amount: 400, used: 300 }])
  })

  test('is not used by payments that need no approval, nor by those to other payees', async () => {
    await give(400)
    expect([await pay(100), await pay(50)]).toEqual(['completed', 'completed'])
    expect(await pay(150, other)).toBe('pending_approval')
    expect(await list()).toMatchObject([{ used: 0 }])
  })

  test('ends at the time that the owner chose', async () => {
    await give(400, { ms: 10_000 })
    expect(await pay(150)).toBe('completed')
    await passTime(11)
    expect(await pay(150)).toBe('pending_approval')
    expect(await list()).toEqual([])
  })

  test('ends when its owner ends it, once, and nobody else can', async () => {
    const { allowance_id } = await give(400)
    const strangers = await network.login(await network.owner(await network.platform()))
    expect((await end(allowance_id, strangers)).status).toBe(404)
    expect(await pay(150)).toBe('completed')
    for (const _ of [1, 2])
      expect(await end(allowance_id)).toMatchObject({ status: 200, body: { used: 150 } })
    expect(await pay(150)).toBe('pending_approval')
    expect(await list()).toEqual([])
  })

  test('is not overdrawn by payments at once, and each that it covers is paid', async () => {
    await give(500)
    const statuses = await Promise.all(Array.from({ length: 8 }, () => pay(110)))
    expect(statuses.filter(status => status === 'completed')).toHaveLength(4)
    expect(await list()).toMatchObject([{ used: 440 }])
  })

  test('does not raise any limit', async () => {
    await give(5_000)
    await api.ok(routes.updateAgent, {
      params: { agent_id: payer.id },
      headers: owner.platform.headers,
      body: { spend_limit_per_tx: 120 },
    })
    await api.refused(routes.pay, 403, 'spend_limit_exceeded', {
      params: { agent_id: payer.id },
      headers: payer.headers,
      body: { to: payee.id, amount: 150 },
    })
    expect(await pay(110)).toBe('completed')
  })

  test('is recorded when it is given, used and ended', async () => {
    const { allowance_id } = await give(400)
    await pay(150)
    await end(allowance_id)
    const { entries } = await api.ok(routes.listAuditEntries, {
      params: { agent_id: payer.id },
      headers: session,
    })
    const recorded = entries.filter(({ target }) => target === allowance_id)
    expect(recorded.map(({ action, actor }) => [action, actor.id])).toEqual([
      ['allowance.ended', owner.id],
      ['allowance.used', payer.id],
      ['allowance.created', owner.id],
    ])
  })

  test('is taken into account by a dry run', async () => {
    const ask = async () =>
      (
        await api.ok(routes.evaluatePolicy, {
          params: { agent_id: payer.id },
          headers: payer.headers,
          body: { to: payee.id, amount: 150 },
        })
      ).decision
    expect(await ask()).toBe('approval_required')
    await give(400)
    expect(await ask()).toBe('approved')
    expect(await list()).toMatchObject([{ used: 0 }])
  })
})

describe('an allowance given with an approval', () => {
  async function approve(allow: unknown) {
    const { approval_id = '' } = await network.pay(payer, payee, 200)
    const sent = { params: { approval_id: approval_id ?? '' }, headers: session, body: { allow } }
    return { approval_id, response: await api.send(routes.approve, sent) }
  }

  test('is created in the commit of the approval, and nothing of it is used', async () => {
    const until = new Date((await nowMs()) + DAY_MS).toISOString()
    const { response } = await approve({ amount: 300, until })
    expect(response).toMatchObject({
      status: 200,
      body: { status: 'approved', allowance: { to: payee.id, amount: 300, used: 0, until } },
    })
    expect([await pay(300), await pay(101)]).toEqual(['completed', 'pending_approval'])
  })

  test('that is refused leaves the approval waiting, and nothing is paid', async () => {
    const far = new Date((await nowMs()) + 31 * DAY_MS).toISOString()
    const { approval_id, response } = await approve({ amount: 300, until: far })
    expect(response).toMatchObject({ status: 400, body: { error: { field: 'allow.until' } } })
    const approval: ResponseOf<typeof routes.getApproval> = await api.ok(routes.getApproval, {
      params: { approval_id: approval_id ?? '' },
      headers: session,
    })
    expect(approval.status).toBe('pending_approval')
    expect(await list()).toEqual([])
  })
})

describe('an allowance is refused', () => {
  test.each([
    ['in the past', -1_000],
    ['for more than 30 days', 31 * DAY_MS],
  ])('%s', async (_, ms) => {
    const until = new Date((await nowMs()) + ms).toISOString()
    const { status, body } = await api.send(routes.createAllowance, {
      headers: session,
      body: { agent_id: payer.id, to: payee.id, amount: 1, until },
    })
    expect([status, body]).toMatchObject([400, { error: { field: 'until' } }])
  })

  test('for an agent of another owner, for an unknown payee, and beyond 100 at once', async () => {
    const until = new Date((await nowMs()) + DAY_MS).toISOString()
    const body = { agent_id: payer.id, to: payee.id, amount: 1, until }
    const send = (more: object) =>
      api.send(routes.createAllowance, { headers: session, body: { ...body, ...more } })
    expect((await send({ agent_id: payee.id })).status).toBe(403)
    expect((await send({ to: 'nobody-at-all' })).status).toBe(404)
    expect((await send({ to: payer.id })).status).toBe(400)
    const made = await Promise.all(Array.from({ length: 103 }, () => send({})))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(100)
    expect(made.filter(({ status }) => status === 409)).toHaveLength(3)
  })
})
