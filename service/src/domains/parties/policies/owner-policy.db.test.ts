import { describe, expect } from 'vitest'
import { asOwners, stage, test } from '../../../testing/limits/policy-stage.ts'

const DAY_MS = 86_400_000
const PATH = '/api/web/policy'

test('an owner who has set no policy limits nothing', async () => {
  const { ownerId } = await stage.newOwner()
  const { status, body } = await stage.ask('GET', PATH, asOwners(ownerId))
  expect(status).toBe(200)
  expect(body).toMatchObject({ owner_id: ownerId, pending_policy: {} })
  const set = Object.values(body['policy'] as object).filter(value => value !== null)
  expect(set).toEqual([['network'], []])
})

describe('a limit of an owner', () => {
  test('a limit of an owner applies to the next payment of each agent, new ones too, and counts each agent separately', async () => {
    const signedUp = await stage.newOwner()
    const agents = [await stage.newAgentOf(signedUp), await stage.newAgentOf(signedUp)]
    const payee = await stage.newAgentOf(await stage.newOwner())
    for (const agent of agents) expect(await stage.payOnBoth(agent, payee, 10)).toEqual([200, 200])
    const { body } = await stage.ask('PATCH', PATH, asOwners(signedUp.ownerId), { spend_limit_daily: 40 })
    expect(body).toMatchObject({ policy: { spend_limit_daily: 40 }, pending_policy: {} })
    for (const agent of agents) {
      expect(await stage.payOnBoth(agent, payee, 20.01)).toEqual(['owner', 'owner'])
      expect(await stage.payOnBoth(agent, payee, 10)).toEqual([200, 200])
    }
    const newcomer = await stage.newAgentOf(signedUp)
    expect(await stage.payOnBoth(newcomer, payee, 40.01)).toEqual(['owner', 'owner'])
  })

  test('a raised limit of an owner waits for the cooldown and then applies to all agents', async () => {
    const signedUp = await stage.newOwner()
    const session = asOwners(signedUp.ownerId)
    const agents = [await stage.newAgentOf(signedUp), await stage.newAgentOf(signedUp)]
    const payee = await stage.newAgentOf(await stage.newOwner())
    await stage.ask('PATCH', PATH, session, { spend_limit_per_tx: 5 })
    const { body } = await stage.ask('PATCH', PATH, session, { spend_limit_per_tx: 6 })
    const effective_at = new Date(stage.clock.now().getTime() + DAY_MS).toISOString()
    expect(body).toMatchObject({
      policy: { spend_limit_per_tx: 5 },
      pending_policy: { spend_limit_per_tx: { value: 6, effective_at } },
    })
    await stage.advance(DAY_MS - 1)
    for (const agent of agents) expect(await stage.payOnBoth(agent, payee, 6)).toEqual(['owner', 'owner'])
    await stage.advance(1)
    for (const agent of agents) expect(await stage.payOnBoth(agent, payee, 6)).toEqual([200, 200])
    expect((await stage.ask('GET', PATH, session)).body).toMatchObject({
      policy: { spend_limit_per_tx: 6 },
      pending_policy: {},
    })
  })

  test('a limit of an owner does not change if the pending raise is cancelled', async () => {
    const signedUp = await stage.newOwner()
    const session = asOwners(signedUp.ownerId)
    await stage.ask('PATCH', PATH, session, { spend_limit_per_tx: 5 })
    await stage.ask('PATCH', PATH, session, { spend_limit_per_tx: null })
    const path = `${PATH}/pending/spend_limit_per_tx`
    expect((await stage.ask('DELETE', path, session)).body).toMatchObject({ pending_policy: {} })
    expect((await stage.ask('DELETE', path, session)).status).toBe(404)
    await stage.advance(DAY_MS)
    const agent = await stage.newAgentOf(signedUp)
    const payee = await stage.newAgentOf(signedUp)
    expect(await stage.payOnBoth(agent, payee, 5.01)).toEqual(['owner', 'owner'])
  })
})

describe('a session of several owners', () => {
  test('a session of several owners names the owner whose policy it changes, and changes only that one', async () => {
    const [one, other] = [await stage.newOwner(), await stage.newOwner()]
    const session = asOwners(one.ownerId, other.ownerId)
    for (const [method, path, body] of [
      ['GET', PATH, undefined],
      ['PATCH', PATH, { spend_limit_per_tx: 5 }],
      ['DELETE', `${PATH}/pending/spend_limit_per_tx`, undefined],
    ] as const) {
      expect(await stage.ask(method, path, session, body)).toMatchObject({
        status: 400,
        body: { error: { code: 'validation_error', field: 'owner_id' } },
      })
    }
    const named = `${PATH}?owner_id=${other.ownerId}`
    const changed = await stage.ask('PATCH', named, session, { spend_limit_per_tx: 5 })
    expect(changed.body).toMatchObject({ owner_id: other.ownerId, policy: { spend_limit_per_tx: 5 } })
    expect((await stage.ask('GET', `${PATH}?owner_id=${one.ownerId}`, session)).body).toMatchObject({
      policy: { spend_limit_per_tx: null },
    })
  })

  test('a session cannot change the policy of an owner that it does not cover', async () => {
    const [own, foreign] = [await stage.newOwner(), await stage.newOwner()]
    for (const session of [asOwners(own.ownerId), asOwners(own.ownerId, (await stage.newOwner()).ownerId)]) {
      const named = `${PATH}?owner_id=${foreign.ownerId}`
      for (const method of ['GET', 'PATCH']) {
        const body = method === 'PATCH' ? { spend_limit_per_tx: 0 } : undefined
        expect((await stage.ask(method, named, session, body)).status).toBe(404)
      }
    }
    const agent = await stage.newAgentOf(foreign)
    expect(await stage.payOnBoth(agent, await stage.newAgentOf(own), 1)).toEqual([200, 200])
  })
})
