import { routes } from '@batua/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventFaults, eventsAbout } from './src/event-faults.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Agent, newBankAccount, type Owner, type Platform } from './src/network.ts'
import { openSandboxScenarios, type SandboxScenarios } from './src/sandbox-scenarios.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let scenarios: SandboxScenarios
let platform: Platform
let owner: Owner
let agent: Agent

beforeAll(async () => {
  stage = await sharedStage()
  scenarios = openSandboxScenarios(stage.api)
  platform = await stage.network.platform()
})
beforeEach(async () => {
  owner = await stage.network.owner(platform)
  agent = await stage.network.agent(owner)
})
afterEach(async () => {
  expect(await ledgerFaults(stage.database.query)).toEqual([])
})
afterAll(() => stage.close())

function record() {
  return stage.api.ok(routes.getOwner, { params: { owner_id: owner.id }, headers: platform.headers })
}

async function tierOf({ id, headers }: Agent): Promise<string> {
  return (await stage.api.ok(routes.getAgent, { params: { agent_id: id }, headers })).tier
}

function withdraw(status: number, code: 'kyc_required' | 'insufficient_balance') {
  const call = { params: { agent_id: agent.id }, headers: agent.headers, body: {} }
  return stage.api.refused(routes.withdraw, status, code, call)
}

describe('an owner whose bank confirms', () => {
  test('leaves the sandbox tier with all agents, in the response and afterwards', async () => {
    const second = await stage.network.agent(owner)
    expect(await scenarios.kyc(owner, '500000009012')).toMatchObject({
      kyc_status: 'verified',
      tier: 'tier1',
      bank_account_last4: '9012',
      bank_ifsc: 'HDFC0001234',
      name_at_bank: 'ASHA RAO',
      name_match_score: 100,
      reason: null,
    })
    expect(await record()).toMatchObject({ kyc_status: 'verified', tier: 'tier1' })
    expect([await tierOf(agent), await tierOf(second)]).toEqual(['tier1', 'tier1'])
    expect(await tierOf(await stage.network.agent(owner))).toBe('tier1')
  })

  test('may withdraw to the bank afterwards', async () => {
    await withdraw(403, 'kyc_required')
    await scenarios.kyc(owner, newBankAccount())
    await withdraw(402, 'insufficient_balance')
  })

  test('may also submit from a session of its own', async () => {
    const session = await stage.network.login(owner)
    const verified = await stage.api.ok(routes.submitKyc, {
      params: { owner_id: owner.id },
      headers: session,
      body: { bank_account: newBankAccount(), bank_ifsc: 'hdfc0001234' },
    })
    expect(verified).toMatchObject({ kyc_status: 'verified', bank_ifsc: 'HDFC0001234' })
  })
})

describe('an owner whose bank has not decided', () => {
  test.each([
    ['900000000004', 'bank_pending', 60],
    ['900000000005', 'bank_unavailable', 180],
  ])('with %s is pending for %s, then verified without another request', async (account, reason, seconds) => {
    const submitted = await scenarios.kyc(owner, account)
    expect(submitted).toMatchObject({ kyc_status: 'pending', reason, tier: 'sandbox', name_at_bank: null })
    expect(await record()).toMatchObject({ kyc_status: 'pending', bank_account_last4: account.slice(-4) })
    await withdraw(403, 'kyc_required')
    await scenarios.advance(seconds)
    expect(await record()).toMatchObject({ kyc_status: 'verified', tier: 'tier1' })
    expect(await tierOf(agent)).toBe('tier1')
    await withdraw(402, 'insufficient_balance')
  })

  test('is still checked after a restart of the service', async () => {
    await scenarios.kyc(owner, '900000000004')
    await stage.service.kill()
    await stage.service.start()
    await scenarios.advance(60)
    expect(await record()).toMatchObject({ kyc_status: 'verified' })
  })

  test('may submit another account meanwhile, which replaces the first', async () => {
    await scenarios.kyc(owner, '900000000004')
    expect(await scenarios.kyc(owner, '900000000003')).toMatchObject({
      kyc_status: 'failed',
      reason: 'account_blocked',
    })
    await scenarios.advance(120)
    expect(await record()).toMatchObject({
      kyc_status: 'failed',
      bank_account_last4: '0003',
      tier: 'sandbox',
    })
  })
})

test('an owner whose verification failed stays in the sandbox tier and may try again', async () => {
  expect(await scenarios.kyc(owner, '900000000001')).toMatchObject({
    kyc_status: 'failed',
    reason: 'name_mismatch',
    name_at_bank: 'ANOTHER NAME',
    name_match_score: 0,
  })
  expect(await tierOf(agent)).toBe('sandbox')
  await withdraw(403, 'kyc_required')
  expect((await scenarios.kyc(owner, newBankAccount())).kyc_status).toBe('verified')
})

async function messages(): Promise<string[]> {
  const shown = await stage.api.ok(routes.getSandboxMessages, { params: { phone: owner.phone } })
  return shown.messages.map(({ text }) => text)
}

describe('an owner that is verified', () => {
  const submit = (bank_account: string) => ({
    params: { owner_id: owner.id },
    headers: platform.headers,
    body: { bank_account, bank_ifsc: 'HDFC0001234' },
  })

  test('keeps its account if another one is refused', async () => {
    await scenarios.kyc(owner, '500000009012')
    const refused = await stage.api.refused(routes.submitKyc, 409, 'conflict', submit('900000000002'))
    expect(refused.details).toEqual({ reason: 'account_invalid' })
    expect(await record()).toMatchObject({ kyc_status: 'verified', bank_account_last4: '9012' })
  })

  test('keeps its account while another one is pending and for a day after that, and is notified by phone', async () => {
    await scenarios.kyc(owner, '500000009012')
    expect(await scenarios.kyc(owner, '900000000004')).toMatchObject({
      kyc_status: 'verified',
      reason: 'bank_pending',
      bank_account_last4: '9012',
    })
    expect(await messages()).toEqual([])
    await scenarios.advance(60)
    expect(await record()).toMatchObject({
      kyc_status: 'verified',
      bank_account_last4: '9012',
      pending_bank_account: { last4: '0004', ifsc: 'HDFC0001234' },
    })
    const [text = '', ...others] = await messages()
    expect(text).toMatch(/ending 0004\b.*Ask the platform/)
    expect(others).toEqual([])
    await scenarios.advance(86_400)
    expect(await record()).toMatchObject({ bank_account_last4: '0004', pending_bank_account: null })
  })
})

test.each(['platform', 'session'] as const)('a change of the account is cancelled by its %s', async who => {
  await scenarios.kyc(owner, '500000009012')
  const changed = await scenarios.kyc(owner, '500000003456')
  expect(changed).toMatchObject({ bank_account_last4: '9012', pending_bank_account: { last4: '3456' } })
  const headers = who === 'platform' ? platform.headers : await stage.network.login(owner)
  const call = { params: { owner_id: owner.id }, headers }
  expect(await stage.api.ok(routes.cancelBankAccountChange, call)).toMatchObject({
    bank_account_last4: '9012',
    pending_bank_account: null,
  })
  await stage.api.refused(routes.cancelBankAccountChange, 404, 'not_found', call)
})

test('payouts go to the account in force, also with a moved test clock', async () => {
  const { network } = stage
  await scenarios.kyc(owner, '500000009012')
  await network.fund(agent, 1000)
  const withdrawTo = async () => {
    const call = { params: { agent_id: agent.id }, headers: agent.headers, body: { amount: 100 } }
    return (await stage.api.ok(routes.withdraw, call)).bank_account_last4
  }
  await scenarios.kyc(owner, '500000003456')
  expect(await withdrawTo()).toBe('9012')
  // Past the cooldown and the settlement in one step.
  await scenarios.advance(7 * 86_400)
  const payouts = await stage.database.query<{ kind: string; last4: string }>(
    `select kind, bank_account_last4 as last4 from payouts where agent_id in
       (select agent_id from handles where handle = '${agent.handle}') order by created_at`,
  )
  expect(payouts).toEqual([
    { kind: 'withdraw', last4: '9012' },
    { kind: 'settlement', last4: '3456' },
  ])
})

test('each change of verification is one event for the owner’s platform', async () => {
  await scenarios.kyc(owner, '900000000004')
  await scenarios.advance(60)
  await scenarios.advance(600)
  const events = await eventsAbout(stage.database, owner.id)
  expect(events.map(({ data }) => data)).toEqual([
    { owner_id: owner.id, kyc_status: 'pending', tier: 'sandbox', reason: 'bank_pending' },
    { owner_id: owner.id, kyc_status: 'verified', tier: 'tier1', reason: null },
  ])
  expect(await eventFaults(stage.database)).toEqual([])
})
