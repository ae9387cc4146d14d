import { beforeEach, describe, expect } from 'vitest'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { newAgent } from '../../../testing/network.ts'
import { holders } from '../../banking/payouts/request-store.ts'
import { selectAgent } from '../agents/store.ts'
import type { OwnersContext } from './context.ts'
import { decryptPersonal } from './personal-data.ts'
import type { Owner } from './store.ts'
import { bankVerifications } from './submit-kyc.ts'
import { stage, test } from './testing/owner-stage.ts'

let context: OwnersContext
let owner: Owner

test.beforeAll(async () => {
  context = stage.context
})
beforeEach(async () => {
  owner = await stage.newOwner()
})

const submit = (account: string, by?: OwnersContext) => stage.submit(owner, account, by)
const stored = () => stage.stored(owner)
const events = () => stage.events(owner)
const advance = (seconds: number) => stage.advance(seconds)

describe('a bank that decides at once', () => {
  test.each([
    ['500000000000', 'verified', null, 100],
    ['900000000011', 'verified', null, 100],
    ['900000000012', 'verified', null, 85],
    ['900000000013', 'failed', 'name_mismatch', 70],
    ['900000000014', 'failed', 'name_mismatch', 38],
    ['900000000015', 'failed', 'name_mismatch', 0],
    ['900000000001', 'failed', 'name_mismatch', 0],
    ['900000000002', 'failed', 'account_invalid', null],
    ['900000000003', 'failed', 'account_blocked', null],
    ['900000000016', 'failed', 'account_type', null],
  ] as const)(
    'the test account %s is %s with the reason %s',
    async (account, kycStatus, kycReason, nameMatchScore) => {
      const { agent } = await newAgent(stage.network, owner)
      const decided = await submit(account)
      expect(decided).toMatchObject({ kycStatus, kycReason, nameMatchScore })
      expect(await stored()).toEqual(decided)
      expect((await selectAgent(context.database, agent.id))?.tier).toBe(
        kycStatus === 'verified' ? 'tier1' : 'sandbox',
      )
      expect(await events()).toEqual([`${kycStatus} ${kycReason}`])
      expect(await stage.openChecks(owner)).toBe(0)
    },
  )

  test('the same result again publishes no event', async () => {
    await submit('900000000001')
    await submit('900000000001')
    await submit('500000000000')
    await submit('500000000000')
    expect(await events()).toEqual(['failed name_mismatch', 'verified null'])
  })
})

describe('a bank that decides later', () => {
  test.each([
    ['900000000004', 'bank_pending', 61, 'verified', null],
    ['900000000017', 'bank_pending', 61, 'failed', 'name_mismatch'],
    ['900000000005', 'bank_unavailable', 181, 'verified', null],
  ] as const)(
    'the test account %s is pending with the reason %s, and the bank is asked again',
    async (account, reason, seconds, ends, endReason) => {
      const { agent } = await newAgent(stage.network, owner)
      expect(await submit(account)).toMatchObject({
        kycStatus: 'pending',
        kycReason: reason,
        tier: 'sandbox',
      })
      await advance(30)
      expect(await stored()).toMatchObject({ kycStatus: 'pending', kycReason: reason })
      await advance(seconds - 30)
      const tier = ends === 'verified' ? 'tier1' : 'sandbox'
      expect(await stored()).toMatchObject({ kycStatus: ends, kycReason: endReason, tier })
      expect((await selectAgent(context.database, agent.id))?.tier).toBe(tier)
      expect(await events()).toEqual([`pending ${reason}`, `${ends} ${endReason}`])
      expect(await stage.openChecks(owner)).toBe(0)
    },
  )

  test('a newer submission replaces a pending one, whose result is ignored', async () => {
    await submit('900000000004')
    expect(await submit('900000000001')).toMatchObject({ kycStatus: 'failed', bankAccountLast4: '0001' })
    await advance(120)
    expect(await stored()).toMatchObject({ kycStatus: 'failed', bankAccountLast4: '0001' })
  })

  test('an owner whose verification failed may submit another account', async () => {
    await submit('900000000002')
    expect(await submit('500000000000')).toMatchObject({ kycStatus: 'verified', kycReason: null })
  })

  test('the bank is asked again if the process crashed during the first check', async () => {
    const dying = {
      ...context,
      bankVerifier: { ...context.bankVerifier, verifyAccount: () => Promise.reject(new Error('dies')) },
    }
    await expect(submit('500000000000', dying)).rejects.toThrow('dies')
    expect((await stored()).kycStatus).toBe('none')
    await advance(46)
    expect(await stored()).toMatchObject({ kycStatus: 'verified', bankAccountLast4: '0000' })
  })

  test('a bank that does not respond is asked less and less often, without an end', async () => {
    let asked = 0
    const down = {
      ...context,
      bankVerifier: {
        ...context.bankVerifier,
        verifyAccount: () => {
          asked++
          return Promise.resolve({ kind: 'unknown', message: 'time-out' } as const)
        },
      },
    }
    await submit('500000000000', down)
    for (let minute = 0; minute < 60; minute++) {
      stage.clock.setOffsetMs(stage.clock.offsetMs() + 60_000)
      await bankVerifications(down).run(stage.clock.now())
    }
    expect(asked).toBeGreaterThan(8)
    expect(asked).toBeLessThan(20)
    await advance(3_600)
    expect(await stored()).toMatchObject({ kycStatus: 'verified' })
  })
})

describe('a verified owner', () => {
  /** The bank account that payouts use. */
  const holderOf = async (agentId: string) => {
    const now = stage.clock.now().getTime()
    const [found] = await holders.load(context.database, [agentId], now, context.vault)
    return found?.[1]
  }

  const account = async (agentId: string) => {
    const encrypted = (await holderOf(agentId))?.account?.bankAccount
    return encrypted === undefined
      ? null
      : decryptPersonal(context.vault, owner.id, 'bank_account', encrypted)
  }

  test('only a verified owner has an account for payouts', async () => {
    const { agent } = await newAgent(stage.network, owner)
    await submit('900000000004')
    expect(await account(agent.id)).toBe(null)
    await advance(61)
    expect(await account(agent.id)).toBe('900000000004')
    expect((await holderOf(agent.id))?.account).toMatchObject({
      ...{ ownerId: owner.id, bankAccountLast4: '0004', bankIfsc: 'HDFC0001234' },
    })
  })

  test('the account in force stays while another one is checked and pending, and is then replaced', async () => {
    const { agent } = await newAgent(stage.network, owner)
    await submit('500000000000')
    const changing = await submit('900000000004')
    expect(changing).toMatchObject({
      kycStatus: 'verified',
      kycReason: 'bank_pending',
      bankAccountLast4: '0000',
    })
    expect(await account(agent.id)).toBe('500000000000')
    await advance(61)
    expect(await stored()).toMatchObject({ kycStatus: 'verified', kycReason: null, bankAccountLast4: '0000' })
    expect(await account(agent.id)).toBe('500000000000')
    await advance(86_400)
    expect(await stored()).toMatchObject({ bankAccountLast4: '0004', pendingBankAccountLast4: null })
    expect(await account(agent.id)).toBe('900000000004')
    expect(await events()).toEqual(['verified null', 'verified bank_pending', 'verified null'])
  })

  test('the account in force stays if another one fails, at once or later, and an event says so', async () => {
    await submit('500000000000')
    expect(await refusalOf(submit('900000000003'))).toMatchObject({
      code: 'conflict',
      details: { reason: 'account_blocked' },
    })
    await submit('900000000017')
    await advance(61)
    expect(await stored()).toMatchObject({
      kycStatus: 'verified',
      kycReason: 'name_mismatch',
      bankAccountLast4: '0000',
    })
    expect(await events()).toEqual([
      'verified null',
      'verified account_blocked',
      'verified bank_pending',
      'verified name_mismatch',
    ])
  })
})

test('no personal data is readable in the database or in events', async () => {
  await submit('900000000004')
  const phone = decryptPersonal(context.vault, owner.id, 'phone', owner.phone)
  const rows = await context.database.query<{ text: string }>(
    `select c::text as text from kyc_checks c union all select e::text from events e
     union all select o::text from sandbox_outages o`,
  )
  for (const { text } of rows) {
    expect(text).not.toContain('900000000004')
    expect(text).not.toContain(Buffer.from('900000000004').toString('hex'))
    expect(text).not.toContain(phone)
  }
})
