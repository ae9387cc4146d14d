import { expect } from 'vitest'
import { formatId } from '../../../kernel/ids.ts'
import { service } from '../../../operations/facts.ts'
import { database, test } from '../../../testing/database-test.ts'
import {
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  randomHandle,
} from '../../../testing/network.ts'
import { deletePlatform } from '../platforms/delete-platform.ts'
import { deactivateAgent } from './change-agent.ts'

let context: NetworkContext

test.beforeAll(async () => {
  context = networkContext(database)
})

async function countedOf(platformId: string): Promise<{ readonly counted: bigint; readonly living: bigint }> {
  const [row] = await database.query<{ counted: bigint; living: bigint }>(
    `select (select living from platform_agent_counts where platform_id = $1) as counted,
       (select count(*) from agents where platform_id = $1 and status <> 'deactivated') as living`,
    [platformId],
  )
  return row ?? { counted: -1n, living: -1n }
}

const failed = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))

test('concurrent creations never give an owner more agents than the maximum', async () => {
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  const capped = { ...context, maxAgentsPerOwner: 5 }
  const refused = failed(await Promise.allSettled(Array.from({ length: 12 }, () => newAgent(capped, owner))))
  expect(refused).toHaveLength(7)
  for (const error of refused) expect(error).toMatchObject({ code: 'conflict', details: { max_agents: 5 } })
  expect(await countedOf(platform.id)).toEqual({ counted: 5n, living: 5n })
  // Another owner of the platform has a count of its own.
  await newAgent(capped, await newOwner(context, platform.id))
})

test('concurrent creations for all owners never give a platform more agents than the maximum', async () => {
  const { platform } = await newPlatform(context)
  const owners = await Promise.all(Array.from({ length: 4 }, () => newOwner(context, platform.id)))
  const capped = { ...context, maxAgentsPerPlatform: 9 }
  const creations = owners.flatMap(owner => Array.from({ length: 4 }, () => newAgent(capped, owner)))
  const refused = failed(await Promise.allSettled(creations))
  expect(refused).toHaveLength(7)
  for (const error of refused) expect(error).toMatchObject({ code: 'conflict', details: { max_agents: 9 } })
  expect(await countedOf(platform.id)).toEqual({ counted: 9n, living: 9n })
})

test('a deactivated agent is subtracted once, however often it is deactivated', async () => {
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  const capped = { ...context, maxAgentsPerOwner: 2, maxAgentsPerPlatform: 2 }
  const { agent } = await newAgent(capped, owner)
  await newAgent(capped, owner)
  await expect(newAgent(capped, owner)).rejects.toMatchObject({ code: 'conflict' })
  const caller = { kind: 'platform', platformId: platform.id } as const
  await Promise.all([1, 2, 3].map(() => deactivateAgent(context, caller, formatId('agt', agent.id))))
  expect(await countedOf(platform.id)).toEqual({ counted: 1n, living: 1n })
  await newAgent(capped, owner)
  await expect(newAgent(capped, owner)).rejects.toMatchObject({ code: 'conflict' })
})

test('the count stays right after a failed creation and after the deletion of a platform', async () => {
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  const handle = randomHandle()
  await newAgent(context, owner, { handle })
  await expect(newAgent(context, owner, { handle })).rejects.toMatchObject({ code: 'conflict' })
  expect(await countedOf(platform.id)).toEqual({ counted: 1n, living: 1n })
  await deletePlatform(context, service('test'), platform.id)
  expect(await countedOf(platform.id)).toEqual({ counted: 0n, living: 0n })
})
