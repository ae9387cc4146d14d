import { verify } from 'node:crypto'
import type { Agent, AgentOrigins, IdentityVerification } from '@batua/contract'
import { expect } from 'vitest'
import { parseId } from '../../../kernel/ids.ts'
import { canonicalJson } from '../../../kernel/signing.ts'
import { AS_ADMIN, type Body } from '../../../testing/network-server.ts'
import { type Side, stage, test } from './testing/identity-stage.ts'

const SHOP = 'https://shop.example'
let side: Side

test.beforeAll(async () => {
  side = await stage.newSide()
})

const path = (agent = side) => `/v1/agents/${agent.agentId}`
const name = (origins: Body[string], who = side.platform) => stage.outcome('PATCH', path(), who, { origins })
const published = (handle = side.handle) => stage.get<AgentOrigins>(`/v1/agents/${handle}/origins`, {})

async function isSigned({ signature, ...content }: AgentOrigins): Promise<boolean> {
  const key = await stage.context.signingKeys.byId(content.key_id)
  if (key === null) return false
  return verify(
    null,
    Buffer.from(canonicalJson(content)),
    key.publicKeyObject,
    Buffer.from(signature, 'base64'),
  )
}

test('anyone can read the signed origins of a payee by handle or id, also if it names none', async () => {
  const fresh = await stage.newSide()
  for (const address of [fresh.handle, `@${fresh.handle.toUpperCase()}`, fresh.agentId]) {
    const document = await published(encodeURIComponent(address))
    expect(document).toMatchObject({
      agent_id: fresh.agentId,
      handle: fresh.handle,
      origins: [],
      issuer: 'batua',
    })
    expect(await isSigned(document)).toBe(true)
  }
  expect(await stage.outcome('GET', '/v1/agents/nobody-here/origins')).toEqual([404, 'not_found'])
})

test('the platform and the owner of a payee can set its origins, which are stored in normal form', async () => {
  expect(await name(['HTTPS://Shop.Example:443/', SHOP, 'https://bücher.example.'])).toEqual([200, null])
  const origins = [SHOP, 'https://xn--bcher-kva.example']
  const document = await published()
  expect(document.origins).toEqual(origins)
  expect(await isSigned(document)).toBe(true)
  expect((await stage.get<Agent>(path(), side.agent)).origins).toEqual(origins)
  const identity = await stage.get<IdentityVerification>(`/v1/identity/${side.agentId}/verify`, side.agent)
  expect(identity.origins).toEqual(origins)
  expect(await name([SHOP], side.owner)).toEqual([200, null])
  expect(await name([SHOP], side.agent)).toEqual([401, 'authentication_error'])
  expect((await published()).origins).toEqual([SHOP])
  expect(await name([])).toEqual([200, null])
  expect((await published()).origins).toEqual([])
})

test('an invalid origin and more than ten origins are refused and change nothing', async () => {
  await name([SHOP])
  const eleven = Array.from({ length: 11 }, (_, index) => `https://shop-${index}.example`)
  const wrong = [
    [SHOP, `${SHOP}/path`],
    ['http://shop.example'],
    ['https://user@shop.example'],
    eleven,
    SHOP,
    null,
    [7],
  ]
  for (const origins of wrong) expect(await name(origins)).toEqual([400, 'validation_error'])
  expect((await published()).origins).toEqual([SHOP])
})

test('in sandbox mode an origin may be http on the local machine', async () => {
  expect(await name(['http://127.0.0.1:4020'])).toEqual([200, null])
  expect((await published()).origins).toEqual(['http://127.0.0.1:4020'])
})

test('a change of origins is recorded, and setting the same origins again is not', async () => {
  const fresh = await stage.newSide()
  const change = (origins: string[]) => stage.outcome('PATCH', path(fresh), fresh.platform, { origins })
  await change([SHOP])
  await change([SHOP])
  const row = `agents/${parseId('agt', fresh.agentId)}`
  expect(await factsOf(fresh)).toEqual([{ origins: { from: [], to: [SHOP] }, row, row_version: 2 }])
})

async function factsOf({ agentId }: Side): Promise<unknown[]> {
  const rows = await stage.db.database.query<{ data: string }>(
    "select data from audit_entries where agent_id = $1 and action = 'agent.updated' order by id",
    [parseId('agt', agentId)],
  )
  return rows.map(({ data }): unknown => JSON.parse(data))
}

/** The statuses of the payee's public routes after an attack on the rows of its origins. */
async function afterAttack(statement: string): Promise<unknown[]> {
  const fresh = await stage.newSide()
  const { database } = stage.db
  const id = parseId('agt', fresh.agentId)
  const change = (origins: string[]) => stage.outcome('PATCH', path(fresh), fresh.platform, { origins })
  await change(['https://sold.example'])
  await database.query('drop table if exists old_origins, old_agents')
  await database.query('create table old_origins as select * from agent_origins')
  await database.query('create table old_agents as select * from agents')
  await change([SHOP])
  for (const each of statement.split(';')) await database.query(each, each.includes('$1') ? [id] : [])
  return [
    await stage.outcome('GET', `/v1/agents/${fresh.handle}/origins`),
    await stage.outcome('GET', `/v1/identity/${fresh.agentId}/verify`, fresh.platform),
    await change(['https://sold.example', SHOP]),
  ]
}

const REFUSED = [500, 'internal_error']

test.each([
  ['changed', `update agent_origins set origins = '{https://thief.example}' where agent_id = $1`],
  ['deleted', 'delete from agent_origins where agent_id = $1'],
  [
    'put back as they were before',
    `update agent_origins n set origins = o.origins from old_origins o
     where n.agent_id = $1 and o.agent_id = n.agent_id`,
  ],
])('origins that were %s in the database are not signed and cannot be changed', async (_, attack) => {
  expect(await afterAttack(attack)).toEqual([REFUSED, REFUSED, REFUSED])
})

test('older origins restored together with the older row of their agent are not signed and cannot be changed', async () => {
  const attack = `update agent_origins n set origins = o.origins from old_origins o
      where n.agent_id = $1 and o.agent_id = n.agent_id;
    delete from agents where id = $1; insert into agents select * from old_agents where id = $1`
  expect(await afterAttack(attack)).toEqual([REFUSED, REFUSED, REFUSED])
})

test('a change of origins and a limit in one request is recorded with the version of the agent', async () => {
  const fresh = await stage.newSide()
  const change = { origins: [SHOP], spend_limit_per_tx: 10 }
  expect(await stage.outcome('PATCH', path(fresh), fresh.platform, change)).toEqual([200, null])
  expect(await factsOf(fresh)).toMatchObject([
    { origins: { from: [], to: [SHOP] }, row: `agents/${parseId('agt', fresh.agentId)}` },
  ])
  expect((await published(fresh.handle)).origins).toEqual([SHOP])
})

test('the origins of a deactivated payee cannot be changed', async () => {
  const fresh = await stage.newSide()
  await stage.outcome('DELETE', path(fresh), fresh.platform)
  expect(await stage.outcome('PATCH', path(fresh), fresh.platform, { origins: [SHOP] })).toEqual([
    409,
    'conflict',
  ])
})

test('while the owner is frozen, no origin can be added, and all origins but the last can be removed', async () => {
  const other = 'https://other.example'
  const fresh = await stage.newSide()
  const change = (body: Body, who = fresh.platform) => stage.outcome('PATCH', path(fresh), who, body)
  await change({ origins: [SHOP, other] })
  await stage.post(`/v1/admin/owners/${fresh.ownerId}/freeze`, AS_ADMIN)
  for (const who of [fresh.platform, fresh.owner]) {
    for (const origins of [[SHOP, other, 'https://thief.example'], ['https://thief.example']]) {
      expect(await change({ origins }, who)).toEqual([409, 'conflict'])
    }
  }
  expect(await change({ origins: ['https://thief.example'], spend_limit_per_tx: 1 })).toEqual([
    409,
    'conflict',
  ])
  expect(await change({ origins: [other, `${SHOP}:443/`], name: 'Renamed' })).toEqual([200, null])
  expect(await change({ origins: [other] })).toEqual([200, null])
  expect(await change({ origins: [SHOP, other] })).toEqual([409, 'conflict'])
  expect((await published(fresh.handle)).origins).toEqual([other])
  for (const who of [fresh.platform, fresh.owner]) {
    expect(await change({ origins: [] }, who)).toEqual([409, 'conflict'])
  }
  expect((await published(fresh.handle)).origins).toEqual([other])
  await stage.post(`/v1/admin/owners/${fresh.ownerId}/unfreeze`, AS_ADMIN)
  expect(await change({ origins: [] })).toEqual([200, null])
})
