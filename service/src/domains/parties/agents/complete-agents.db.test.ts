import { beforeEach, expect } from 'vitest'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { insertAgent } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import {
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
} from '../../../testing/network.ts'
import { checkCertificate } from '../../signing/certificates/check.ts'
import { completeAgents } from './complete-agents.ts'
import { isGenuineAgent, type StoredIdentity } from './identity-mac.ts'

let context: NetworkContext

test.beforeAll(async () => {
  context = networkContext(database)
})
beforeEach(() => database.query(`delete from agents where seal is null`))

async function isGenuine(id: Uuid): Promise<boolean> {
  const [agent] = await database.query<StoredIdentity>(
    `select id, platform_id as "platformId", owner_id as "ownerId", handle, public_key as "publicKey",
       created_at as "createdAt", seal as mac
     from agents where id = $1`,
    [id],
  )
  if (agent === undefined) throw new Error('there is no such agent')
  return isGenuineAgent(context.vault, agent)
}

async function certificatesOf(id: Uuid): Promise<Uuid[]> {
  const rows = await database.query<{ id: Uuid }>(`select id from certificates where agent_id = $1`, [id])
  return rows.map(row => row.id)
}

test('agents created before MACs existed get a MAC and a certificate once, however many nodes start', async () => {
  const now = context.clock.now()
  const ids: Uuid[] = []
  for (let made = 0; made < 205; made++) ids.push(await insertAgent(database, now))
  const ended = await insertAgent(database, now, { status: 'deactivated' })
  const completed = await Promise.all([1, 2, 3].map(() => completeAgents(context)))
  expect(completed.reduce((sum, count) => sum + count, 0)).toBe(ids.length + 1)
  for (const id of [...ids.slice(0, 3), ...ids.slice(-3)]) {
    expect(await isGenuine(id)).toBe(true)
    const [certificate = '', ...more] = await certificatesOf(id)
    expect(more).toEqual([])
    const validity = await checkCertificate(context, formatId('cert', certificate), context.clock.now())
    expect(validity).toEqual({ valid: true, reason: 'ok' })
  }
  expect([await isGenuine(ended), await certificatesOf(ended)]).toEqual([true, []])
  expect(await completeAgents(context)).toBe(0)
})

test('an agent whose MAC was removed from the database gets no new one', async () => {
  const { platform } = await newPlatform(context)
  const { agent } = await newAgent(context, await newOwner(context, platform.id))
  const bare = await insertAgent(database, context.clock.now(), { status: 'deactivated' })
  await completeAgents(context)
  for (const id of [agent.id, bare]) {
    await database.query(`update agents set handle = $2, seal = null where id = $1`, [id, `not-${id}`])
  }
  expect(await completeAgents(context)).toBe(0)
  expect([await isGenuine(agent.id), await isGenuine(bare)]).toEqual([false, false])
})
