import { describe, expect } from 'vitest'
import { formatId } from '../../../kernel/ids.ts'
import { service } from '../../../operations/facts.ts'
import { database, test } from '../../../testing/database-test.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import {
  agentCaller,
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  platformCaller,
  randomPan,
  randomPhone,
  TEST_VAULT,
} from '../../../testing/network.ts'
import { someoneWaitsForLock } from '../../../testing/wait-for-lock.ts'
import { deactivateAgent } from '../agents/change-agent.ts'
import { selectAgent } from '../agents/store.ts'
import { requireOwnerAccess } from './access.ts'
import { createOwner } from './create-owner.ts'
import { ownerRecord } from './owner-record.ts'
import { selectOwner } from './store.ts'
import { submitKyc } from './submit-kyc.ts'

const ACTOR = service('test')

let context: NetworkContext
let platformId: string

test.beforeAll(async () => {
  context = networkContext(database)
  platformId = (await newPlatform(context)).platform.id
})

describe('creating an owner', () => {
  test('phone, PAN and e-mail are stored encrypted and returned as the record shows them', async () => {
    const owner = await createOwner(context, platformId, {
      name: 'Asha Rao',
      phone: '+91 98765 43210',
      pan: 'abcde1234f',
      email: 'asha@example.com',
    })
    expect(ownerRecord(TEST_VAULT, owner)).toEqual({
      owner_id: formatId('own', owner.id),
      name: 'Asha Rao',
      phone: '9876543210',
      email: 'asha@example.com',
      pan: 'ABCxxxxx4F',
      kyc_status: 'none',
      reason: null,
      tier: 'sandbox',
      status: 'active',
      link_status: 'invited',
      bank_account_last4: null,
      bank_ifsc: null,
      pending_bank_account: null,
      created_at: owner.createdAt.toISOString(),
    })
    expect(await selectOwner(database, owner.id)).toEqual(owner)
    const [row] = await database.query<{ text: string }>(
      `select o::text as text from owners o where id = $1`,
      [owner.id],
    )
    for (const readable of ['9876543210', 'ABCDE1234F', 'asha@example.com']) {
      expect(row?.text).not.toContain(Buffer.from(readable).toString('hex'))
      expect(row?.text).not.toContain(readable)
    }
  })

  test.each([
    ['phone', () => ({ phone: '+919812345678', pan: randomPan() })],
    ['PAN', () => ({ phone: randomPhone(), pan: 'zzzpe1234f' })],
  ])('a second owner with the same %s is a conflict that names the first owner', async (_what, again) => {
    const { platform } = await newPlatform(context)
    const first = await createOwner(context, platform.id, {
      name: 'A',
      phone: '9812345678',
      pan: 'ZZZPE1234F',
    })
    const error = await refusalOf(createOwner(context, platform.id, { name: 'B', ...again() }))
    expect(error).toMatchObject({ code: 'conflict', details: { owner_id: formatId('own', first.id) } })
    const { platform: other } = await newPlatform(context)
    await createOwner(context, other.id, { name: 'A', phone: '9812345678', pan: 'ZZZPE1234F' })
  })

  test('of concurrent creations with one PAN exactly one succeeds, and the others name that owner', async () => {
    const pan = randomPan()
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () =>
        createOwner(context, platformId, { name: 'A', phone: randomPhone(), pan }),
      ),
    )
    const [created, ...more] = results.flatMap(result =>
      result.status === 'fulfilled' ? [result.value] : [],
    )
    expect(more).toEqual([])
    const reasons: unknown[] = results.flatMap(result =>
      result.status === 'rejected' ? [result.reason] : [],
    )
    expect(reasons).toHaveLength(7)
    for (const reason of reasons) {
      expect(reason).toMatchObject({
        code: 'conflict',
        details: { owner_id: formatId('own', created?.id ?? '') },
      })
    }
  })

  test.each([
    ['phone', { phone: '5876543210', pan: 'ABCDE1234F' }],
    ['pan', { phone: '9876543210', pan: 'ABCDE12345' }],
  ])('an invalid %s is refused with the field name', async (field, identity) => {
    const error = await refusalOf(createOwner(context, platformId, { name: 'A', ...identity }))
    expect(error).toMatchObject({ code: 'validation_error', field })
  })
})

describe('access to an owner', () => {
  test('other platforms, agents and public callers cannot read an owner', async () => {
    const owner = await newOwner(context, platformId)
    const agent = await newAgent(context, owner)
    const { platform: stranger } = await newPlatform(context)
    const address = formatId('own', owner.id)
    expect((await requireOwnerAccess(database, platformCaller(platformId), address)).id).toBe(owner.id)
    for (const caller of [platformCaller(stranger.id), agentCaller(agent), { kind: 'public' } as const]) {
      expect(await refusalOf(requireOwnerAccess(database, caller, address))).toMatchObject({
        code: 'not_found',
      })
    }
    const wrong = requireOwnerAccess(database, platformCaller(platformId), formatId('agt', owner.id))
    expect(await refusalOf(wrong)).toMatchObject({ code: 'not_found' })
  })
})

describe('KYC', () => {
  const bank = { bank_account: '123456789012', bank_ifsc: 'hdfc0001234' }

  test('a confirmed account moves the owner and all its agents that are not deactivated to tier1', async () => {
    const owner = await newOwner(context, platformId)
    const { agent } = await newAgent(context, owner)
    const { agent: ended } = await newAgent(context, owner)
    await deactivateAgent(context, platformCaller(platformId), formatId('agt', ended.id))

    const verified = await submitKyc(context, ACTOR, owner, bank)
    expect(ownerRecord(TEST_VAULT, verified)).toMatchObject({
      kyc_status: 'verified',
      tier: 'tier1',
      bank_account_last4: '9012',
      bank_ifsc: 'HDFC0001234',
    })
    expect(await selectOwner(database, owner.id)).toMatchObject({ kycStatus: 'verified', tier: 'tier1' })
    expect((await selectAgent(database, agent.id))?.tier).toBe('tier1')
    expect((await selectAgent(database, ended.id))?.tier).toBe('sandbox')
    expect((await newAgent(context, owner)).agent.tier).toBe('tier1')
    const [row] = await database.query<{ text: string }>(
      `select o::text as text from owners o where id = $1`,
      [owner.id],
    )
    expect(row?.text).not.toContain(Buffer.from(bank.bank_account).toString('hex'))
  })

  test('an agent that is created during the verification does not stay in the sandbox tier', async () => {
    const owner = await newOwner(context, platformId)
    let creation: ReturnType<typeof newAgent> | undefined
    const slow = {
      ...context,
      raiseAgentsToTier1: async (...args: Parameters<typeof context.raiseAgentsToTier1>) => {
        await context.raiseAgentsToTier1(...args)
        creation = newAgent(context, owner)
        await someoneWaitsForLock(database)
      },
    }
    await submitKyc(slow, ACTOR, owner, bank)
    expect((await creation)?.agent.tier).toBe('tier1')
  })

  test('a verification waits for a payment that has locked the account of an agent', async () => {
    const owner = await newOwner(context, platformId)
    const { agent } = await newAgent(context, owner)
    let verification: Promise<unknown> = Promise.resolve()
    await database.inTransaction(async tx => {
      await tx.query(`select id from accounts where id = $1 for no key update`, [agent.id])
      verification = submitKyc(context, ACTOR, owner, bank)
      await someoneWaitsForLock(database)
      expect((await selectAgent(tx, agent.id))?.tier).toBe('sandbox')
    })
    await verification
    expect((await selectAgent(database, agent.id))?.tier).toBe('tier1')
  })

  test('a late result does not undo a newer verification', async () => {
    const owner = await newOwner(context, platformId)
    const overtaken = {
      ...context,
      bankVerifier: {
        ...context.bankVerifier,
        async verifyAccount() {
          await submitKyc(context, ACTOR, owner, bank)
          return { kind: 'pending', reference: 'r1' } as const
        },
      },
    }
    const late = submitKyc(overtaken, ACTOR, owner, { ...bank, bank_account: '999999999' })
    expect(await refusalOf(late)).toMatchObject({ code: 'conflict' })
    expect(await selectOwner(database, owner.id)).toMatchObject({
      kycStatus: 'verified',
      bankAccountLast4: '9012',
    })
  })

  test('a refusal of the bank does not change the tiers of the owner and its agents', async () => {
    const owner = await newOwner(context, platformId)
    const { agent } = await newAgent(context, owner)
    const refusing = {
      ...context,
      bankVerifier: {
        ...context.bankVerifier,
        verifyAccount: () =>
          Promise.resolve({
            kind: 'failed',
            nameAtBank: 'SOMEONE ELSE',
            nameMatchScore: 12,
            reason: 'name_mismatch',
          } as const),
      },
    }
    const failed = await submitKyc(refusing, ACTOR, owner, bank)
    expect(failed).toMatchObject({ kycStatus: 'failed', kycReason: 'name_mismatch', tier: 'sandbox' })
    expect((await selectAgent(database, agent.id))?.tier).toBe('sandbox')
  })
})
