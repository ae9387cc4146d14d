import { beforeEach, expect } from 'vitest'
import { writeMacs } from '../../../db/row-mac.ts'
import { type Clock, DAY_MS, systemClock } from '../../../kernel/clock.ts'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { type Actor, service } from '../../../operations/facts.ts'
import { database, test } from '../../../testing/database-test.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import {
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  platformCaller,
} from '../../../testing/network.ts'
import { AGENT_ROWS } from '../../limits/covered-tables.ts'
import type { Owner } from '../owners/store.ts'
import {
  applyDuePolicy,
  cancelPolicyChange,
  deactivateAgent,
  rotateAgentKey,
  updatePolicy,
} from './change-agent.ts'
import { changeStates, pauseAgent, resumeAgent } from './change-states.ts'
import type { CreatedAgent } from './create-agent.ts'
import { raiseAgentsToTier1, setAgentsTier } from './group-store.ts'
import type { StateAct } from './states.ts'

let clock: Clock
let context: NetworkContext
let owner: Owner
let made: CreatedAgent

test.beforeAll(async () => {
  clock = systemClock()
  context = networkContext(database, clock)
  const { platform } = await newPlatform(context)
  owner = await newOwner(context, platform.id)
})
beforeEach(async () => {
  made = await newAgent(context, owner, { spend_limit_daily: 100 })
})

const OPERATOR = service('test')
const platform = () => platformCaller(owner.platformId)
const address = () => formatId('agt', made.agent.id)
const actorPlatform = (): Actor => ({ type: 'platform', id: formatId('plt', owner.platformId) })

interface Entry {
  readonly action: string
  readonly actor: Actor
  readonly target: string
  readonly data: Record<string, unknown>
}

/** The audit entries of the agent, without those of its creation. */
async function entries(from = 2): Promise<Entry[]> {
  const rows = await database.query<Entry>(
    `select action, jsonb_build_object('type', actor_type, 'id', actor_id) as actor, target, data::jsonb - 'row' - 'row_version' as data
     from audit_entries where agent_id = $1 order by id`,
    [made.agent.id],
  )
  return rows.slice(from)
}

async function change(state: StateAct): Promise<void> {
  const recording = { actor: OPERATOR, vault: context.vault, now: clock.now() }
  await database.inTransaction(tx => changeStates(tx, [made.agent.id], state, recording))
}

test('the creation of an agent is recorded with its identity and its certificate', async () => {
  const all = await entries(0)
  expect(all.map(({ action }) => action).toSorted()).toEqual(['agent.created', 'certificate.issued'])
  const created = all.find(({ action }) => action === 'agent.created')
  const issued = all.find(({ action }) => action === 'certificate.issued')
  expect(created).toMatchObject({
    actor: actorPlatform(),
    target: address(),
    data: {
      handle: made.agent.handle,
      name: 'Test agent',
      owner_id: formatId('own', owner.id),
      tier: 'sandbox',
      certificate_id: issued?.target,
    },
  })
  expect(created?.data['public_key']).toBe(issued?.data['public_key'])
})

test('a change is recorded with the old and new values and the pending changes; a change of nothing is not recorded', async () => {
  await updatePolicy(context, platform(), address(), { name: 'Renamed', spend_limit_daily: 50 })
  await updatePolicy(context, platform(), address(), { name: 'Renamed', spend_limit_daily: 50 })
  await updatePolicy(context, platform(), address(), { spend_limit_daily: 70 })
  const waiting = { spend_limit_daily: { value: 70, effective_at: expect.any(String) as string } }
  expect(await entries()).toEqual([
    {
      action: 'agent.updated',
      actor: actorPlatform(),
      target: address(),
      data: {
        name: { from: 'Test agent', to: 'Renamed' },
        controls: { spend_limit_daily: { from: 100, to: 50 } },
      },
    },
    {
      action: 'agent.updated',
      actor: actorPlatform(),
      target: address(),
      data: { controls: {}, waiting: { from: {}, to: waiting } },
    },
  ])
})

test('a pending change is recorded once when it is cancelled, and once when it takes effect', async () => {
  await updatePolicy(context, platform(), address(), { spend_limit_daily: 200 })
  await cancelPolicyChange(context, platform(), address(), 'spend_limit_daily')
  await updatePolicy(context, platform(), address(), { spend_limit_daily: 300 })
  const later = new Date(clock.now().getTime() + DAY_MS + 1000)
  await Promise.all([1, 2].map(() => applyDuePolicy(context, made.agent.id, later)))
  const facts = await entries()
  expect(facts.map(({ action }) => action)).toEqual([
    'agent.updated',
    'agent.policy_change_cancelled',
    'agent.updated',
    'agent.policy_change_applied',
  ])
  expect(facts[3]).toMatchObject({
    actor: { type: 'service' },
    data: { controls: { spend_limit_daily: { from: 100, to: 300 } } },
  })
})

test('a due change takes effect before a later change and is recorded on its own', async () => {
  await updatePolicy(context, platform(), address(), { spend_limit_daily: 200 })
  const before = clock.offsetMs()
  clock.setOffsetMs(before + DAY_MS + 1000)
  await updatePolicy(context, platform(), address(), { name: 'Renamed' })
  clock.setOffsetMs(before)
  expect((await entries()).map(({ action, data }) => [action, data['controls'] ?? data['name']])).toEqual([
    ['agent.updated', {}],
    ['agent.policy_change_applied', { spend_limit_daily: { from: 100, to: 200 } }],
    ['agent.updated', { from: 'Test agent', to: 'Renamed' }],
  ])
})

test('a rotated key is recorded with its last four characters only, and a refused change is not recorded', async () => {
  const { agent, agentKey } = await rotateAgentKey(context, platform(), address())
  await refusalOf(cancelPolicyChange(context, platform(), address(), 'spend_limit_daily'))
  const facts = await entries()
  expect(facts).toMatchObject([
    {
      action: 'agent.key_rotated',
      data: { key_last4: { from: made.agent.keyLast4, to: agent.keyLast4 } },
    },
  ])
  expect(JSON.stringify(facts)).not.toContain(agentKey)
})

test('each change of state is recorded once, with the state before it', async () => {
  for (let times = 0; times < 2; times++) await pauseAgent(context, platform(), address())
  await change('quarantine')
  await change('freeze')
  await change('freeze')
  await change('restore')
  await resumeAgent(context, platform(), address())
  expect((await entries()).map(({ action, actor, data }) => [action, actor.type, data])).toEqual([
    ['agent.paused', 'platform', { from: 'active', to: 'paused' }],
    ['agent.quarantined', 'service', { from: 'paused', to: 'quarantined' }],
    ['agent.frozen', 'service', { from: 'quarantined', to: 'frozen' }],
    ['agent.restored', 'service', { from: 'frozen', to: 'paused' }],
    ['agent.resumed', 'platform', { from: 'paused', to: 'active' }],
  ])
})

test('restoring the money of a deactivated agent is recorded too', async () => {
  await change('freeze')
  await deactivateAgent(context, platform(), address())
  await change('restore')
  await change('restore')
  const [, ...facts] = await entries()
  expect(
    facts.map(({ action, data }) => [action, data]).filter(([action]) => action !== 'certificate.revoked'),
  ).toEqual([
    ['agent.deactivated', { from: 'frozen' }],
    ['agent.restored', { from: 'deactivated', to: 'deactivated', held_as: { from: 'frozen', to: null } }],
  ])
})

test('a deactivated agent leaves its organization in the same commit', async () => {
  const orgId = newUuid(clock.now())
  await database.query(
    `insert into org_members (agent_id, org_id, role, joined_at) values ($1, $2, 'worker', now())`,
    [made.agent.id, orgId],
  )
  await writeMacs(database, context.vault, AGENT_ROWS, [made.agent.id])
  for (let times = 0; times < 2; times++) await deactivateAgent(context, platform(), address())
  expect(await database.query(`select 1 from org_members where org_id = $1`, [orgId])).toEqual([])
  const removals = (await entries()).filter(({ action }) => action === 'org.member_removed')
  expect(removals).toEqual([
    {
      action: 'org.member_removed',
      actor: actorPlatform(),
      target: formatId('org', orgId),
      data: { role: 'worker', reason: 'agent deactivated' },
    },
  ])
})

test('a change of tier is recorded for the agents whose tier changes, and for no others', async () => {
  const recording = { actor: OPERATOR, vault: context.vault, now: clock.now() }
  await database.inTransaction(tx => raiseAgentsToTier1(tx, owner.id, recording))
  await database.inTransaction(tx => raiseAgentsToTier1(tx, owner.id, recording))
  await database.inTransaction(tx => setAgentsTier(tx, owner.id, 'tier3', recording))
  await database.inTransaction(tx => setAgentsTier(tx, owner.id, 'tier3', recording))
  expect((await entries()).map(({ action, data }) => [action, data])).toEqual([
    ['agent.tier_changed', { from: 'sandbox', to: 'tier1' }],
    ['agent.tier_changed', { from: 'tier1', to: 'tier3' }],
  ])
})
