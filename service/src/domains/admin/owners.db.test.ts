import { expect } from 'vitest'
import { database } from '../../testing/database-test.ts'
import {
  AS_ADMIN,
  ask,
  asOwner,
  type Headers,
  network,
  signUp,
  signUpAgent,
  signUpOwner,
  test,
} from '../../testing/network-server.ts'

let platformId: string
let platform: Headers

test.beforeAll(async () => {
  const signedUp = await signUp(network)
  platformId = signedUp.id
  platform = signedUp.headers
})

const account = (id: string) => ask('GET', `/v1/admin/owners/${id}`, AS_ADMIN)
const setTier = (id: string, tier: unknown, headers: Headers = AS_ADMIN) =>
  ask('PATCH', `/v1/admin/owners/${id}`, headers, { tier })
const verify = (id: string) =>
  ask('POST', `/v1/owners/${id}/kyc`, platform, { bank_account: '123456789012', bank_ifsc: 'HDFC0001234' })

async function tiersOf(ownerId: string): Promise<unknown[]> {
  const { body } = await ask('GET', `/v1/agents?owner_id=${ownerId}`, platform)
  return (body['agents'] as { status: string; tier: string }[]).map(({ status, tier }) => `${status} ${tier}`)
}

test('an administrator sees any owner with its platform, its agents by state and their total balance', async () => {
  const ownerId = await signUpOwner(network, platform)
  const agents = [
    await signUpAgent(network, platform, ownerId),
    await signUpAgent(network, platform, ownerId),
    await signUpAgent(network, platform, ownerId),
  ]
  await ask('POST', `/v1/agents/${agents[0]?.id}/pause`, platform)
  await ask('DELETE', `/v1/agents/${agents[1]?.id}`, platform)
  await database.query(
    `update accounts set balance_paise = 12345
     where id in (select a.id from agents a where a.handle = any($1::text[]))`,
    [agents.slice(0, 2).map(({ handle }) => handle)],
  )
  const asPlatform = await ask('GET', `/v1/owners/${ownerId}`, platform)
  expect(await account(ownerId)).toMatchObject({
    status: 200,
    body: {
      ...asPlatform.body,
      platform_id: platformId,
      agents: { total: 3, active: 1, paused: 1, quarantined: 0, frozen: 0, deactivated: 1 },
      total_balance: 246.9,
    },
  })
  expect((await account('own_none')).status).toBe(404)
})

test('owners of all platforms are listed newest first and can be filtered by status and by KYC status', async () => {
  const other = (await signUp(network)).headers
  const frozen = await signUpOwner(network, platform)
  const verified = await signUpOwner(network, other)
  await ask('POST', `/v1/admin/owners/${frozen}/freeze`, AS_ADMIN)
  await ask('POST', `/v1/owners/${verified}/kyc`, other, {
    bank_account: '123456789012',
    bank_ifsc: 'HDFC0001234',
  })
  const ids = async (query: string) => {
    const { status, body } = await ask('GET', `/v1/admin/owners${query}`, AS_ADMIN)
    expect(status).toBe(200)
    return (body['owners'] as { owner_id: string }[]).map(({ owner_id }) => owner_id)
  }
  const all = await ids('?limit=100')
  expect(all.slice(0, 2)).toEqual([verified, frozen])
  expect(await ids('?status=frozen')).toEqual([frozen])
  expect(await ids('?kyc_status=verified')).toEqual([verified])
  expect(await ids('?kyc_status=verified&status=frozen')).toEqual([])
  expect(await ids('?limit=1&offset=1')).toEqual([frozen])
  const first = await ask('GET', '/v1/admin/owners?limit=1', AS_ADMIN)
  const { next_cursor, total } = first.body['pagination'] as { next_cursor: string; total: number }
  expect(total).toBe(all.length)
  expect(await ids(`?limit=1&cursor=${next_cursor}`)).toEqual([frozen])
  for (const headers of [{}, platform, asOwner(frozen)]) {
    expect((await ask('GET', '/v1/admin/owners', headers)).status).toBe(401)
  }
  expect((await ask('GET', '/v1/admin/owners?status=gone', AS_ADMIN)).status).toBe(400)
})

test('a tier is set for the owner and for every agent that is not deactivated, up or down', async () => {
  const ownerId = await signUpOwner(network, platform)
  const ended = await signUpAgent(network, platform, ownerId)
  await signUpAgent(network, platform, ownerId)
  await ask('DELETE', `/v1/agents/${ended.id}`, platform)
  for (const tier of ['tier3', 'tier1', 'tier1', 'sandbox']) {
    expect(await setTier(ownerId, tier)).toMatchObject({ status: 200, body: { owner_id: ownerId, tier } })
    expect(await tiersOf(ownerId)).toEqual([`active ${tier}`, 'deactivated sandbox'])
  }
  await setTier(ownerId, 'tier2')
  await signUpAgent(network, platform, ownerId)
  expect((await tiersOf(ownerId))[0]).toBe('active tier2')
  for (const tier of ['tier4', null, 1]) expect((await setTier(ownerId, tier)).status).toBe(400)
  expect((await setTier('own_none', 'tier1')).status).toBe(404)
  expect((await setTier(ownerId, 'tier3', platform)).status).toBe(401)
})

test('verifying another bank account does not undo a tier that an administrator set', async () => {
  const ownerId = await signUpOwner(network, platform)
  await signUpAgent(network, platform, ownerId)
  await verify(ownerId)
  expect(await tiersOf(ownerId)).toEqual(['active tier1'])
  await setTier(ownerId, 'sandbox')
  await verify(ownerId)
  expect(await tiersOf(ownerId)).toEqual(['active sandbox'])
  await setTier(ownerId, 'tier3')
  await verify(ownerId)
  expect(await tiersOf(ownerId)).toEqual(['active tier3'])
})
