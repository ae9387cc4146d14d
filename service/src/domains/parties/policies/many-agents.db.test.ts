import { afterAll, expect } from 'vitest'
import { type Database, openDatabase } from '../../../db/database.ts'
import type { OwnerCaller } from '../../../http/caller.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { startNode, type TestNode } from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { insertManyAgents } from '../../../testing/many-agents.ts'
import { type NetworkContext, networkContext, newOwner, newPlatform } from '../../../testing/network.ts'
import type { PolicySettingsContext } from './context.ts'
import {
  announceOwnerPolicies,
  cancelOwnerPolicyChange,
  changeOwnerPolicy,
  showOwnerPolicy,
} from './owner-policy.ts'
import { announceOwnerPolicy, lockOwnerPolicy, updateOwnerPolicy } from './owner-policy-store.ts'

const MANY = 1_000

let observer: Database
let network: NetworkContext
let node: TestNode
let context: PolicySettingsContext

test.beforeAll(async () => {
  observer = openDatabase(db.url)
  network = networkContext(database)
  node = startNode({ database, clock: network.clock })
  context = { ...network, agents: node.agents, ledger: node.ledger }
  // This agent gets no announcement: the versions of others are compared with its version.
  const { platform } = await newPlatform(network)
  const { id: ownerId } = await newOwner(network, platform.id)
  await insertManyAgents(database, { platformId: platform.id, ownerId }, 1)
})

afterAll(async () => {
  await node.ledger.close()
  await observer.close()
})

async function ownerOfMany(): Promise<{ readonly ownerId: Uuid; readonly caller: OwnerCaller }> {
  const { platform } = await newPlatform(network)
  const { id: ownerId } = await newOwner(network, platform.id)
  await insertManyAgents(database, { platformId: platform.id, ownerId }, MANY)
  return { ownerId, caller: { kind: 'owner', ownerIds: [ownerId], sessionId: ownerId } }
}

/** The number of the owner's agents by the number of changes announced to them. */
async function announcements(ownerId: Uuid): Promise<Record<number, number>> {
  const rows = await observer.query<{ version: number; count: bigint }>(
    `select c.agent_version - (select min(agent_version) from accounts) as version, count(*) as count
     from accounts c join agents a on a.id = c.id where a.owner_id = $1 group by 1 order by 1`,
    [ownerId],
  )
  return Object.fromEntries(rows.map(({ version, count }) => [version, Number(count)]))
}

/** Runs work while another transaction holds the locks of all accounts of the owner. */
async function whileLocked<T>(ownerId: Uuid, work: () => Promise<T>): Promise<T> {
  return observer.inTransaction(async tx => {
    await tx.query(
      `select c.id from accounts c join agents a on a.id = c.id where a.owner_id = $1 order by c.id for update of c`,
      [ownerId],
    )
    return work()
  })
}

test('a change of nothing and the cancellation of no pending change lock no account', async () => {
  const { ownerId, caller } = await ownerOfMany()
  await changeOwnerPolicy(context, caller, undefined, { spend_limit_daily: 40 })
  const before = await announcements(ownerId)
  await whileLocked(ownerId, async () => {
    await expect(
      cancelOwnerPolicyChange(context, caller, undefined, 'spend_limit_daily'),
    ).rejects.toMatchObject({ name: 'AppError' })
    const same = await changeOwnerPolicy(context, caller, undefined, { spend_limit_daily: 40 })
    expect(same.policy.spend_limit_daily).toBe(40)
  })
  expect(await announcements(ownerId)).toEqual(before)
})

test('before the response to a change of an owner’s policy, the change is announced to every agent', async () => {
  const { ownerId, caller } = await ownerOfMany()
  await changeOwnerPolicy(context, caller, undefined, { spend_limit_daily: 40 })
  expect(await announcements(ownerId)).toEqual({ 1: MANY })
})

test('during an announcement no transaction holds the locks of more than one batch of accounts', async () => {
  const { ownerId } = await ownerOfMany()
  await database.inTransaction(async tx => {
    await updateOwnerPolicy(tx, context.vault, ownerId, await lockOwnerPolicy(tx, context.vault, ownerId))
  })
  expect(await announceOwnerPolicy(context, ownerId)).toBeLessThanOrEqual(200)
})

test('the job finishes an announcement that a stopped process left unfinished, once for each agent', async () => {
  const { ownerId, caller } = await ownerOfMany()
  await database.inTransaction(async tx => {
    await updateOwnerPolicy(tx, context.vault, ownerId, await lockOwnerPolicy(tx, context.vault, ownerId))
  })
  const first = await announceOwnerPolicy(context, ownerId)
  expect(await announcements(ownerId)).toEqual({ 0: MANY - first, 1: first })
  while ((await announceOwnerPolicies(context)) > 0);
  expect(await announcements(ownerId)).toEqual({ 1: MANY })
  expect((await showOwnerPolicy(context, caller, undefined)).owner_id).toBeTruthy()
})

test('a repeated change returns only after an unfinished announcement is finished', async () => {
  const { ownerId, caller } = await ownerOfMany()
  const { policy } = await showOwnerPolicy(context, caller, undefined)
  await database.inTransaction(async tx => {
    await updateOwnerPolicy(tx, context.vault, ownerId, await lockOwnerPolicy(tx, context.vault, ownerId))
  })
  await changeOwnerPolicy(context, caller, undefined, { spend_limit_daily: policy.spend_limit_daily })
  expect(await announcements(ownerId)).toEqual({ 1: MANY })
})
