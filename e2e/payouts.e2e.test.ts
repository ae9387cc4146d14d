import { routes } from '@batua/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Agent, newBankAccount, type Owner, type Platform } from './src/network.ts'
import { type Line, openSandboxScenarios, type SandboxScenarios } from './src/sandbox-scenarios.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let scenarios: SandboxScenarios
let platform: Platform

beforeAll(async () => {
  stage = await sharedStage()
  scenarios = openSandboxScenarios(stage.api)
  platform = await stage.network.platform()
})
afterEach(async () => {
  expect(await ledgerFaults(stage.database.query)).toEqual([])
})
afterAll(() => stage.close())

const MINUTE_S = 60
const DAY_S = 86_400

/** An agent with 975 INR, whose owner has this account. */
async function fundedAgent(account: string | null = newBankAccount()): Promise<Agent> {
  const owner = await stage.network.owner(platform)
  if (account !== null) expect((await scenarios.kyc(owner, account)).kyc_status).toBe('verified')
  return stage.network.fundedAgent(owner)
}

function withdrawCall({ id, headers }: Agent, body: { amount?: number } = {}) {
  return { params: { agent_id: id }, headers, body }
}

async function available(agent: Agent): Promise<number> {
  return (await stage.network.balance(agent)).available
}

/** All payouts of an agent, the latest first. */
async function payouts({ id, headers }: Agent): Promise<Line[]> {
  const params = { agent_id: id }
  const { transactions } = await stage.api.ok(routes.listTransactions, { params, headers })
  return transactions.filter(({ type }) => type === 'withdraw' || type === 'settlement')
}

describe('a withdrawal', () => {
  test('is debited at once and completes with the bank’s reference', async () => {
    const account = newBankAccount()
    const agent = await fundedAgent(account)
    const sent = await stage.api.ok(routes.withdraw, withdrawCall(agent, { amount: 400.5 }))
    expect(sent).toMatchObject({
      agent_id: agent.id,
      amount: 400.5,
      status: 'pending',
      bank_account_last4: account.slice(-4),
    })
    const { now } = await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
    const days = (Date.parse(sent.estimated_arrival) - Date.parse(now)) / (DAY_S * 1_000)
    expect(sent.estimated_arrival).toMatch(/T12:30:00\.000Z$/)
    expect(days).toBeGreaterThan(1)
    expect(days).toBeLessThan(10)

    expect(await available(agent)).toBe(574.5)
    await scenarios.advance(MINUTE_S)
    expect(await payouts(agent)).toMatchObject([
      {
        id: sent.transaction_id,
        type: 'withdraw',
        status: 'completed',
        amount: 400.5,
        utr: expect.stringMatching(/\S/),
        counterparty_id: null,
      },
    ])
    expect(await stage.network.balance(agent)).toMatchObject({ available: 574.5, total_spent: 0 })
  })

  test('without an amount takes the whole balance, and a second one finds none', async () => {
    const agent = await fundedAgent()
    expect((await stage.api.ok(routes.withdraw, withdrawCall(agent))).amount).toBe(975)
    await stage.api.refused(routes.withdraw, 402, 'insufficient_balance', withdrawCall(agent))
  })

  test('above the balance is refused with the balance and the amount needed', async () => {
    const agent = await fundedAgent()
    const call = withdrawCall(agent, { amount: 975.01 })
    const { details } = await stage.api.refused(routes.withdraw, 402, 'insufficient_balance', call)
    expect(details).toMatchObject({ balance: 975, required: 975.01, amount: 975.01, fee: 0 })
    expect(await available(agent)).toBe(975)
  })

  test('needs a verified bank account', async () => {
    const agent = await fundedAgent(null)
    await stage.api.refused(routes.withdraw, 403, 'kyc_required', withdrawCall(agent))
    await stage.network.verify(agent.owner)
    await stage.api.ok(routes.withdraw, withdrawCall(agent))
  })

  test('is made once under the same Idempotency-Key', async () => {
    const agent = await fundedAgent()
    const call = withdrawCall(agent, { amount: 100 })
    const headers = { ...agent.headers, 'idempotency-key': `key-${agent.handle}` }
    const first = await stage.api.ok(routes.withdraw, { ...call, headers })
    expect(await stage.api.ok(routes.withdraw, { ...call, headers })).toEqual(first)
    expect(await available(agent)).toBe(875)
  })

  test('may be requested by the agent, its platform and its owner, also for a paused or deactivated agent', async () => {
    const agent = await fundedAgent()
    const owner = await stage.network.login(agent.owner)
    for (const headers of [agent.headers, platform.headers, owner]) {
      await stage.api.ok(routes.withdraw, { ...withdrawCall(agent, { amount: 1 }), headers })
    }
    const ended = { params: { agent_id: agent.id }, headers: platform.headers }
    await stage.api.ok(routes.pauseAgent, ended)
    await stage.api.ok(routes.withdraw, { ...ended, body: { amount: 1 } })
    await stage.api.ok(routes.deactivateAgent, ended)
    await stage.api.ok(routes.withdraw, { ...ended, body: {} })
  })

  test('is refused while the agent is frozen or quarantined', async () => {
    const agent = await fundedAgent()
    const headers = await stage.network.admin()
    for (const [route, state] of [
      [routes.bulkQuarantineAgents, 'quarantined'],
      [routes.bulkFreezeAgents, 'frozen'],
    ] as const) {
      await stage.api.ok(route, { headers, body: { agent_ids: [agent.id] } })
      const call = { ...withdrawCall(agent), headers: platform.headers }
      const error = await stage.api.refused(routes.withdraw, 403, 'policy_denied', call)
      expect(error.message).toBe(`Agent is ${state}`)
    }
  })
})

describe('a bank', () => {
  test.each([
    ['900000000006', 'failed', 975, 'that refuses'],
    ['900000000007', 'completed', 0, 'that takes its time'],
    ['900000000008', 'completed', 0, 'that has no reference at first'],
    ['7766671735000', 'reversed', 975, 'that sends the money back later'],
  ])(
    'with the account %s results in %s with a balance of %i and one %s',
    async (account, status, balance) => {
      const agent = await fundedAgent(account)
      await stage.api.ok(routes.withdraw, withdrawCall(agent))
      for (const seconds of [MINUTE_S, 10 * MINUTE_S, 2 * 60 * MINUTE_S]) await scenarios.advance(seconds)
      const [payout] = await payouts(agent)
      expect(payout?.status).toBe(status)
      expect(await available(agent)).toBe(balance)
      if (status !== 'failed') expect(payout?.utr).toMatch(/\S/)
    },
  )
})

describe('settlement', () => {
  interface Wallets {
    readonly due: Agent
    readonly unverified: Agent
  }

  async function openWallets(): Promise<Wallets> {
    return { due: await fundedAgent(), unverified: await fundedAgent(null) }
  }

  async function latestRun() {
    const headers = await stage.network.admin()
    const { settlements } = await stage.api.ok(routes.listSettlements, { headers })
    const [run] = settlements
    if (run === undefined) throw new Error('there is a run')
    const params = { day: run.day }
    const { skipped } = await stage.api.ok(routes.listSettlementSkips, {
      params,
      headers,
      query: { limit: 100 },
    })
    return { run, skipped }
  }

  /** Money is two business days old after at most eight days with a long weekend among them. */
  async function letSettle({ due }: Wallets): Promise<void> {
    for (let days = 0; days < 12 && (await available(due)) > 0; days++) await scenarios.advance(DAY_S)
  }

  test('pays out balances that are two business days old and reports skipped wallets, which follow after KYC', async () => {
    const wallets = await openWallets()
    await scenarios.advance(DAY_S)
    expect(await available(wallets.due)).toBe(975)
    await letSettle(wallets)
    expect(await payouts(wallets.due)).toMatchObject([
      { type: 'settlement', status: 'completed', amount: 975, utr: expect.stringMatching(/\S/) },
    ])
    const { run, skipped } = await latestRun()
    expect(run.status).toBe('finished')
    expect(run.skipped.no_verified_bank_account).toBeGreaterThan(0)
    expect(skipped).toContainEqual({
      agent_id: wallets.unverified.id,
      agent_name: 'Research Agent',
      owner_id: wallets.unverified.owner.id,
      reason: 'no_verified_bank_account',
      balance: 975,
    })
    await verifyAndSettle(wallets.unverified.owner, wallets.unverified)
  })

  async function verifyAndSettle(owner: Owner, agent: Agent): Promise<void> {
    await stage.network.verify(owner)
    await letSettle({ due: agent, unverified: agent })
    expect(await payouts(agent)).toMatchObject([{ type: 'settlement', status: 'completed', amount: 975 }])
  }

  test('of a day without a run is not found', async () => {
    const headers = await stage.network.admin()
    for (const day of ['2020-01-01', 'yesterday', '2026-02-30']) {
      await stage.api.refused(routes.listSettlementSkips, 404, 'not_found', { params: { day }, headers })
    }
  })
})
