import { afterAll, describe, expect } from 'vitest'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { type Ledger, openAccount, openLedger, SYSTEM } from '../../../ledger/index.ts'
import { service } from '../../../operations/facts.ts'
import { database, test } from '../../../testing/database-test.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { insertManyAgents } from '../../../testing/many-agents.ts'
import {
  agentCaller,
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
import { insertAgent, lockSponsor, selectAgent } from '../agents/store.ts'
import { requirePlatformAccess } from './access.ts'
import { createPlatform } from './create-platform.ts'
import { createAuthenticators } from './credentials.ts'
import { deletePlatform } from './delete-platform.ts'
import { platformRecord } from './platform-record.ts'
import { decryptWebhookSecret, rotateSecret } from './secrets.ts'
import { updatePlatform } from './update-platform.ts'

const ACTOR = service('test')
const NO_MAC = Buffer.alloc(16)

let context: NetworkContext
let ledger: Ledger

test.beforeAll(async () => {
  context = networkContext(database)
  ledger = openLedger({ database, clock: context.clock, vault: TEST_VAULT, onError: console.error })
})

afterAll(async () => {
  await ledger.close()
})

function move(debit: Uuid, credit: Uuid, accounts: readonly Uuid[], kind: 'fund' | 'payment') {
  return ledger.submit({
    accounts,
    reads: [],
    decide: batch => batch.post({ kind, debit, credit, amountPaise: paise(10_000n) }),
  })
}

const fund = (agentId: Uuid) => move(SYSTEM.gateway, agentId, [agentId], 'fund')

describe('a platform', () => {
  test('a platform is created with two secrets, and neither is stored in readable form', async () => {
    const created = await createPlatform(context, ACTOR, {
      name: 'Example',
      email: 'dev@example.com',
      webhook_url: 'https://example.com/hook?a=1',
    })
    expect(created.platformSecret).toMatch(/^sk_live_[A-Za-z0-9_-]{43}$/)
    expect(created.webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(platformRecord(TEST_VAULT, created.platform)).toMatchObject({
      name: 'Example',
      email: 'dev@example.com',
      webhook_url: 'https://example.com/hook?a=1',
      status: 'active',
    })
    const [row] = await database.query<{ text: string; webhook_secret: Buffer }>(
      `select p::text as text, webhook_secret from platforms p where id = $1`,
      [created.platform.id],
    )
    for (const readable of ['dev@example.com', created.platformSecret, created.webhookSecret]) {
      expect(row?.text).not.toContain(readable)
      expect(row?.text).not.toContain(Buffer.from(readable).toString('hex'))
    }
    expect(
      decryptWebhookSecret(TEST_VAULT, created.platform.id, row?.webhook_secret ?? Buffer.alloc(0)),
    ).toBe(created.webhookSecret)
  })

  test('an update changes the fields sent, clears those that are null, and keeps the rest', async () => {
    const { platform } = await createPlatform(context, ACTOR, { name: 'Old', email: 'dev@example.com' })
    await updatePlatform(context, ACTOR, platform.id, { webhook_url: 'http://localhost:1/hook' })
    const changed = await updatePlatform(context, ACTOR, platform.id, { name: 'New', email: null })
    expect(platformRecord(TEST_VAULT, changed)).toMatchObject({
      name: 'New',
      email: null,
      webhook_url: 'http://localhost:1/hook',
    })
    expect(
      await requirePlatformAccess(database, platformCaller(platform.id), formatId('plt', platform.id)),
    ).toEqual(changed)
  })

  test('a platform is not found by another platform', async () => {
    const { platform } = await newPlatform(context)
    const { platform: stranger } = await newPlatform(context)
    const work = requirePlatformAccess(database, platformCaller(stranger.id), formatId('plt', platform.id))
    expect(await refusalOf(work)).toMatchObject({ code: 'not_found' })
  })
})

describe('secrets of a platform', () => {
  test('after a rotation the old secret fails at once and the new one works', async () => {
    const { platform, platformSecret } = await newPlatform(context)
    const id = formatId('plt', platform.id)
    const authenticators = createAuthenticators(database, TEST_VAULT)
    expect(await authenticators.platform(id, platformSecret)).toEqual(platformCaller(platform.id))
    const secret = await rotateSecret(context, ACTOR, platform.id)
    expect(await authenticators.platform(id, platformSecret)).toBeNull()
    expect(await authenticators.platform(id, secret)).toEqual(platformCaller(platform.id))
  })

  test('a secret authenticates only its own platform', async () => {
    const { platform } = await newPlatform(context)
    const { platformSecret } = await newPlatform(context)
    const authenticators = createAuthenticators(database, TEST_VAULT)
    for (const [id, secret] of [
      [formatId('plt', platform.id), platformSecret],
      [platform.id, platformSecret],
      ["' or '1'='1", platformSecret],
      [formatId('plt', platform.id), ''],
    ] as const) {
      expect(await authenticators.platform(id, secret)).toBeNull()
    }
  })
})

describe('deleting a platform', () => {
  test('the deletion of a platform is refused while an agent has a balance, and changes nothing', async () => {
    const { platform, platformSecret } = await newPlatform(context)
    const created = await newAgent(context, await newOwner(context, platform.id))
    await fund(created.agent.id)
    expect(await refusalOf(deletePlatform(context, ACTOR, platform.id))).toMatchObject({
      code: 'conflict',
    })
    const authenticators = createAuthenticators(database, TEST_VAULT)
    expect(await authenticators.platform(formatId('plt', platform.id), platformSecret)).not.toBeNull()
    expect(await authenticators.agent(created.agentKey)).toEqual(agentCaller(created))
    expect((await selectAgent(database, created.agent.id))?.status).toBe('active')
  })

  test('the deletion of a platform is refused while an agent has money in escrow or in a payout, and changes nothing', async () => {
    const { platform } = await newPlatform(context)
    const { agent } = await newAgent(context, await newOwner(context, platform.id))
    await database.query(
      `insert into escrows (agent_id, id, amount_paise, created_at, hold_sequence) values ($1, $1, 1, now(), 1)`,
      [agent.id],
    )
    await database.query(
      `insert into payouts (agent_id, id, owner_id, kind, amount_paise, provider, bank_account, bank_account_last4,
         bank_ifsc, created_at) values ($1, $1, $1, 'withdraw', 1, 'test', '', '0001', 'HDFC0001234', now())`,
      [agent.id],
    )
    const refusal = () => refusalOf(deletePlatform(context, ACTOR, platform.id))
    expect(await refusal()).toMatchObject({ code: 'conflict', details: { agents_with_escrow: 1 } })
    await database.query(`update escrows set status = 'released' where id = $1`, [agent.id])
    expect(await refusal()).toMatchObject({ code: 'conflict', details: { agents_with_payout: 1 } })
    expect((await selectAgent(database, agent.id))?.status).toBe('active')
    await database.query(`update payouts set status = 'failed' where id = $1`, [agent.id])
    expect((await deletePlatform(context, ACTOR, platform.id)).status).toBe('deleted')
  })

  test('the deletion of a platform ends its secret, its agents and their keys', async () => {
    const { platform, platformSecret } = await newPlatform(context)
    const { agent, agentKey } = await newAgent(context, await newOwner(context, platform.id))
    expect((await deletePlatform(context, ACTOR, platform.id)).status).toBe('deleted')
    const authenticators = createAuthenticators(database, TEST_VAULT)
    expect(await authenticators.platform(formatId('plt', platform.id), platformSecret)).toBeNull()
    expect(await authenticators.agent(agentKey)).toBeNull()
    expect((await selectAgent(database, agent.id))?.status).toBe('deactivated')
  })

  test('the deletion of a platform waits for a concurrent funding and then counts it', async () => {
    const { platform } = await newPlatform(context)
    const { agent } = await newAgent(context, await newOwner(context, platform.id))
    let deletion: Promise<unknown> = Promise.resolve()
    await database.inTransaction(async tx => {
      await tx.query(`select id from accounts where id = $1 for no key update`, [agent.id])
      await tx.query(`update accounts set balance_paise = 1 where id = $1`, [agent.id])
      deletion = refusalOf(deletePlatform(context, ACTOR, platform.id))
      await someoneWaitsForLock(database)
    })
    expect(await deletion).toMatchObject({ code: 'conflict' })
  })

  test('the deletion of a platform with a balance is refused without waiting for the lock of any account', async () => {
    const { platform } = await newPlatform(context)
    const owner = await newOwner(context, platform.id)
    const { agent } = await newAgent(context, owner)
    const { agent: another } = await newAgent(context, owner)
    await fund(agent.id)
    await database.inTransaction(async tx => {
      await tx.query(`select id from accounts where id = $1 for update`, [another.id])
      const refusal = await refusalOf(deletePlatform(context, ACTOR, platform.id))
      expect(refusal).toMatchObject({ code: 'conflict', details: { agents_with_balance: 1 } })
    })
  })

  test('the deletion of a large platform deactivates all its agents, batch by batch', async () => {
    const { platform } = await newPlatform(context)
    const owner = await newOwner(context, platform.id)
    await insertManyAgents(database, { platformId: platform.id, ownerId: owner.id }, 1_200)
    expect((await deletePlatform(context, ACTOR, platform.id)).status).toBe('deleted')
    const [left] = await database.query<{ living: bigint; counted: bigint }>(
      `select (select count(*) from agents where platform_id = $1 and status <> 'deactivated') as living,
         (select living from platform_agent_counts where platform_id = $1) as counted`,
      [platform.id],
    )
    expect(left).toEqual({ living: 0n, counted: 0n })
  })

  test('the deletion of a platform waits for an agent that is being created, and deactivates it too', async () => {
    const { platform } = await newPlatform(context)
    const owner = await newOwner(context, platform.id)
    const { agent } = await newAgent(context, owner)
    const id = newUuid(context.clock.now())
    let deletion: Promise<unknown> = Promise.resolve()
    await database.inTransaction(async tx => {
      await lockSponsor(tx, context.vault, platform.id, owner.id)
      deletion = deletePlatform(context, ACTOR, platform.id)
      await someoneWaitsForLock(database)
      await openAccount(tx, id, context.clock.now())
      await insertAgent(
        tx,
        TEST_VAULT,
        { ...agent, id, handle: randomHandle() },
        { publicKey: '', privateKey: null, mac: NO_MAC },
      )
    })
    await deletion
    expect((await selectAgent(database, id))?.status).toBe('deactivated')
    expect(await refusalOf(newAgent(context, owner))).toMatchObject({ code: 'authentication_error' })
  })

  test('with concurrent fundings and creations, the deletion of a platform is refused or leaves no agent active', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { platform } = await newPlatform(context)
      const owner = await newOwner(context, platform.id)
      const agents = await Promise.all([
        newAgent(context, owner),
        newAgent(context, owner),
        newAgent(context, owner),
      ])
      const [deleted] = await Promise.allSettled([
        deletePlatform(context, ACTOR, platform.id),
        ...agents.map(({ agent }) => fund(agent.id)),
        newAgent(context, owner),
      ])
      const [state] = await database.query<{ living: bigint }>(
        `select count(*) as living from agents where platform_id = $1 and (status <> 'deactivated' or key_hash <> '')`,
        [platform.id],
      )
      if (deleted.status === 'fulfilled') expect(state?.living).toBe(0n)
      else expect(deleted.reason).toMatchObject({ code: 'conflict' })
    }
  })
})
