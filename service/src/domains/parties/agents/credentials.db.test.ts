import { describe, expect } from 'vitest'
import { formatId } from '../../../kernel/ids.ts'
import { database, test } from '../../../testing/database-test.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import {
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  platformCaller,
  randomHandle,
  TEST_VAULT,
} from '../../../testing/network.ts'
import type { Owner } from '../owners/store.ts'
import { deactivateAgent, rotateAgentKey, updatePolicy } from './change-agent.ts'
import { authenticateAgent, openAgentKeyCache } from './credentials.ts'
import { openHandleCache } from './find-agent.ts'

let context: NetworkContext
let owner: Owner

test.beforeAll(async () => {
  context = networkContext(database)
  const { platform } = await newPlatform(context)
  owner = await newOwner(context, platform.id)
})

describe('keys', () => {
  test('after a rotation the old key fails at once and the new one works', async () => {
    const { agent, agentKey } = await newAgent(context, owner)
    const rotated = await rotateAgentKey(context, platformCaller(owner.platformId), formatId('agt', agent.id))
    expect(rotated.agent.keyLast4).toBe(rotated.agentKey.slice(-4))
    expect(await authenticateAgent(database, TEST_VAULT, agentKey)).toBeNull()
    expect(await authenticateAgent(database, TEST_VAULT, rotated.agentKey)).toEqual({
      kind: 'agent',
      agentId: agent.id,
      platformId: agent.platformId,
      ownerId: agent.ownerId,
      keyHash: TEST_VAULT.credentialHash(rotated.agentKey, 'agents.key'),
    })
  })

  test('the key of a deactivated agent fails, and the agent cannot get a new one', async () => {
    const { agent, agentKey } = await newAgent(context, owner)
    const caller = platformCaller(owner.platformId)
    await deactivateAgent(context, caller, formatId('agt', agent.id))
    await deactivateAgent(context, caller, formatId('agt', agent.id))
    expect(await authenticateAgent(database, TEST_VAULT, agentKey)).toBeNull()
    const refused = await refusalOf(rotateAgentKey(context, caller, formatId('agt', agent.id)))
    expect(refused).toMatchObject({ code: 'conflict' })
    const changed = await refusalOf(
      updatePolicy(context, caller, formatId('agt', agent.id), { name: 'Ghost' }),
    )
    expect(changed).toMatchObject({ code: 'conflict' })
  })

  test.each(['', 'agk_live_', `agk_live_${'x'.repeat(43)}`, `sk_live_${'x'.repeat(43)}`, "' or '1'='1"])(
    'the key %j is nobody’s',
    async key => {
      expect(await authenticateAgent(database, TEST_VAULT, key)).toBeNull()
      expect(await openAgentKeyCache(database, TEST_VAULT).authenticate(key)).toBeNull()
    },
  )

  test('the key cache returns a known key without a query until it is evicted, and queries an unknown key each time', async () => {
    const { agent, agentKey } = await newAgent(context, owner)
    const agentKeys = openAgentKeyCache(database, TEST_VAULT)
    const first = agentKeys.authenticate(agentKey)
    expect(first).toBeInstanceOf(Promise)
    const caller = await first
    expect(caller).toMatchObject({ agentId: agent.id })
    expect(agentKeys.authenticate(agentKey)).toEqual(caller)
    if (caller !== null) agentKeys.forget(caller)
    expect(agentKeys.authenticate(agentKey)).toBeInstanceOf(Promise)
  })
})

describe('finding an agent by name', () => {
  test('a handle in upper or lower case finds its agent, the second time without a query', async () => {
    const { agent } = await newAgent(context, owner)
    const findAgent = openHandleCache(database, TEST_VAULT)
    expect(findAgent(formatId('agt', agent.id))).toBe(agent.id)
    expect(await findAgent(`@${agent.handle.toUpperCase()}`)).toBe(agent.id)
    expect(findAgent(agent.handle)).toBe(agent.id)
  })

  test('a handle that was free is found once it is taken', async () => {
    const handle = randomHandle()
    const findAgent = openHandleCache(database, TEST_VAULT)
    expect(await findAgent(handle)).toBeNull()
    const { agent } = await newAgent(context, owner, { handle })
    expect(await findAgent(handle)).toBe(agent.id)
    expect(findAgent('no handle')).toBeNull()
  })
})
