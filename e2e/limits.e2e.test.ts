import { type BodyOf, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

const HOUR_S = 3_600
const DAY_S = 86_400
const IST_OFFSET_S = 19_800

type Policy = BodyOf<typeof routes.updateAgent>

let stage: PayingStage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let payee: Agent

beforeAll(async () => {
  // These tests cover several days, in which settlement would pay out unused money.
  stage = await openPayingStage()
  ;({ api, network, platform, owner, payee } = stage)
})
afterAll(() => stage.close())

async function advance(seconds: number): Promise<Date> {
  const { now } = await api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
  return new Date(now)
}

describe('a payee rule', () => {
  test('that allows some payees refuses all others', async () => {
    const friend = await network.agent(owner)
    const payer = await network.fundedAgent(owner, { allowed_payees: [friend.id] })
    await network.pay(payer, friend, 1)
    expect((await network.refusedPayment(payer, payee, [403, 'authorization_error'])).field).toBe('to')
  })

  test('that blocks some payees allows all others', async () => {
    const foe = await network.agent(owner)
    const payer = await network.fundedAgent(owner, { blocked_payee_agents: [foe.id] })
    await network.refusedPayment(payer, payee, [403, 'authorization_error'], { to: foe.handle })
    await network.pay(payer, payee, 1)
  })

  test('with an empty list of allowed payees refuses every payee', async () => {
    const payer = await network.fundedAgent(owner, { allowed_payees: [] })
    await network.refusedPayment(payer, payee, [403, 'authorization_error'])
  })

  test('that blocks a payee takes precedence over one that allows it', async () => {
    const both = await network.agent(owner)
    const payer = await network.fundedAgent(owner, {
      allowed_payees: [both.id],
      blocked_payee_agents: [both.id],
    })
    await network.refusedPayment(payer, payee, [403, 'authorization_error'], { to: both.id })
  })
})

describe('the tier of an agent whose owner is not verified', () => {
  let payer: Agent
  beforeAll(async () => {
    const newcomer = await network.owner(platform)
    payer = await network.agent(newcomer)
    await network.fund(payer, 20_000)
  })

  test('requires escrow above 500 INR', async () => {
    const error = await network.refusedPayment(payer, payee, [403, 'escrow_required'], { amount: 500.01 })
    expect(error.details).toMatchObject({ rule: 'require_escrow_above', layer: 'tier', escrow_above: 500 })
  })

  test('refuses payments above 1000 INR, and returns the largest amount allowed', async () => {
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], {
      amount: 1000.01,
    })
    expect(error.details).toEqual({
      policy_version: expect.any(String),
      rule: 'spend_limit_per_tx',
      layer: 'tier',
      limit: 1000,
      used: 0,
      remaining: 1000,
      max_amount_now: 500,
    })
  })

  test('allows 10000 INR in any 24 hours', async () => {
    for (let paid = 0; paid < 10_000; paid += 500) await network.pay(payer, payee, 500)
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 0.01 })
    expect(error.details).toMatchObject({
      rule: 'spend_limit_daily',
      layer: 'tier',
      used: 10_000,
      remaining: 0,
    })
    await advance(DAY_S - HOUR_S)
    await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 0.01 })
    await advance(HOUR_S)
    await network.pay(payer, payee, 500)
  })
})

async function setPolicy(agent: Agent, policy: Policy): Promise<void> {
  await api.ok(routes.updateAgent, {
    params: { agent_id: agent.id },
    headers: platform.headers,
    body: policy,
  })
}

describe('a limit', () => {
  test('of one payment is exact to the paisa, without the fee', async () => {
    const payer = await network.fundedAgent(owner, { spend_limit_per_tx: 100 })
    await network.pay(payer, payee, 100)
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], {
      amount: 100.01,
    })
    expect(error.details).toEqual({
      policy_version: expect.any(String),
      rule: 'spend_limit_per_tx',
      layer: 'agent',
      limit: 100,
      used: 0,
      remaining: 100,
      max_amount_now: 100,
    })
  })

  test('of zero allows nothing', async () => {
    for (const control of [
      'spend_limit_per_tx',
      'spend_limit_hourly',
      'per_counterparty_daily_limit',
    ] as const) {
      const payer = await network.fundedAgent(owner, { [control]: 0 })
      const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], {
        amount: 0.01,
      })
      expect(error.details).toMatchObject({ rule: control, limit: 0, remaining: 0, max_amount_now: 0 })
    }
    const payer = await network.fundedAgent(owner, { max_counterparties_per_hour: 0 })
    expect((await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'])).details).toMatchObject(
      { limit: 0 },
    )
  })

  test('of an hour rolls: a payment made an hour ago no longer counts', async () => {
    const payer = await network.fundedAgent(owner, { spend_limit_hourly: 100 })
    await network.pay(payer, payee, 60)
    await advance(HOUR_S / 2)
    await network.pay(payer, payee, 40)
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 0.01 })
    expect(error.details).toMatchObject({
      rule: 'spend_limit_hourly',
      used: 100,
      remaining: 0,
      max_amount_now: 0,
    })
    expect(error.details).toHaveProperty('retry_at')
    await advance(HOUR_S / 2)
    await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 60.01 })
    await network.pay(payer, payee, 60)
  })

  test('of a day resets at midnight in IST, that of a month with the month', async () => {
    const start = await advance(0)
    // From the start of an IST day on, at whatever time the test runs.
    const intoDay = (Math.floor(start.getTime() / 1000) + IST_OFFSET_S) % DAY_S
    await advance(DAY_S - intoDay)
    const payer = await network.fundedAgent(owner, { spend_limit_daily: 100, spend_limit_monthly: 150 })
    await network.pay(payer, payee, 100)
    await advance(DAY_S - 60)
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 1 })
    expect(error.details).toMatchObject({ rule: 'spend_limit_daily', limit: 100, used: 100, remaining: 0 })
    const midnight = Date.parse(String(error.details?.['retry_at']))
    expect((midnight / 1000 + IST_OFFSET_S) % DAY_S).toBe(0)
    const now = await advance(120)
    expect(now.getTime()).toBeGreaterThanOrEqual(midnight)
    const sameMonth = istMonth(now) === istMonth(new Date(now.getTime() - 120_000))
    if (sameMonth) {
      const monthly = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], {
        amount: 50.01,
      })
      expect(monthly.details).toMatchObject({
        rule: 'spend_limit_monthly',
        limit: 150,
        used: 100,
        remaining: 50,
      })
    }
    await network.pay(payer, payee, 50)
    await advance(31 * DAY_S)
    // The service has paid out what was not used.
    await network.fund(payer, 200)
    await network.pay(payer, payee, 100)
  })

  test('of one counterparty a day counts each counterparty separately', async () => {
    const other = await network.agent(owner)
    const payer = await network.fundedAgent(owner, { per_counterparty_daily_limit: 50 })
    await network.pay(payer, payee, 50)
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 0.01 })
    expect(error.details).toMatchObject({ rule: 'per_counterparty_daily_limit', used: 50, remaining: 0 })
    await network.pay(payer, other, 50)
  })

  test('of counterparties an hour counts each counterparty once, and rolls', async () => {
    const [first, second] = [await network.agent(owner), await network.agent(owner)]
    const payer = await network.fundedAgent(owner, { max_counterparties_per_hour: 2 })
    for (const to of [first, first, second, first]) await network.pay(payer, to, 1)
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'])
    expect(error.details).toMatchObject({
      rule: 'max_counterparties_per_hour',
      limit: 2,
      used: 2,
      remaining: 0,
    })
    await network.pay(payer, second, 1)
    await advance(HOUR_S)
    await network.pay(payer, payee, 1)
  })

  test.each([
    'spend_limit_hourly',
    'spend_limit_daily',
    'spend_limit_monthly',
    'per_counterparty_daily_limit',
  ] as const)('%s says when the same payment will pass, and then it does', async control => {
    const payer = await network.fundedAgent(owner, { [control]: 100 })
    await network.pay(payer, payee, 60)
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 60 })
    const { now } = await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
    const wait = Date.parse(String(error.details?.['retry_at'])) - Date.parse(now)
    expect(wait).toBeGreaterThan(0)
    await advance(Math.ceil(wait / 1000))
    // After two banking days the service has paid out what was not used.
    await network.fund(payer, 100)
    await network.pay(payer, payee, 60)
  })

  test('that is the tightest decides, and the response says what is possible now', async () => {
    const payer = await network.fundedAgent(owner, {
      spend_limit_per_tx: 80,
      spend_limit_hourly: 100,
      spend_limit_daily: 90,
    })
    await network.pay(payer, payee, 50)
    const error = await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 85 })
    expect(error.details).toMatchObject({ rule: 'spend_limit_daily', remaining: 40, max_amount_now: 40 })
    await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 40.01 })
    await network.pay(payer, payee, 40)
  })

  test('that is lowered applies to the next payment', async () => {
    const payer = await network.fundedAgent(owner)
    await network.pay(payer, payee, 10)
    await setPolicy(payer, { spend_limit_daily: 10 })
    await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 0.01 })
  })

  test('does not count refused payments and refunds', async () => {
    const payer = await network.fundedAgent(owner, { spend_limit_daily: 100 })
    await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 100.01 })
    const miser = await network.agent(owner, { spend_limit_daily: 0 })
    const payment = await network.pay(payer, miser, 100)
    const params = { payment_id: payment.payment_id ?? '' }
    await api.ok(routes.refundPayment, { params, headers: miser.headers, body: {} })
    await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 0.01 })
  })
})

function istMonth(time: Date): string {
  return new Date(time.getTime() + IST_OFFSET_S * 1000).toISOString().slice(0, 7)
}
