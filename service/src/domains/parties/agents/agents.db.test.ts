import { describe, expect } from 'vitest'
import { writeMacs } from '../../../db/row-mac.ts'
import type { AppError } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { newKeyPair } from '../../../kernel/signing.ts'
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
import { someoneWaitsForLock } from '../../../testing/wait-for-lock.ts'
import { OWNER_ROWS, type Owner } from '../owners/store.ts'
import { agentRecord } from './agent-record.ts'
import { deactivateAgent, rotateAgentKey, updatePolicy } from './change-agent.ts'
import { selectAgent } from './store.ts'

let context: NetworkContext
let owner: Owner

test.beforeAll(async () => {
  context = networkContext(database)
  const { platform } = await newPlatform(context)
  owner = await newOwner(context, platform.id)
})

describe('creating an agent', () => {
  test('a new agent is active, has an empty wallet, and its key is not stored in a readable form', async () => {
    const { agent, agentKey } = await newAgent(context, owner, { handle: '@Researcher', name: 'Cafe\u0301' })
    expect(agent).toMatchObject({
      handle: 'researcher',
      name: 'Caf\u00e9',
      status: 'active',
      tier: 'sandbox',
    })
    expect(await selectAgent(database, agent.id)).toEqual(agent)

    const [account] = await database.query(`select balance_paise, sequence from accounts where id = $1`, [
      agent.id,
    ])
    expect(account).toEqual({ balance_paise: 0n, sequence: 0n })
    const [row] = await database.query<{ text: string; key_hash: Buffer; public_key: string }>(
      `select a::text as text, key_hash, public_key from agents a where id = $1`,
      [agent.id],
    )
    expect(row?.text).not.toContain(agentKey)
    expect(row?.text).not.toContain('PRIVATE KEY')
    expect(row?.key_hash).toEqual(context.vault.credentialHash(agentKey, 'agents.key'))
    expect(Buffer.from(row?.public_key ?? '', 'base64')).toHaveLength(32)
  })

  test('of two concurrent creations with one handle exactly one succeeds, and the other stores nothing', async () => {
    const handle = randomHandle()
    const before = await counts()
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        newAgent(context, owner, { handle: index % 2 === 0 ? handle : `@${handle.toUpperCase()}` }),
      ),
    )
    const lost = results
      .filter(result => result.status === 'rejected')
      .map(result => result.reason as AppError)
    expect(lost).toHaveLength(7)
    for (const error of lost) expect(error).toMatchObject({ code: 'conflict', field: 'handle' })
    expect(await counts()).toEqual({
      agents: before.agents + 1n,
      accounts: before.accounts + 1n,
      handles: before.handles + 1n,
    })
  })

  test('a handle stays taken after its agent is deactivated', async () => {
    const { agent } = await newAgent(context, owner)
    await deactivateAgent(context, platformCaller(owner.platformId), formatId('agt', agent.id))
    expect(await refusalOf(newAgent(context, owner, { handle: agent.handle }))).toMatchObject({
      code: 'conflict',
    })
  })

  test('an owner of another platform is not found', async () => {
    const { platform: stranger } = await newPlatform(context)
    const work = newAgent(context, { ...owner, platformId: stranger.id })
    expect(await refusalOf(work)).toMatchObject({ code: 'not_found', field: 'owner_id' })
  })

  test('no agent can be created for a frozen owner', async () => {
    const frozen = await newOwner(context, owner.platformId)
    await database.query(`update owners set status = 'frozen' where id = $1`, [frozen.id])
    await writeMacs(database, context.vault, OWNER_ROWS, [frozen.id])
    expect(await refusalOf(newAgent(context, frozen))).toMatchObject({ code: 'conflict' })
  })

  test('the creation of an agent waits for a concurrent freeze of its owner and is then refused', async () => {
    const frozen = await newOwner(context, owner.platformId)
    let creation: Promise<unknown> = Promise.resolve()
    await database.inTransaction(async tx => {
      await tx.query(`update owners set status = 'frozen' where id = $1`, [frozen.id])
      await writeMacs(tx, context.vault, OWNER_ROWS, [frozen.id])
      creation = refusalOf(newAgent(context, frozen))
      await someoneWaitsForLock(database)
    })
    expect(await creation).toMatchObject({ code: 'conflict' })
  })

  test('the public key of the caller is stored, and no private key is needed', async () => {
    const { publicKey } = newKeyPair()
    const { agent } = await newAgent(context, owner, { public_key: publicKey })
    const [row] = await database.query(`select public_key, private_key from agents where id = $1`, [agent.id])
    expect(row).toEqual({ public_key: publicKey, private_key: null })
  })

  test.each(['', 'AAAA', 'A'.repeat(43), `${'A'.repeat(42)}B=`, '*'.repeat(44)])(
    'the public key %j is refused',
    async publicKey => {
      const error = await refusalOf(newAgent(context, owner, { public_key: publicKey }))
      expect(error).toMatchObject({ code: 'validation_error', field: 'public_key' })
    },
  )
})

describe('policy', () => {
  test('limits are returned to the paisa, absent controls are unchanged, and null clears a control', async () => {
    const { agent: other } = await newAgent(context, owner)
    const otherId = formatId('agt', other.id)
    const { agent } = await newAgent(context, owner, {
      spend_limit_per_tx: 0.29,
      spend_limit_daily: 10_000_000_000,
      max_counterparties_per_hour: 0,
      allowed_payees: [otherId],
      blocked_payee_agents: [otherId],
    })
    const atOnce = { ...context, limitIncreaseCooldownS: 0 }
    const change = (body: Parameters<typeof updatePolicy>[3]) =>
      updatePolicy(atOnce, platformCaller(owner.platformId), formatId('agt', agent.id), body)

    await change({ spend_limit_hourly: 0 })
    expect(await policyOf(agent.id)).toMatchObject({
      spend_limit_per_tx: 0.29,
      spend_limit_hourly: 0,
      spend_limit_daily: 10_000_000_000,
      spend_limit_monthly: null,
      max_counterparties_per_hour: 0,
      allowed_payees: [otherId],
      blocked_payee_agents: [otherId],
    })

    await change({
      spend_limit_per_tx: null,
      allowed_payees: null,
      blocked_payee_agents: null,
      name: 'New name',
    })
    expect(await policyOf(agent.id)).toMatchObject({
      spend_limit_per_tx: null,
      spend_limit_hourly: 0,
      allowed_payees: ['network'],
      blocked_payee_agents: [],
    })
    expect((await selectAgent(database, agent.id))?.name).toBe('New name')
  })

  test('a list with "network" and agent ids is refused with the index of the field, and nothing changes', async () => {
    const { agent } = await newAgent(context, owner)
    const address = formatId('agt', agent.id)
    const work = updatePolicy(context, platformCaller(owner.platformId), address, {
      allowed_payees: [address, 'network'],
      spend_limit_daily: 1,
    })
    expect(await refusalOf(work)).toMatchObject({ code: 'validation_error', field: 'allowed_payees.1' })
    expect(await policyOf(agent.id)).toMatchObject({ allowed_payees: ['network'], spend_limit_daily: null })
  })

  test('a change waits for a payment that has locked the account', async () => {
    const { agent } = await newAgent(context, owner)
    let change: Promise<unknown> = Promise.resolve()
    let changed = false
    await database.inTransaction(async tx => {
      await tx.query(`select id from accounts where id = $1 for no key update`, [agent.id])
      change = deactivateAgent(context, platformCaller(owner.platformId), formatId('agt', agent.id)).then(
        () => {
          changed = true
        },
      )
      await someoneWaitsForLock(database)
      expect(changed).toBe(false)
      expect((await selectAgent(tx, agent.id))?.status).toBe('active')
    })
    await change
    expect((await selectAgent(database, agent.id))?.status).toBe('deactivated')
  })
})

describe('access to an agent', () => {
  test('an agent of another platform is refused, an unknown agent is not found, and neither takes a lock', async () => {
    const { agent } = await newAgent(context, owner)
    const { platform: stranger } = await newPlatform(context)
    const rotate = (address: string) => rotateAgentKey(context, platformCaller(stranger.id), address)
    await database.inTransaction(async tx => {
      await tx.query(`select id from accounts where id = $1 for no key update`, [agent.id])
      expect(await refusalOf(rotate(formatId('agt', agent.id)))).toMatchObject({
        code: 'authorization_error',
      })
    })
    for (const address of [formatId('agt', owner.id), agent.handle, 'agt_', "agt_' or 1=1 --"]) {
      expect(await refusalOf(rotate(address))).toMatchObject({ code: 'not_found' })
    }
  })

  test('the platform sees the vendor id and the agent never does', async () => {
    const { agent } = await newAgent(context, owner)
    const shown = agentRecord(TEST_VAULT, platformCaller(owner.platformId), agent)
    expect(shown.vendor_id).toMatch(/^vendor_[A-Z]{5}\d{4}[A-Z]_agt_[0-9a-z]{26}$/)
    const identity = { agentId: agent.id, platformId: agent.platformId, ownerId: agent.ownerId }
    const own = agentRecord(TEST_VAULT, { kind: 'agent', ...identity, keyHash: agent.keyHash }, agent)
    expect(own).not.toHaveProperty('vendor_id')
  })
})

async function policyOf(id: Uuid) {
  const agent = await selectAgent(database, id)
  return agent === null ? null : agentRecord(TEST_VAULT, platformCaller(agent.platformId), agent).policy
}

async function counts() {
  const [row] = await database.query<{ agents: bigint; accounts: bigint; handles: bigint }>(
    `select (select count(*) from agents) as agents, (select count(*) from accounts) as accounts,
       (select count(*) from handles) as handles`,
  )
  return row ?? { agents: 0n, accounts: 0n, handles: 0n }
}
