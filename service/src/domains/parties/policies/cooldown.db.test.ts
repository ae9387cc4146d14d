import { describe, expect } from 'vitest'
import {
  asOwners,
  type SignedUp,
  type StageAgent,
  stage,
  test,
} from '../../../testing/limits/policy-stage.ts'
import { networkContext } from '../../../testing/network.ts'
import { policyJobs } from './due-changes.ts'

const DAY_MS = 86_400_000

let signedUp: SignedUp
let payee: StageAgent

test.beforeAll(async () => {
  signedUp = await stage.newOwner()
  payee = await stage.newAgentOf(signedUp)
})

const change = (agent: StageAgent, body: object) =>
  stage.ask('PATCH', `/v1/agents/${agent.id}`, signedUp.platform, body)
const cancel = (agent: StageAgent, control: string, headers = signedUp.platform) =>
  stage.ask('DELETE', `/v1/agents/${agent.id}/pending-policy/${control}`, headers)
const show = (agent: StageAgent) => stage.ask('GET', `/v1/agents/${agent.id}/policy`, agent.headers)

/** The moment when a change that is made now takes effect. */
const inADay = () => new Date(stage.clock.now().getTime() + DAY_MS).toISOString()

describe('a limit of an agent', () => {
  test('a limit that is set at creation applies at once, whatever its value', async () => {
    const agent = await stage.newAgentOf(signedUp, { spend_limit_per_tx: 7, max_counterparties_per_hour: 3 })
    expect(await stage.payOnBoth(agent, payee, 7)).toEqual([200, 200])
    expect(await stage.payOnBoth(agent, payee, 7.01)).toEqual(['agent', 'agent'])
  })

  test('a raised limit is shown as pending and takes effect exactly when the cooldown ends', async () => {
    const agent = await stage.newAgentOf(signedUp, { spend_limit_per_tx: 7 })
    const effective_at = inADay()
    const pending_policy = { spend_limit_per_tx: { value: 9, effective_at } }
    const { body } = await change(agent, { spend_limit_per_tx: 9 })
    expect(body).toMatchObject({ policy: { spend_limit_per_tx: 7 }, pending_policy })
    expect((await show(agent)).body).toMatchObject({ pending_policy })
    await stage.advance(DAY_MS - 1)
    expect(await stage.payOnBoth(agent, payee, 9)).toEqual(['agent', 'agent'])
    await stage.advance(1)
    expect(await stage.payOnBoth(agent, payee, 9)).toEqual([200, 200])
    expect(await stage.payOnBoth(agent, payee, 9.01)).toEqual(['agent', 'agent'])
    expect((await show(agent)).body).toMatchObject({ pending_policy: {} })
  })

  test('a lowered limit applies to the next payment on every node and removes a pending raise', async () => {
    const agent = await stage.newAgentOf(signedUp, { spend_limit_per_tx: 7 })
    await change(agent, { spend_limit_per_tx: 9 })
    expect(await stage.payOnBoth(agent, payee, 7)).toEqual([200, 200])
    const { body } = await change(agent, { spend_limit_per_tx: 5 })
    expect(body).toMatchObject({ policy: { spend_limit_per_tx: 5 }, pending_policy: {} })
    expect(await stage.payOnBoth(agent, payee, 5.01)).toEqual(['agent', 'agent'])
    await stage.advance(DAY_MS)
    expect(await stage.payOnBoth(agent, payee, 5.01)).toEqual(['agent', 'agent'])
  })

  test('a limit that is raised again waits for a full cooldown', async () => {
    const agent = await stage.newAgentOf(signedUp, { spend_limit_per_tx: 7 })
    await change(agent, { spend_limit_per_tx: 9 })
    await stage.advance(DAY_MS - 1)
    const effective_at = inADay()
    const { body } = await change(agent, { spend_limit_per_tx: 8 })
    expect(body).toMatchObject({ pending_policy: { spend_limit_per_tx: { value: 8, effective_at } } })
    await stage.advance(1)
    expect(await stage.payOnBoth(agent, payee, 7.01)).toEqual(['agent', 'agent'])
    await stage.advance(DAY_MS - 1)
    expect(await stage.payOnBoth(agent, payee, 8)).toEqual([200, 200])
  })

  test('a limit does not change if the platform or the owner cancels a pending raise', async () => {
    const agent = await stage.newAgentOf(signedUp, { spend_limit_per_tx: 7 })
    for (const headers of [signedUp.platform, asOwners(signedUp.ownerId)]) {
      await change(agent, { spend_limit_per_tx: null })
      const { status, body } = await cancel(agent, 'spend_limit_per_tx', headers)
      expect([status, body['pending_policy']]).toEqual([200, {}])
      expect((await cancel(agent, 'spend_limit_per_tx', headers)).status).toBe(404)
      await stage.advance(DAY_MS)
      expect(await stage.payOnBoth(agent, payee, 7.01)).toEqual(['agent', 'agent'])
    }
  })

  test('no other caller can cancel a pending raise', async () => {
    const agent = await stage.newAgentOf(signedUp, { spend_limit_per_tx: 7 })
    await change(agent, { spend_limit_per_tx: 9 })
    const stranger = await stage.newOwner()
    expect((await cancel(agent, 'spend_limit_per_tx', stranger.platform)).status).toBe(403)
    expect((await cancel(agent, 'spend_limit_per_tx', asOwners(stranger.ownerId))).status).toBe(403)
    expect((await cancel(agent, 'spend_limit_per_tx', agent.headers)).status).toBe(401)
    expect((await show(agent)).body['pending_policy']).toHaveProperty('spend_limit_per_tx')
  })
})

test('a list with added and removed entries tightens at once and loosens a day later', async () => {
  const [old, kept, fresh] = [
    await stage.newAgentOf(signedUp),
    await stage.newAgentOf(signedUp),
    await stage.newAgentOf(signedUp),
  ]
  const agent = await stage.newAgentOf(signedUp, { allowed_payees: [old.id, kept.id] })
  await change(agent, { allowed_payees: [kept.id, fresh.id] })
  expect(await stage.payOnBoth(agent, old, 1)).toEqual(['agent', 'agent'])
  expect(await stage.payOnBoth(agent, kept, 1)).toEqual([200, 200])
  expect(await stage.payOnBoth(agent, fresh, 1)).toEqual(['agent', 'agent'])
  await stage.advance(DAY_MS)
  expect(await stage.payOnBoth(agent, old, 1)).toEqual(['agent', 'agent'])
  expect(await stage.payOnBoth(agent, fresh, 1)).toEqual([200, 200])
})

test('a repeated raise keeps its moment, and a different raise gets a new one', async () => {
  const agent = await stage.newAgentOf(signedUp, { spend_limit_per_tx: 7 })
  const momentOf = async (limit: number) => {
    const { body } = await change(agent, { spend_limit_per_tx: limit })
    return body['pending_policy']
  }
  const first = await momentOf(9)
  expect(first).toMatchObject({ spend_limit_per_tx: { value: 9 } })
  await stage.advance(60_000)
  expect(await momentOf(9)).toEqual(first)
  expect(await momentOf(10)).not.toEqual(first)
})

test('two nodes that apply the same due changes apply each once, while payments are made', async () => {
  const { db, clock } = stage
  const context = networkContext(db.database, clock)
  const agents = await Promise.all(
    Array.from({ length: 30 }, () => stage.newAgentOf(signedUp, { spend_limit_per_tx: 7 })),
  )
  for (const agent of agents) await change(agent, { spend_limit_per_tx: 9 })
  clock.advance(DAY_MS)
  const nodes = [policyJobs(context), policyJobs(context)].flat()
  const payments = agents.map((agent, at) => stage.pay(agent, payee, 7, at % 2))
  await Promise.all(nodes.map(job => job.run(clock.now())))
  for (const { status } of await Promise.all(payments)) expect(status).toBe(200)
  for (const agent of agents) expect((await stage.pay(agent, payee, 9)).status).toBe(200)
})
