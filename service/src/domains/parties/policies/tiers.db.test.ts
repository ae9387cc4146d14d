import { describe, expect } from 'vitest'
import { newUuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { changeAgent } from '../../../testing/builders.ts'
import {
  AS_ADMIN,
  type SignedUp,
  type StageAgent,
  stage,
  test,
} from '../../../testing/limits/policy-stage.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { announceTier, lockTier, selectUnannounced, updateTier } from './tier-store.ts'

let signedUp: SignedUp
let payee: StageAgent

test.beforeAll(async () => {
  signedUp = await stage.newOwner()
  payee = await stage.newAgentOf(signedUp)
})

const setTier = (tier: string, body: object) => stage.ask('PATCH', `/v1/admin/tiers/${tier}`, AS_ADMIN, body)

test('the tiers have the limits of the interface, from the lowest to the highest', async () => {
  const { body } = await stage.ask('GET', '/v1/admin/tiers', AS_ADMIN)
  const rows = [
    ['sandbox', 1_000, 10_000, 100_000, 500, 5_000],
    ['tier1', 5_000, 50_000, 500_000, 2_500, 25_000],
    ['tier2', 25_000, 250_000, 2_500_000, 10_000, 100_000],
    ['tier3', 100_000, 1_000_000, 10_000_000, 50_000, 500_000],
  ].map(([tier, per_tx, daily, monthly, escrow_above, approval_above]) => {
    // The owner of this file.
    const owners = tier === 'sandbox' ? 1 : 0
    return { tier, per_tx, daily, monthly, escrow_above, approval_above, owners }
  })
  expect(body).toEqual({ tiers: rows })
})

test('a change of an unknown tier is not found', async () => {
  expect(await setTier('tier4', { per_tx: 5 })).toMatchObject({ status: 404 })
})

test('the verification of an owner moves its agents to tier1, whose limits apply to the next payment', async () => {
  const owner = await stage.newOwner()
  const agent = await stage.newAgentOf(owner)
  expect(await stage.payOnBoth(agent, payee, 500)).toEqual([200, 200])
  expect(await stage.payOnBoth(agent, payee, 500.01)).toEqual(['tier', 'tier'])
  const account = { bank_account: '50100012345678', bank_ifsc: 'HDFC0001234' }
  await stage.ask('POST', `/v1/owners/${owner.ownerId}/kyc`, owner.platform, account)
  expect(await stage.payOnBoth(agent, payee, 2_500)).toEqual([200, 200])
  expect(await stage.payOnBoth(agent, payee, 2_500.01)).toEqual(['tier', 'tier'])
  const { body } = await stage.ask('GET', `/v1/agents/${agent.id}/policy`, agent.headers)
  expect(body).toMatchObject({ tier: 'tier1', max_amount_now: 2_500 })
})

/** Adds agents to the tier. */
async function fillTier(tier: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newUuid(stage.clock.now()))
  await stage.db.database.query(
    `with filling as (select unnest($1::uuid[]) as id), opened as (
       insert into accounts (id, last_posted_ms, last_spent_ms, hour_from_ms, day_from_ms, ist_day)
       select id, 0, 0, 0, 0, 0 from filling)
     insert into agents (id, platform_id, owner_id, handle, name, tier, key_hash, key_last4, public_key, created_at)
     select id, id, id, id::text, 'An agent', $2, '', 'abcd', '', now() from filling`,
    [ids, tier],
  )
}

async function agentOf(tier: 'tier2' | 'tier3'): Promise<StageAgent> {
  const agent = await stage.newAgentOf(signedUp)
  await changeAgent(stage.db.database, agent.uuid, { tier })
  expect(await stage.payOnBoth(agent, payee, 10)).toEqual([200, 200])
  return agent
}

describe('a change of a tier with thousands of agents', () => {
  test('a changed tier applies after its response to the next payment of each agent on every node, without a cooldown', async () => {
    const first = await agentOf('tier2')
    await fillTier('tier2', 2_600)
    const last = await agentOf('tier2')
    for (const limit of [5, 7, 3]) {
      const { status, body } = await setTier('tier2', { per_tx: limit })
      expect([status, body['per_tx'], body['daily']]).toEqual([200, limit, 250_000])
      for (const agent of [first, last]) {
        expect(await stage.payOnBoth(agent, payee, limit)).toEqual([200, 200])
        expect(await stage.payOnBoth(agent, payee, limit + 0.01)).toEqual(['tier', 'tier'])
      }
    }
    expect(await selectUnannounced(stage.db.database)).toEqual([])
  })

  test('the job of another process finishes an announcement of a tier that a stopped process left unfinished', async () => {
    const { database } = stage.db
    const first = await agentOf('tier3')
    await stage.advance(1)
    await fillTier('tier3', 1_200)
    await stage.advance(1)
    const last = await agentOf('tier3')
    await database.inTransaction(async tx => {
      const limits = await lockTier(tx, TEST_VAULT, 'tier3')
      if (limits !== null) await updateTier(tx, TEST_VAULT, { ...limits, per_tx: paise(500n) })
    })
    expect(await announceTier({ ...stage, database, vault: TEST_VAULT }, 'tier3')).toBe(500)
    // The process stops here: the change is announced to the first agents and not to the last.
    expect(await stage.payOnBoth(first, payee, 5.01)).toEqual(['tier', 'tier'])
    expect(await stage.payOnBoth(last, payee, 5.01)).toEqual([200, 200])
    expect(await selectUnannounced(database)).toEqual(['tier3'])
    await stage.advance(1)
    expect(await selectUnannounced(database)).toEqual([])
    expect(await stage.payOnBoth(last, payee, 5.01)).toEqual(['tier', 'tier'])
    expect(await announceTier({ ...stage, database, vault: TEST_VAULT }, 'tier3')).toBe(0)
  })
})
