import type { PaymentResult } from '@batua/contract'
import { beforeEach, describe, expect } from 'vitest'
import {
  AS_ADMIN,
  asOwners,
  type Body,
  type SignedUp,
  type StageAgent,
  stage,
  test,
} from '../../../testing/limits/policy-stage.ts'
import { networkContext } from '../../../testing/network.ts'
import { historyJob } from './policy-history.ts'
import { historyOf, withoutUse } from './testing/history.ts'

const DAY_MS = 86_400_000

let signedUp: SignedUp
let agent: StageAgent
let payee: StageAgent
let history: ReturnType<typeof historyOf>

beforeEach(async () => {
  signedUp = await stage.newOwner()
  payee = await stage.newAgentOf(signedUp)
  await stage.advance(1_000)
  agent = await stage.newAgentOf(signedUp, { spend_limit_daily: 900, allowed_payees: [payee.id] })
  history = historyOf(stage, agent)
})

const moment = () => stage.clock.now().toISOString()
const change = (body: object) => stage.ask('PATCH', `/v1/agents/${agent.id}`, signedUp.platform, body)
const changeOwner = (body: object) => stage.ask('PATCH', '/api/web/policy', asOwners(signedUp.ownerId), body)
const changeTier = (body: object) => stage.ask('PATCH', '/v1/admin/tiers/sandbox', AS_ADMIN, body)
const ask = (path: string, headers = agent.headers) =>
  stage.ask('GET', `/v1/agents/${agent.id}/${path}`, headers)
const errorIn = ({ body }: { readonly body: Body }) => body['error'] as Record<string, unknown>

describe('the versions of a policy', () => {
  test('begin with everything that was set at creation, by the platform', async () => {
    const [first, ...others] = await history.all()
    expect(others).toEqual([])
    expect(first?.actor).toEqual({ type: 'platform', id: signedUp.platform['x-platform-id'] })
    expect(first?.effective_at).toBe(moment())
    expect(first?.changed).toEqual(
      expect.arrayContaining([
        { layer: 'tier', control: 'tier', from: null, to: 'sandbox' },
        { layer: 'agent', control: 'spend_limit_daily', from: null, to: 900 },
        { layer: 'agent', control: 'allowed_payees', from: null, to: [payee.id] },
      ]),
    )
  })

  test('name each change of each layer, its moment and who made it', async () => {
    const at: string[] = []
    for (const act of [
      () => change({ spend_limit_daily: 800 }),
      () => changeOwner({ spend_limit_per_tx: 300 }),
      () => changeTier({ monthly: 70_000 }),
    ]) {
      await stage.advance(1_000)
      expect((await act()).status).toBe(200)
      at.unshift(moment())
    }
    const versions = await history.all()
    expect(versions.slice(0, 3)).toMatchObject([
      { effective_at: at[0], changed: [{ layer: 'tier', control: 'spend_limit_monthly', to: 70_000 }] },
      {
        effective_at: at[1],
        changed: [{ layer: 'owner', control: 'spend_limit_per_tx', from: null, to: 300 }],
        actor: { type: 'owner', id: signedUp.ownerId },
      },
      {
        effective_at: at[2],
        changed: [{ layer: 'agent', control: 'spend_limit_daily', from: 900, to: 800 }],
        actor: { type: 'platform', id: signedUp.platform['x-platform-id'] },
      },
    ])
    expect(versions[0]?.actor.type).toBe('admin')
  })

  test('list a raise when it takes effect and not when it was requested', async () => {
    await stage.advance(1_000)
    await change({ spend_limit_daily: 950 })
    const requested = moment()
    expect(await history.all()).toHaveLength(1)
    await stage.advance(DAY_MS)
    const [raise] = await history.all()
    expect(raise).toMatchObject({
      effective_at: moment(),
      changed: [{ layer: 'agent', control: 'spend_limit_daily', from: 900, to: 950 }],
      actor: { type: 'service', id: 'limit increases' },
    })
    const then = await history.at(requested)
    expect(then.pending_policy).toMatchObject({ spend_limit_daily: { value: 950 } })
    expect((await history.now()).pending_policy).toEqual({})
  })

  test('are the same again when a policy is the same again, and for another agent with it', async () => {
    const before = await history.now()
    await change({ blocked_payee_agents: [payee.id], spend_limit_hourly: 5 })
    expect((await history.now()).policy_version).not.toBe(before.policy_version)
    await change({ blocked_payee_agents: [], spend_limit_hourly: null })
    await stage.advance(DAY_MS)
    expect((await history.now()).policy_version).toBe(before.policy_version)
    const twin = await stage.newAgentOf(signedUp, { spend_limit_daily: 900, allowed_payees: [payee.id] })
    expect((await historyOf(stage, twin).now()).policy_version).toBe(before.policy_version)
  })

  test('do not depend on the order of a payee list', async () => {
    const names = [agent.id, payee.id]
    await change({ blocked_payee_agents: names })
    const { policy_version } = await history.now()
    await change({ blocked_payee_agents: names.toReversed() })
    expect((await history.now()).policy_version).toBe(policy_version)
  })

  test('have pages, newest first, by cursor and by offset', async () => {
    for (const limit of [800, 700, 600, 500]) {
      await stage.advance(1)
      await change({ spend_limit_daily: limit })
    }
    const all = await history.all()
    expect(all.map(({ changed }) => changed[0]?.to)).toEqual([500, 600, 700, 800, 'sandbox'])
    const { versions, pagination } = await history.page('?limit=2&offset=1')
    expect(versions).toEqual(all.slice(1, 3))
    expect(pagination).toMatchObject({ total: 5, limit: 2, offset: 1 })
  })

  test('are shown to the platform, the agent and the owner alone', async () => {
    const stranger = await stage.newOwner()
    for (const path of ['policy/versions', `policy?at=${moment()}`]) {
      for (const headers of [agent.headers, signedUp.platform, asOwners(signedUp.ownerId)]) {
        expect((await ask(path, headers)).status).toBe(200)
      }
      for (const headers of [payee.headers, stranger.platform, asOwners(stranger.ownerId)]) {
        expect((await ask(path, headers)).status).toBe(403)
      }
      expect((await ask(path, AS_ADMIN)).status).toBe(401)
    }
  })
})

describe('the policy at a past moment', () => {
  test('is the policy as it was shown then, without what was used of it', async () => {
    await stage.pay(agent, payee, 10)
    const before = withoutUse(await history.now())
    const then = moment()
    await stage.advance(5)
    await changeOwner({ require_human_approval_above: 3, spend_limit_monthly: 4_000 })
    await stage.ask('POST', `/v1/agents/${agent.id}/pause`, signedUp.platform)
    await stage.advance(5)
    expect(await history.at(then)).toEqual(before)
    const now = await history.now()
    expect(now.status).toBe('paused')
    expect(await history.at(moment())).toEqual(withoutUse(now))
  })

  test('is refused for a moment before the agent was created, in the future, and together with a payee', async () => {
    const created = moment()
    await stage.advance(1)
    const past = new Date(Date.parse(created) - 1).toISOString()
    const future = new Date(stage.clock.now().getTime() + 1).toISOString()
    for (const [query, field] of [
      [`at=${past}`, 'at'],
      [`at=${future}`, 'at'],
      ['at=yesterday', 'at'],
      [`at=${created}&to=${payee.id}`, 'to'],
    ] as const) {
      const response = await ask(`policy?${query}`)
      expect([response.status, errorIn(response)['field']]).toEqual([400, field])
    }
    expect((await history.at(created)).as_of).toBe(created)
  })
})

describe('a decision', () => {
  const paid = async (amount: number) =>
    (await stage.pay(agent, payee, amount)).body as unknown as PaymentResult

  test('names the version that decided it: a payment, a wait for approval, a refusal and a dry run', async () => {
    await changeOwner({ require_human_approval_above: 20, spend_limit_per_tx: 100 })
    const { policy_version } = await history.now()
    expect((await paid(10)).policy_version).toBe(policy_version)
    const waiting = await paid(30)
    expect(waiting).toMatchObject({ status: 'pending_approval', policy_version })
    const listed = (await ask('payments')).body['payments']
    expect(listed).toMatchObject([{ policy_version }, { policy_version }])
    await stage.advance(1_000)
    await changeOwner({ spend_limit_per_tx: 90 })
    const later = (await history.now()).policy_version
    expect(later).not.toBe(policy_version)
    expect((await ask('payments')).body['payments']).toEqual(listed)
    const refused = await stage.pay(agent, payee, 95)
    expect(errorIn(refused)).toMatchObject({
      code: 'spend_limit_exceeded',
      details: { rule: 'spend_limit_per_tx', policy_version: later },
    })
    await change({ allowed_payees: [] })
    const forbidden = await stage.pay(agent, payee, 1)
    const { policy_version: latest } = await history.now()
    expect(errorIn(forbidden)).toMatchObject({
      code: 'authorization_error',
      details: { policy_version: latest },
    })
  })
})

describe('an agent of a release that recorded no versions', () => {
  const forget = async () => {
    await stage.db.database.query('delete from policy_versions where agent_id = $1', [agent.uuid])
    await stage.db.database.query('update accounts set policy_since_ms = null where id = $1', [agent.uuid])
  }

  async function liveThrough(): Promise<void> {
    const steps = [
      () => change({ spend_limit_daily: 950, require_escrow_above: 400 }),
      () => changeOwner({ spend_limit_per_tx: 300 }),
      () => stage.advance(DAY_MS),
      () => changeTier({ per_tx: 450, monthly: 60_000 }),
      () => changeOwner({ spend_limit_per_tx: 350, blocked_payee_agents: [agent.id] }),
      () => stage.advance(DAY_MS),
      () => change({ allowed_payees: [] }),
    ]
    for (const step of steps) {
      await stage.advance(1_000)
      await step()
    }
  }

  test('gets its history from the log when it is first read', async () => {
    await liveThrough()
    const recorded = await history.all()
    expect(recorded.length).toBeGreaterThan(6)
    await forget()
    expect(await history.all()).toEqual(recorded)
  })

  test('gets its history from the job that runs after a start', async () => {
    await liveThrough()
    const recorded = await history.all()
    await forget()
    const job = historyJob({ ...networkContext(stage.db.database, stage.clock) })
    while ((await job.run(stage.clock.now())) > 0);
    expect(await history.all()).toEqual(recorded)
  })

  test('gets its history with its next payment, which its version decides', async () => {
    await change({ spend_limit_daily: 850 })
    const recorded = await history.all()
    await stage.advance(1_000)
    await forget()
    // A release that records nothing leaves the caches of no process.
    await stage.db.database.query('update accounts set agent_version = agent_version + 1 where id = $1', [
      agent.uuid,
    ])
    const { body } = await stage.pay(agent, payee, 1)
    expect(body['policy_version']).toBe(recorded[0]?.policy_version)
    expect(await history.all()).toEqual(recorded)
  })

  test('gets its history with its next change', async () => {
    await stage.advance(1_000)
    await forget()
    await change({ spend_limit_daily: 850 })
    const versions = await history.all()
    expect(versions.map(({ changed }) => changed.length > 0)).toEqual([true, true])
    expect(versions[0]).toMatchObject({
      effective_at: moment(),
      changed: [{ layer: 'agent', control: 'spend_limit_daily', from: 900, to: 850 }],
    })
    expect(versions[1]?.actor).toEqual({ type: 'platform', id: signedUp.platform['x-platform-id'] })
  })
})

describe('an attacker who writes to the database', () => {
  const write = async (statement: string) => {
    await stage.advance(1_000)
    await change({ spend_limit_daily: 850 })
    await stage.db.database.query(statement, [agent.uuid])
    await stage.db.database.query('update accounts set agent_version = agent_version + 1 where id = $1', [
      agent.uuid,
    ])
  }

  test.each([
    [
      'moves the time from which on a version decides',
      'update accounts set policy_since_ms = policy_since_ms + 1 where id = $1',
    ],
    ['changes a version', `update policy_versions set actor_id = 'attacker' where agent_id = $1`],
  ])('and %s gets no payment decided by it', async (_, statement) => {
    await write(statement)
    expect((await stage.pay(agent, payee, 1)).status).toBe(500)
  })

  test('and removes the history changes nothing, because the log has it too', async () => {
    const { policy_version } = await history.now()
    await write('delete from policy_versions where agent_id = $1')
    const { body } = await stage.pay(agent, payee, 1)
    expect(body['policy_version']).not.toBe(policy_version)
    expect((await history.all()).map(({ changed }) => changed[0]?.to)).toEqual([850, 'sandbox'])
  })
})
