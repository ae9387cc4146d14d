import { describe, expect } from 'vitest'
import { factsDuring } from '../../../testing/facts.ts'
import { AS_ADMIN, type Reply, type StageAgent } from '../../../testing/limits/policy-stage.ts'
import { randomHandle } from '../../../testing/network.ts'
import { type Lab, openLab, stage, test } from './testing/organization-stage.ts'

/** A treasury, a worker with a budget of 40 INR, and an agent of the same owner that is in no organization. */
interface Scene {
  readonly lab: Lab
  readonly treasury: StageAgent
  readonly worker: StageAgent
  readonly loner: StageAgent
}

async function openScene(): Promise<Scene> {
  const lab = await openLab(stage)
  return {
    lab,
    treasury: await lab.hire('treasury'),
    worker: await lab.hire('worker', 40),
    loner: await stage.newAgentOf(lab.owner),
  }
}

type Case = readonly [
  name: string,
  status: number,
  expected: {
    readonly code: string
    readonly field?: string
    readonly message?: RegExp
    readonly details?: object
  },
  act: (scene: Scene) => Promise<Reply>,
]

const CONFLICT = { code: 'conflict' }

const platformActs =
  (act: 'pause' | 'deactivate', agent: (scene: Scene) => StageAgent) => async (scene: Scene) => {
    const { platform } = scene.lab.owner
    const path = `/v1/agents/${agent(scene).id}`
    const [method, rest] = act === 'pause' ? ['POST', '/pause'] : ['DELETE', '']
    const { status } = await stage.ask(method, path + rest, platform)
    expect(status).toBe(200)
  }
const adminActs = (act: 'freeze' | 'quarantine', agent: (scene: Scene) => StageAgent) => (scene: Scene) =>
  stage.ask('POST', `/v1/admin/agents/bulk-${act}`, AS_ADMIN, { agent_ids: [agent(scene).id] })
const treasuryOf = ({ treasury }: Scene) => treasury
const workerOf = ({ worker }: Scene) => worker
const lonerOf = ({ loner }: Scene) => loner

const after =
  (first: (scene: Scene) => Promise<unknown>, act: (scene: Scene) => Promise<Reply>) =>
  async (scene: Scene) => {
    await first(scene)
    return act(scene)
  }
const allocate = ({ lab, worker }: Scene) => lab.allocate(worker, 1)

const CASES: readonly Case[] = [
  [
    'a new treasury with a budget',
    400,
    { code: 'validation_error', field: 'budget_limit' },
    ({ lab, loner }) => lab.join(loner, 'treasury', 10),
  ],
  ['a second treasury', 409, { ...CONFLICT, field: 'role' }, ({ lab, loner }) => lab.join(loner, 'treasury')],
  [
    'a new member that is a member already',
    409,
    { ...CONFLICT, field: 'agent_id', message: /member already/ },
    ({ lab, worker }) => lab.join(worker, 'admin'),
  ],
  [
    'a new member of another organization',
    409,
    { ...CONFLICT, field: 'agent_id', message: /in another/ },
    async ({ lab, worker }) => (await openLab(stage, 'tier1', lab.owner)).join(worker, 'worker'),
  ],
  [
    'a new member that is deactivated',
    409,
    { ...CONFLICT, message: /deactivated/ },
    after(platformActs('deactivate', lonerOf), ({ lab, loner }) => lab.join(loner, 'worker')),
  ],
  [
    'a new member of another owner',
    403,
    { code: 'authorization_error' },
    async ({ lab }) => lab.join(await stage.newAgentOf(await stage.newOwner()), 'worker'),
  ],
  ['a new member that does not exist', 404, { code: 'not_found' }, ({ lab }) => lab.join(nobody(), 'worker')],
  [
    'a member above the maximum',
    409,
    { ...CONFLICT, message: /full/, details: { max_agents: 5 } },
    async ({ lab, loner }) => {
      for (let more = 0; more < 3; more++) await lab.hire('worker')
      return lab.join(loner, 'worker')
    },
  ],
  [
    'a budget for the treasury',
    400,
    { code: 'validation_error', field: 'budget_limit' },
    ({ lab, treasury }) => lab.setBudget(treasury, 10),
  ],
  [
    'another role for the treasury',
    409,
    CONFLICT,
    ({ lab, treasury }) => lab.ask('PATCH', `/agents/${treasury.id}`, { role: 'worker' }),
  ],
  [
    'the role of treasury for a second member',
    409,
    { ...CONFLICT, field: 'role' },
    ({ lab, worker }) => lab.ask('PATCH', `/agents/${worker.id}`, { role: 'treasury' }),
  ],
  ['the removal of the treasury', 409, CONFLICT, ({ lab, treasury }) => lab.remove(treasury)],
  [
    'a change of an agent that is not a member',
    404,
    { code: 'not_found' },
    ({ lab, loner }) => lab.setBudget(loner, 1),
  ],
  [
    'the removal of an agent that is not a member',
    404,
    { code: 'not_found' },
    ({ lab, loner }) => lab.remove(loner),
  ],
  [
    'a treasury that is not a member',
    404,
    { code: 'not_found', field: 'agent_id' },
    ({ lab, loner }) => lab.nameTreasury(loner),
  ],
  [
    'an allocation to an agent that is not a member',
    404,
    { code: 'not_found' },
    ({ lab, loner }) => lab.allocate(loner, 1),
  ],
  [
    'an allocation to the treasury',
    400,
    { code: 'validation_error', field: 'agent_id' },
    ({ lab, treasury }) => lab.allocate(treasury, 1),
  ],
  [
    'an allocation without a treasury',
    409,
    { ...CONFLICT, message: /no treasury/ },
    after(platformActs('deactivate', treasuryOf), allocate),
  ],
  [
    'an allocation from a paused treasury',
    403,
    { code: 'policy_denied', message: /^Agent is paused$/ },
    after(platformActs('pause', treasuryOf), allocate),
  ],
  [
    'an allocation from a quarantined treasury',
    403,
    { code: 'policy_denied', message: /^Agent is quarantined$/ },
    after(adminActs('quarantine', treasuryOf), allocate),
  ],
  [
    'an allocation to a frozen member',
    400,
    { code: 'validation_error', field: 'agent_id' },
    after(adminActs('freeze', workerOf), allocate),
  ],
  [
    'an allocation to a deactivated member',
    404,
    { code: 'not_found' },
    after(platformActs('deactivate', workerOf), allocate),
  ],
  [
    'an allocation above a limit of the treasury’s tier',
    403,
    {
      code: 'spend_limit_exceeded',
      field: 'amount',
      details: { rule: 'spend_limit_per_tx', layer: 'tier', max_amount_now: 1000 },
    },
    ({ lab, worker }) => lab.allocate(worker, 1000.01),
  ],
  [
    'an allocation above the limit on recipients',
    403,
    { code: 'spend_limit_exceeded', field: 'agent_id', details: { rule: 'max_counterparties_per_hour' } },
    async ({ lab, treasury, worker }) => {
      const body = { max_counterparties_per_hour: 0 }
      await stage.ask('PATCH', `/v1/agents/${treasury.id}`, lab.owner.platform, body)
      return lab.allocate(worker, 1)
    },
  ],
  [
    'an allocation above the balance',
    402,
    { code: 'insufficient_balance', details: { balance: 0, required: 5, amount: 5, fee: 0 } },
    async ({ lab, worker }) => {
      const body = { name: 'Poor', handle: randomHandle(), owner_id: lab.owner.ownerId }
      const { agent_id } = (await stage.ask('POST', '/v1/agents', lab.owner.platform, body)).body
      const poor = { id: String(agent_id), uuid: '', headers: {} }
      await lab.join(poor, 'admin')
      await lab.nameTreasury(poor)
      return lab.allocate(worker, 5)
    },
  ],
]

describe('refused requests', () => {
  test.each(CASES)(
    '%s is refused, and no money moves',
    async (_name, status, { message, ...expected }, act) => {
      const scene = await openScene()
      const responses: Reply[] = []
      const facts = await factsDuring(stage.db.database, async () => responses.push(await act(scene)))
      const [response] = responses
      expect(response).toMatchObject({ status, body: { error: expected } })
      const error = response?.body['error'] as { message?: string } | undefined
      expect(error?.message).toMatch(message ?? /./)
      expect(facts.map(({ action }) => action)).not.toContain('org.allocated')
    },
  )
})

test('escrow and approval thresholds and payee lists do not apply to an allocation', async () => {
  const { lab, treasury, worker } = await openScene()
  await stage.ask('PATCH', `/v1/agents/${treasury.id}`, lab.owner.platform, {
    require_escrow_above: 1,
    require_human_approval_above: 1,
    blocked_payee_agents: [worker.id],
  })
  expect((await lab.allocate(worker, 600)).status).toBe(200)
})

test('while the owner is frozen, the organization is frozen and no budget is raised and no money moves', async () => {
  const { lab, treasury, worker, loner } = await openScene()
  const path = `/v1/admin/owners/${lab.owner.ownerId}`
  await lab.setBudget(worker, 10)
  await stage.ask('POST', `${path}/freeze`, AS_ADMIN)
  expect((await lab.ask('GET', '')).body).toMatchObject({ status: 'frozen' })
  const changes = [
    () => stage.ask('POST', '/v1/orgs', lab.session, { name: 'Another', tier: 'tier1' }),
    () => lab.join(loner, 'worker'),
    () => lab.setBudget(worker, 11),
    () => lab.setBudget(worker, null),
    () => lab.setRole(worker, 'admin'),
    () => lab.nameTreasury(worker),
    () => lab.remove(worker),
  ]
  for (const change of changes) {
    expect(await change()).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringMatching(/owner is frozen/) } },
    })
  }
  expect(await lab.setBudget(worker, 9)).toMatchObject({ status: 200, body: { budget_limit: 9 } })
  expect(await lab.allocate(worker, 1)).toMatchObject({
    ...{ status: 403, body: { error: { code: 'policy_denied', message: 'Agent is frozen' } } },
  })
  await stage.ask('POST', `${path}/unfreeze`, AS_ADMIN)
  expect((await lab.ask('GET', '')).body).toMatchObject({ status: 'active', treasury_agent_id: treasury.id })
  expect((await lab.allocate(worker, 1)).status).toBe(200)
})

/** An agent that does not exist. */
function nobody(): StageAgent {
  return { id: 'agt_01kb7q3f8meg5tz4x9wc2n6a99', uuid: '', headers: {} }
}
