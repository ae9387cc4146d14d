import { expect } from 'vitest'
import { database } from '../../testing/database-test.ts'
import { factsDuring, secretsInLog } from '../../testing/facts.ts'
import { AS_ADMIN, network, signUp, signUpAgent, signUpOwner, test } from '../../testing/network-server.ts'
import { TEST_ADMIN } from '../../testing/test-server.ts'

const ADMIN = { type: 'admin', id: 'xxxxxx9999' } as const

let platformId: string
let ownerId: string
let agents: string[]

test.beforeAll(async () => {
  const platform = await signUp(network)
  platformId = platform.id
  ownerId = await signUpOwner(network, platform.headers)
  const sign = async () => (await signUpAgent(network, platform.headers, ownerId)).id
  agents = [await sign(), await sign()]
})

const during = (method: string, path: string, body?: unknown) =>
  factsDuring(database, () => network.ask(method, `/v1/admin/${path}`, AS_ADMIN, body))

const ofOwner = (action: string, data: object) => ({
  agentId: null,
  actor: ADMIN,
  action,
  target: ownerId,
  data: { platform_id: platformId, ...data },
})
const ofAgent = (action: string, agentId: string | undefined, data: object) => ({
  agentId,
  actor: ADMIN,
  action,
  target: agentId,
  data,
})

test('a changed tier is recorded once for the owner and once for each agent that changes with it', async () => {
  const set = () => during('PATCH', `owners/${ownerId}`, { tier: 'tier2' })
  const change = { from: 'sandbox', to: 'tier2' }
  const [first, ...others] = await set()
  expect(first).toEqual(ofOwner('owner.tier_changed', change))
  expect(sorted(others)).toEqual(sorted(agents.map(id => ofAgent('agent.tier_changed', id, change))))
  expect(await set()).toEqual([])
})

test('a freeze and an unfreeze are recorded once for the owner and once for each agent', async () => {
  const freeze = () => during('POST', `owners/${ownerId}/freeze`)
  const [frozen, ...stopped] = await freeze()
  expect(frozen).toEqual(ofOwner('owner.frozen', { from: 'active', to: 'frozen' }))
  expect(sorted(stopped)).toMatchObject(
    sorted(agents.map(id => ofAgent('agent.frozen', id, { to: 'frozen' }))),
  )
  expect(await freeze()).toEqual([])

  const unfreeze = () => during('POST', `owners/${ownerId}/unfreeze`)
  const [active, ...again] = await unfreeze()
  expect(active).toEqual(ofOwner('owner.unfrozen', { from: 'frozen', to: 'active' }))
  expect(sorted(again)).toMatchObject(
    sorted(agents.map(id => ofAgent('agent.restored', id, { from: 'frozen', to: 'active' }))),
  )
  expect(await unfreeze()).toEqual([])
})

test('a bulk request is recorded for each agent that it changed and for no other agent', async () => {
  const [one] = agents
  const bulk = (name: string, ids: unknown) => during('POST', `agents/bulk-${name}`, { agent_ids: ids })
  expect(await bulk('quarantine', [one, 'agt_nobody'])).toMatchObject([
    ofAgent('agent.quarantined', one, { from: 'active', to: 'quarantined' }),
  ])
  expect(await bulk('quarantine', [one])).toEqual([])
  expect(await bulk('restore', agents)).toMatchObject([ofAgent('agent.restored', one, { to: 'active' })])
  expect(await bulk('freeze', [one])).toMatchObject([ofAgent('agent.frozen', one, { to: 'frozen' })])
})

test('a refused request is not recorded', async () => {
  expect(await during('POST', 'owners/own_nobody/freeze')).toEqual([])
  expect(await during('PATCH', `owners/${ownerId}`, { tier: 'gold' })).toEqual([])
})

test('the audit log never contains the phone of the administrator', async () => {
  expect(await secretsInLog(database, [TEST_ADMIN.phone])).toEqual([])
})

function sorted<Entry extends { readonly target: string | undefined }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((left, right) => ((left.target ?? '') < (right.target ?? '') ? -1 : 1))
}
