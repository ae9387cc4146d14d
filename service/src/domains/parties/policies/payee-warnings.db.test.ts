import { describe, expect } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import {
  asOwners,
  type SignedUp,
  type StageAgent,
  stage,
  test,
} from '../../../testing/limits/policy-stage.ts'

const OWNER_POLICY = '/api/web/policy'

let signedUp: SignedUp
let ann: StageAgent
let bob: StageAgent
let cat: StageAgent

test.beforeAll(async () => {
  const payees = await stage.newOwner()
  ann = await stage.newAgentOf(payees)
  bob = await stage.newAgentOf(payees)
  cat = await stage.newAgentOf(payees)
  signedUp = await stage.newOwner()
})

const change = (agent: StageAgent, body: object) =>
  stage.ask('PATCH', `/v1/agents/${agent.id}`, signedUp.platform, body)
const changeOwner = (owner: SignedUp, body: object) =>
  stage.ask('PATCH', OWNER_POLICY, asOwners(owner.ownerId), body)
const inADay = () => new Date(stage.clock.now().getTime() + DAY_MS).toISOString()

describe('a changed payee list of an agent', () => {
  test('a changed payee list allows payees in both lists at once, and gives no warning while there is one', async () => {
    const agent = await stage.newAgentOf(signedUp, { allowed_payees: [ann.id, bob.id] })
    const { status, body } = await change(agent, { allowed_payees: [bob.id, cat.id] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ policy: { allowed_payees: [bob.id] } })
    expect(body).not.toHaveProperty('warnings')
    expect(await stage.payOnBoth(agent, bob, 1)).toEqual([200, 200])
    expect((await change(agent, { spend_limit_daily: 5 })).body).not.toHaveProperty('warnings')
  })

  test('a changed payee list gives a warning with the moment if no payee is in both lists until then', async () => {
    const agent = await stage.newAgentOf(signedUp, { allowed_payees: [ann.id] })
    const until = inADay()
    const { body } = await change(agent, { allowed_payees: [bob.id] })
    expect(body).toMatchObject({ policy: { allowed_payees: [] } })
    expect(body['warnings']).toEqual([expect.stringContaining(`${agent.id} can pay nobody until ${until}`)])
    for (const payee of [ann, bob]) expect((await stage.pay(agent, payee, 1)).status).toBe(403)
    const again = await change(agent, { allowed_payees: [bob.id] })
    expect(again.body['warnings']).toEqual(body['warnings'])
    expect((await change(agent, { name: 'Renamed' })).body).not.toHaveProperty('warnings')
    await stage.advance(DAY_MS)
    expect((await stage.pay(agent, bob, 1)).status).toBe(200)
  })

  test('a changed payee list gives a warning if the payees in both lists are blocked before or by the change', async () => {
    const agent = await stage.newAgentOf(signedUp, {
      allowed_payees: [ann.id, bob.id],
      blocked_payee_agents: [ann.id],
    })
    const { body } = await change(agent, { blocked_payee_agents: [bob.id] })
    expect(body['warnings']).toEqual([expect.stringContaining(`can pay nobody until ${inADay()}`)])
  })

  test('the warning has no moment if no pending change helps: an empty list, or a list of the agent itself', async () => {
    const agent = await stage.newAgentOf(signedUp)
    for (const list of [[], [agent.id]]) {
      const { body } = await change(agent, { allowed_payees: list })
      expect(body['warnings']).toEqual([expect.stringMatching(`^${agent.id} can pay nobody: `)])
    }
  })

  test('a warning is given if the lists of the owner and of the agent together allow no payee', async () => {
    const owner = await stage.newOwner()
    const agent = await stage.newAgentOf(owner)
    await changeOwner(owner, { allowed_payees: [ann.id, bob.id], blocked_payee_agents: [bob.id] })
    const ask = (body: object) => stage.ask('PATCH', `/v1/agents/${agent.id}`, owner.platform, body)
    expect((await ask({ allowed_payees: [ann.id, cat.id] })).body).not.toHaveProperty('warnings')
    const { body } = await ask({ blocked_payee_agents: [ann.id] })
    expect(body['warnings']).toEqual([expect.stringMatching(`^${agent.id} can pay nobody: `)])
    expect((await stage.pay(agent, cat, 1)).status).toBe(403)
    const later = inADay()
    const cleared = await ask({ blocked_payee_agents: null })
    expect(cleared.body['warnings']).toEqual([expect.stringContaining(`can pay nobody until ${later}`)])
  })
})

describe('payees who can never be paid again', () => {
  const deactivate = (agent: StageAgent, owner: SignedUp) =>
    stage.ask('DELETE', `/v1/agents/${agent.id}`, owner.platform)
  const nobody = (agent: StageAgent) => [expect.stringMatching(`^${agent.id} can pay nobody: `)]

  async function endedAgent(): Promise<StageAgent> {
    const owner = await stage.newOwner()
    const agent = await stage.newAgentOf(owner)
    expect((await deactivate(agent, owner)).status).toBe(200)
    return agent
  }

  test('a list of deactivated payees only gives a warning', async () => {
    const [gone, lost] = [await endedAgent(), await endedAgent()]
    const agent = await stage.newAgentOf(signedUp)
    const { body } = await change(agent, { allowed_payees: [gone.id, lost.id] })
    expect(body['warnings']).toEqual(nobody(agent))
    expect((await stage.pay(agent, gone, 1)).status).not.toBe(200)
    const one = await change(await stage.newAgentOf(signedUp), { allowed_payees: [gone.id, ann.id] })
    expect(one.body).not.toHaveProperty('warnings')
  })

  test('a list of deactivated, blocked and unknown payees gives a warning', async () => {
    const gone = await endedAgent()
    const agent = await stage.newAgentOf(signedUp)
    const blocked = { allowed_payees: [gone.id, ann.id], blocked_payee_agents: [ann.id] }
    expect((await change(agent, blocked)).body['warnings']).toEqual(nobody(agent))
    const unknown = formatId('agt', newUuid(stage.clock.now()))
    const other = await stage.newAgentOf(signedUp)
    expect((await change(other, { allowed_payees: [unknown] })).body['warnings']).toEqual(nobody(other))
  })

  test('a warning with the moment is given if only deactivated payees are in both lists', async () => {
    const owner = await stage.newOwner()
    const ending = await stage.newAgentOf(owner)
    const agent = await stage.newAgentOf(signedUp, { allowed_payees: [ann.id, ending.id] })
    await deactivate(ending, owner)
    const until = inADay()
    const { body } = await change(agent, { allowed_payees: [ending.id, bob.id] })
    expect(body['warnings']).toEqual([expect.stringContaining(`${agent.id} can pay nobody until ${until}`)])
    const still = await change(agent, { allowed_payees: [ending.id] })
    expect(still.body['warnings']).toEqual(nobody(agent))
  })

  test('a list of paused, quarantined or frozen payees gives no warning', async () => {
    const owner = await stage.newOwner()
    const paused = await stage.newAgentOf(owner)
    await stage.ask('POST', `/v1/agents/${paused.id}/pause`, owner.platform, {})
    const { body } = await change(await stage.newAgentOf(signedUp), { allowed_payees: [paused.id] })
    expect(body).not.toHaveProperty('warnings')
  })

  test('deactivated payees in an owner’s lists give a warning too, for all agents or for the agents concerned', async () => {
    const owner = await stage.newOwner()
    const gone = await endedAgent()
    const [left, free] = [
      await stage.newAgentOf(owner, { allowed_payees: [gone.id, ann.id] }),
      await stage.newAgentOf(owner, { allowed_payees: [bob.id] }),
    ]
    const none = await changeOwner(await stage.newOwner(), { allowed_payees: [gone.id] })
    expect(none.body['warnings']).toEqual([expect.stringMatching('^No agent can pay anybody: ')])
    const some = await changeOwner(owner, { allowed_payees: [gone.id, bob.id] })
    expect(some.body['warnings']).toEqual(nobody(left))
    expect((await stage.pay(free, bob, 1)).status).toBe(200)
  })

  test('an own agent that is the only active payee of its owner’s list gets a warning, because it cannot pay itself', async () => {
    const owner = await stage.newOwner()
    const [sole] = [await stage.newAgentOf(owner), await stage.newAgentOf(owner)]
    const { body } = await changeOwner(owner, { allowed_payees: [(await endedAgent()).id, sole.id] })
    expect(body['warnings']).toEqual(nobody(sole))
  })
})

describe('a waiting change of a payee list that is cancelled', () => {
  const cancel = (path: string, headers: Record<string, string>) => stage.ask('DELETE', path, headers)

  test('cancelling a pending list gives a warning if the list in force allows no payee, for agents and owners', async () => {
    const owner = await stage.newOwner()
    const agent = await stage.newAgentOf(owner, { allowed_payees: [ann.id] })
    const ask = (body: object) => stage.ask('PATCH', `/v1/agents/${agent.id}`, owner.platform, body)
    const pending = `/v1/agents/${agent.id}/pending-policy/allowed_payees`
    await ask({ allowed_payees: [bob.id] })
    expect(await cancel(pending, owner.platform)).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringMatching(`^${agent.id} can pay nobody: `)] },
    })
    await changeOwner(owner, { allowed_payees: [ann.id] })
    await changeOwner(owner, { allowed_payees: [bob.id] })
    expect(await cancel(`${OWNER_POLICY}/pending/allowed_payees`, asOwners(owner.ownerId))).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringMatching('^No agent can pay anybody: ')] },
    })
  })

  test('cancelling a pending change gives no warning while there is a payee, or if it was of another control', async () => {
    const agent = await stage.newAgentOf(signedUp, { allowed_payees: [ann.id], spend_limit_daily: 5 })
    await change(agent, { allowed_payees: [ann.id, bob.id], spend_limit_daily: 6 })
    for (const control of ['allowed_payees', 'spend_limit_daily']) {
      const { status, body } = await cancel(
        `/v1/agents/${agent.id}/pending-policy/${control}`,
        signedUp.platform,
      )
      expect([status, Object.keys(body).includes('warnings')]).toEqual([200, false])
    }
  })
})

describe('a changed payee list of an owner', () => {
  test('a changed payee list of an owner gives one warning if no agent has a payee until it takes effect', async () => {
    const owner = await stage.newOwner()
    await stage.newAgentOf(owner)
    expect((await changeOwner(owner, { allowed_payees: [ann.id] })).body).not.toHaveProperty('warnings')
    const until = inADay()
    const { body } = await changeOwner(owner, { allowed_payees: [bob.id] })
    expect(body['warnings']).toEqual([expect.stringContaining(`No agent can pay anybody until ${until}`)])
    expect((await changeOwner(owner, { spend_limit_daily: 5 })).body).not.toHaveProperty('warnings')
  })

  test('a changed payee list of an owner gives a warning with the moment for each agent without a payee, and no others', async () => {
    const owner = await stage.newOwner()
    const [free, left, waiting, paused] = [
      await stage.newAgentOf(owner),
      await stage.newAgentOf(owner, { allowed_payees: [bob.id] }),
      await stage.newAgentOf(owner, { allowed_payees: [bob.id] }),
      await stage.newAgentOf(owner, { allowed_payees: [] }),
    ]
    await stage.ask('PATCH', `/v1/agents/${waiting.id}`, owner.platform, { allowed_payees: [ann.id, bob.id] })
    const until = inADay()
    const ended = await stage.newAgentOf(owner, { allowed_payees: [bob.id] })
    await stage.ask('DELETE', `/v1/agents/${ended.id}`, owner.platform)
    const { body } = await changeOwner(owner, { allowed_payees: [ann.id] })
    const warnings = body['warnings'] as string[]
    expect(warnings).toHaveLength(2)
    expect(warnings).toContainEqual(expect.stringMatching(`^${left.id} can pay nobody: `))
    expect(warnings).toContainEqual(expect.stringContaining(`${waiting.id} can pay nobody until ${until}`))
    expect(JSON.stringify(warnings)).not.toMatch(`${free.id}|${paused.id}|${ended.id}`)
    expect((await stage.pay(free, ann, 1)).status).toBe(200)
  })

  test('the warnings name ten agents and say that there are more', async () => {
    const owner = await stage.newOwner()
    for (let count = 0; count < 12; count++) await stage.newAgentOf(owner, { allowed_payees: [bob.id] })
    const { body } = await changeOwner(owner, { allowed_payees: [ann.id] })
    expect(body['warnings']).toHaveLength(11)
    expect(body['warnings']).toEqual(expect.arrayContaining([expect.stringMatching('^More agents')]))
  })
})

describe('the owner whose policy is changed', () => {
  test('the owner whose policy is changed is named in the query, in the body, or equally in both', async () => {
    const [one, two] = [await stage.newOwner(), await stage.newOwner()]
    const session = asOwners(one.ownerId, two.ownerId)
    const ask = (query: string, body: object) => stage.ask('PATCH', `${OWNER_POLICY}${query}`, session, body)
    const inQuery = `?owner_id=${two.ownerId}`
    expect((await ask('', { spend_limit_daily: 5 })).status).toBe(400)
    const changed = { owner_id: two.ownerId, policy: { spend_limit_daily: 5 } }
    expect(await ask('', { owner_id: two.ownerId, spend_limit_daily: 5 })).toMatchObject({
      status: 200,
      body: changed,
    })
    expect(await ask(inQuery, { owner_id: two.ownerId, spend_limit_hourly: 4 })).toMatchObject({
      status: 200,
      body: { ...changed, policy: { spend_limit_daily: 5, spend_limit_hourly: 4 } },
    })
    expect(await ask(inQuery, { owner_id: one.ownerId, spend_limit_daily: 1 })).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_error', field: 'owner_id' } },
    })
    expect((await stage.ask('GET', `${OWNER_POLICY}?owner_id=${one.ownerId}`, session)).body).toMatchObject({
      policy: { spend_limit_daily: null },
    })
  })

  test('the owner whose policy is changed must have a valid id and be covered by the session', async () => {
    const [mine, other] = [await stage.newOwner(), await stage.newOwner()]
    const ask = (owner_id: unknown) => changeOwner(mine, { owner_id, spend_limit_daily: 5 })
    expect((await ask(other.ownerId)).status).toBe(404)
    expect(await ask('nobody')).toMatchObject({ status: 400, body: { error: { field: 'owner_id' } } })
  })
})
