import { expect } from 'vitest'
import { formatId } from '../../../kernel/ids.ts'
import { type Actor, actorOf } from '../../../operations/facts.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { factsDuring, secretsInLog } from '../../../testing/facts.ts'
import { newAgent } from '../../../testing/network.ts'
import { createOwner } from './create-owner.ts'
import type { Owner } from './store.ts'
import { submitKyc } from './submit-kyc.ts'
import { stage, test } from './testing/owner-stage.ts'

const PERSON = { name: 'Meera Nair', phone: '9812345670', pan: 'ZZZPA1234Q', email: 'meera@example.com' }
/** Test accounts of the simulated bank. */
const VERIFIED = '500000001234'
const LOOKED_AT_FIRST = '900000000004'
const UNKNOWN = '900000000002'

const BANK = { type: 'service', id: 'bank verification' } as const

let owner: Owner

test.beforeAll(async () => {
  owner = await stage.newOwner()
})

const during = (work: () => Promise<unknown>) => factsDuring(stage.network.database, work)
const platformId = () => formatId('plt', owner.platformId)
const ofOwner = (actor: Actor, action: string, data: object) => ({
  agentId: null,
  actor,
  action,
  target: formatId('own', owner.id),
  data: { platform_id: platformId(), ...data },
})

test('the creation of an owner is recorded without personal data, and a refused one is not recorded', async () => {
  const platform = owner.platformId
  const register = () => createOwner(stage.context, platform, PERSON)
  expect(await during(register)).toEqual([
    {
      agentId: null,
      actor: { type: 'platform', id: platformId() },
      action: 'owner.created',
      target: expect.stringMatching(/^own_/),
      data: { platform_id: platformId(), kyc_status: 'none', tier: 'sandbox' },
    },
  ])
  expect(await during(() => refusalOf(register()))).toEqual([])
  expect(await secretsInLog(stage.network.database, Object.values(PERSON))).toEqual([])
})

test('a bank verification is recorded when it is submitted, when it is decided, and for each agent whose tier changes', async () => {
  const { agent } = await newAgent(stage.network, owner)
  const itself = actorOf({ kind: 'owner', ownerIds: [owner.id], sessionId: '' })
  const account = { bank_account_last4: '1234', bank_ifsc: 'HDFC0001234' }
  const request = { bank_account: VERIFIED, bank_ifsc: 'hdfc0001234' }
  expect(await during(() => submitKyc(stage.context, itself, owner, request))).toEqual([
    ofOwner(itself, 'owner.kyc_submitted', account),
    ofOwner(BANK, 'owner.kyc_decided', {
      ...account,
      kyc_status: { from: 'none', to: 'verified' },
      tier: { from: 'sandbox', to: 'tier1' },
      reason: null,
    }),
    {
      agentId: formatId('agt', agent.id),
      actor: BANK,
      action: 'agent.tier_changed',
      target: formatId('agt', agent.id),
      data: { from: 'sandbox', to: 'tier1' },
    },
  ])
})

test('a bank that has not decided and its later decision are each recorded once, with the service as the actor', async () => {
  owner = await stage.newOwner()
  const account = { bank_account_last4: '0004', bank_ifsc: 'HDFC0001234' }
  const [submitted, ...undecided] = await during(() => stage.submit(owner, LOOKED_AT_FIRST))
  expect(submitted?.action).toBe('owner.kyc_submitted')
  expect(undecided).toEqual([
    ofOwner(BANK, 'owner.kyc_pending', {
      ...account,
      kyc_status: { from: 'none', to: 'pending' },
      tier: { from: 'sandbox', to: 'sandbox' },
      reason: 'bank_pending',
    }),
  ])
  expect(await during(() => stage.advance(120))).toEqual([
    ofOwner(BANK, 'owner.kyc_decided', {
      ...account,
      kyc_status: { from: 'pending', to: 'verified' },
      tier: { from: 'sandbox', to: 'tier1' },
      reason: null,
    }),
  ])
  expect(await during(() => stage.advance(120))).toEqual([])
})

test('an account that the bank does not confirm is recorded, and the verified account stays in force', async () => {
  const facts = await during(() => refusalOf(stage.submit(owner, UNKNOWN)))
  expect(facts.map(({ action }) => action)).toEqual(['owner.kyc_submitted', 'owner.kyc_decided'])
  expect(facts[1]?.data).toMatchObject({
    bank_account_last4: '0002',
    kyc_status: { from: 'verified', to: 'verified' },
    reason: 'account_invalid',
  })
})

test('the audit log contains no account number', async () => {
  expect(await secretsInLog(stage.network.database, [VERIFIED, LOOKED_AT_FIRST, UNKNOWN])).toEqual([])
})
