import { type BodyOf, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import type { Api, ApiError } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { openStage, type Stage } from './src/stage.ts'

const HOUR_S = 3_600
const DAY_S = 86_400
const IST_OFFSET_S = 19_800

type PayBody = BodyOf<typeof routes.pay>
type Policy = BodyOf<typeof routes.updateAgent>

let stage: Stage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let payee: Agent

beforeAll(async () => {
  stage = await openStage()
  ;({ api, network } = stage)
  platform = await network.platform()
  owner = await network.owner(platform)
  await network.verify(owner)
  payee = await network.agent(owner)
})
afterAll(() => stage.close())

/** An agent with 975 INR. */
async function richAgent(policy: Policy = {}): Promise<Agent> {
  const agent = await network.agent(owner, policy)
  await network.fund(agent, 1000)
  return agent
}

type Code = Parameters<Api['refused']>[2]

function refusal(from: Agent, status: number, code: Code, body: Partial<PayBody> = {}): Promise<ApiError> {
  return api.refused(routes.pay, status, code, {
    params: { agent_id: from.id },
    headers: from.headers,
    body: { to: payee.id, amount: 1, ...body },
  })
}

async function advance(seconds: number): Promise<Date> {
  const { now } = await api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
  return new Date(now)
}

group('the fee', () => {
  const FEES = [
    [0.01, 1],
    [1, 1],
    [199.99, 1],
    [200, 1],
    [200.99, 1],
    [201, 1.01],
    [201.01, 1.01],
    [333.33, 1.67],
    [400, 2],
  ] as const

  test('is 0.5 %, half a paisa up, at least 1 INR, and never the payee’s', async () => {
    const payer = await network.agent(owner)
    const receiver = await network.agent(owner)
    await network.fund(payer, 10_000)
    let [left, received] = [975_000, 0]
    for (const [amount, cost] of FEES) {
      const result = await network.pay(payer, receiver, amount)
      left -= Math.round(amount * 100) + Math.round(cost * 100)
      received += Math.round(amount * 100)
      expect({ amount, cost: result.cost, from_balance: result.from_balance }).toEqual({
        amount,
        cost,
        from_balance: left / 100,
      })
    }
    expect(await network.balance(receiver)).toEqual({
      available: received / 100,
      total_funded: received / 100,
      total_spent: 0,
    })
  })
})

group('a payment is refused', () => {
  test('to oneself, by id as by handle', async () => {
    const payer = await richAgent()
    for (const to of [payer.id, payer.handle, `@${payer.handle.toUpperCase()}`]) {
      expect((await refusal(payer, 400, 'validation_error', { to })).field).toBe('to')
    }
  })

  test('to nobody', async () => {
    const payer = await richAgent()
    for (const to of [
      'agt_01kb7q3f8meg5tz4x9wc2n6a01',
      'nobody-here',
      '@nobody-here',
      "x' or '1'='1",
      'жанна',
    ]) {
      expect((await refusal(payer, 404, 'not_found', { to })).field).toBe('to')
    }
  })

  test('to an agent that was deactivated', async () => {
    const [payer, gone] = [await richAgent(), await network.agent(owner)]
    await api.ok(routes.deactivateAgent, { params: { agent_id: gone.id }, headers: platform.headers })
    expect((await refusal(payer, 400, 'validation_error', { to: gone.handle })).field).toBe('to')
  })

  test('from a deactivated agent, whose key works no more', async () => {
    const gone = await richAgent()
    await api.ok(routes.deactivateAgent, { params: { agent_id: gone.id }, headers: platform.headers })
    await refusal(gone, 401, 'authentication_error')
  })

  test('beyond the balance, with every figure in words and as numbers', async () => {
    const payer = await richAgent()
    const error = await refusal(payer, 402, 'insufficient_balance', { amount: 975 })
    expect(error.details).toEqual({ balance: 975, required: 979.88, amount: 975, fee: 4.88 })
    for (const figure of ['975.00', '979.88', '4.88']) expect(error.message).toContain(figure)
    await network.pay(payer, payee, 970.14)
    await refusal(payer, 402, 'insufficient_balance', { amount: 0.01 })
    expect((await network.balance(payer)).available).toBe(0.01)
  })

  test('with a reference that must be unique and is missing', async () => {
    const error = await refusal(await richAgent(), 400, 'validation_error', { unique_reference: true })
    expect(error.field).toBe('reference')
  })

  test('with a reference that this payee was already paid with, when it must be unique', async () => {
    const payer = await richAgent()
    const other = await network.agent(owner)
    const first = await network.pay(payer, payee, 1, { reference: 'nonce-1' })
    await network.pay(payer, payee, 1, { reference: 'nonce-1' })
    const error = await refusal(payer, 409, 'conflict', { reference: 'nonce-1', unique_reference: true })
    expect(error.details).toEqual({ payment_id: first.payment_id })
    await network.pay(payer, other, 1, { reference: 'nonce-1', unique_reference: true })
    await network
      .pay(other, payee, 0.01, { reference: 'nonce-1', unique_reference: true })
      .catch(() => undefined)
    await network.pay(payer, payee, 1, { reference: 'nonce-2', unique_reference: true })
  })
})

group('a payee rule', () => {
  test('that allows some refuses all others', async () => {
    const friend = await network.agent(owner)
    const payer = await richAgent({ allowed_payees: [friend.id] })
    await network.pay(payer, friend, 1)
    expect((await refusal(payer, 403, 'authorization_error')).field).toBe('to')
  })

  test('that blocks some allows all others', async () => {
    const foe = await network.agent(owner)
    const payer = await richAgent({ blocked_payee_agents: [foe.id] })
    await refusal(payer, 403, 'authorization_error', { to: foe.handle })
    await network.pay(payer, payee, 1)
  })

  test('that allows nobody refuses everybody', async () => {
    const payer = await richAgent({ allowed_payees: [] })
    await refusal(payer, 403, 'authorization_error')
  })

  test('blocks what is allowed as well', async () => {
    const both = await network.agent(owner)
    const payer = await richAgent({ allowed_payees: [both.id], blocked_payee_agents: [both.id] })
    await refusal(payer, 403, 'authorization_error', { to: both.id })
  })
})

async function setPolicy(agent: Agent, policy: Policy): Promise<void> {
  await api.ok(routes.updateAgent, {
    params: { agent_id: agent.id },
    headers: platform.headers,
    body: policy,
  })
}

group('a limit', () => {
  test('of one payment holds to the paisa, without the fee', async () => {
    const payer = await richAgent({ spend_limit_per_tx: 100 })
    await network.pay(payer, payee, 100)
    const error = await refusal(payer, 403, 'spend_limit_exceeded', { amount: 100.01 })
    expect(error.details).toEqual({
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
      const payer = await richAgent({ [control]: 0 })
      const error = await refusal(payer, 403, 'spend_limit_exceeded', { amount: 0.01 })
      expect(error.details).toMatchObject({ rule: control, limit: 0, remaining: 0, max_amount_now: 0 })
    }
    const payer = await richAgent({ max_counterparties_per_hour: 0 })
    expect((await refusal(payer, 403, 'spend_limit_exceeded')).details).toMatchObject({ limit: 0 })
  })

  test('of an hour rolls: what was paid an hour ago counts no more', async () => {
    const payer = await richAgent({ spend_limit_hourly: 100 })
    await network.pay(payer, payee, 60)
    await advance(HOUR_S / 2)
    await network.pay(payer, payee, 40)
    const error = await refusal(payer, 403, 'spend_limit_exceeded', { amount: 0.01 })
    expect(error.details).toMatchObject({
      rule: 'spend_limit_hourly',
      used: 100,
      remaining: 0,
      max_amount_now: 0,
    })
    expect(error.details).toHaveProperty('retry_at')
    await advance(HOUR_S / 2)
    await refusal(payer, 403, 'spend_limit_exceeded', { amount: 60.01 })
    await network.pay(payer, payee, 60)
  })

  test('of a day ends at midnight in IST, that of a month with the month', async () => {
    const start = await advance(0)
    // From the beginning of an IST day on, whatever the time of day is when the test runs.
    const intoDay = (Math.floor(start.getTime() / 1000) + IST_OFFSET_S) % DAY_S
    await advance(DAY_S - intoDay)
    const payer = await richAgent({ spend_limit_daily: 100, spend_limit_monthly: 150 })
    await network.pay(payer, payee, 100)
    await advance(DAY_S - 60)
    const error = await refusal(payer, 403, 'spend_limit_exceeded', { amount: 1 })
    expect(error.details).toMatchObject({ rule: 'spend_limit_daily', limit: 100, used: 100, remaining: 0 })
    const midnight = Date.parse(String(error.details?.['retry_at']))
    expect((midnight / 1000 + IST_OFFSET_S) % DAY_S).toBe(0)
    const now = await advance(120)
    expect(now.getTime()).toBeGreaterThanOrEqual(midnight)
    const sameMonth = istMonth(now) === istMonth(new Date(now.getTime() - 120_000))
    if (sameMonth) {
      const monthly = await refusal(payer, 403, 'spend_limit_exceeded', { amount: 50.01 })
      expect(monthly.details).toMatchObject({
        rule: 'spend_limit_monthly',
        limit: 150,
        used: 100,
        remaining: 50,
      })
    }
    await network.pay(payer, payee, 50)
    await advance(31 * DAY_S)
    await network.pay(payer, payee, 100)
  })

  test('of one counterparty a day is each counterparty’s own', async () => {
    const other = await network.agent(owner)
    const payer = await richAgent({ per_counterparty_daily_limit: 50 })
    await network.pay(payer, payee, 50)
    const error = await refusal(payer, 403, 'spend_limit_exceeded', { amount: 0.01 })
    expect(error.details).toMatchObject({ rule: 'per_counterparty_daily_limit', used: 50, remaining: 0 })
    await network.pay(payer, other, 50)
  })

  test('of counterparties an hour counts each once, and rolls', async () => {
    const [first, second] = [await network.agent(owner), await network.agent(owner)]
    const payer = await richAgent({ max_counterparties_per_hour: 2 })
    for (const to of [first, first, second, first]) await network.pay(payer, to, 1)
    const error = await refusal(payer, 403, 'spend_limit_exceeded')
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

  test('is the tightest of all, and the answer says what is possible now', async () => {
    const payer = await richAgent({ spend_limit_per_tx: 80, spend_limit_hourly: 100, spend_limit_daily: 90 })
    await network.pay(payer, payee, 50)
    const error = await refusal(payer, 403, 'spend_limit_exceeded', { amount: 85 })
    expect(error.details).toMatchObject({ rule: 'spend_limit_daily', remaining: 40, max_amount_now: 40 })
    await refusal(payer, 403, 'spend_limit_exceeded', { amount: 40.01 })
    await network.pay(payer, payee, 40)
  })

  test('that is lowered holds for the very next payment', async () => {
    const payer = await richAgent()
    await network.pay(payer, payee, 10)
    await setPolicy(payer, { spend_limit_daily: 10 })
    await refusal(payer, 403, 'spend_limit_exceeded', { amount: 0.01 })
  })

  test('is not used up by what was refused, and refunds do not count', async () => {
    const payer = await richAgent({ spend_limit_daily: 100 })
    await refusal(payer, 403, 'spend_limit_exceeded', { amount: 100.01 })
    const miser = await network.agent(owner, { spend_limit_daily: 0 })
    const payment = await network.pay(payer, miser, 100)
    const params = { payment_id: payment.payment_id ?? '' }
    await api.ok(routes.refundPayment, { params, headers: miser.headers, body: {} })
    await refusal(payer, 403, 'spend_limit_exceeded', { amount: 0.01 })
  })
})

function istMonth(time: Date): string {
  return new Date(time.getTime() + IST_OFFSET_S * 1000).toISOString().slice(0, 7)
}

group('of several reasons to refuse', () => {
  test('the used key comes before all others, then the recipient, its rules, the limits and the balance', async () => {
    const payer = await richAgent({ spend_limit_per_tx: 10, blocked_payee_agents: [payee.id] })
    const friend = await network.agent(owner)
    await network.pay(payer, friend, 1, { idempotency_key: 'used' })
    const everything = { amount: 5000, idempotency_key: 'used' }
    await refusal(payer, 409, 'idempotency_error', { ...everything, to: 'nobody-here' })
    await refusal(payer, 409, 'idempotency_error', { ...everything, to: payer.id })
    await refusal(payer, 404, 'not_found', { to: 'nobody-here', amount: 5000 })
    await refusal(payer, 400, 'validation_error', { to: payer.id, amount: 5000 })
    await refusal(payer, 403, 'authorization_error', { amount: 5000 })
    await refusal(payer, 403, 'spend_limit_exceeded', { to: friend.id, amount: 5000 })
  })
})

group('an idempotency key', () => {
  test('belongs to its payer, and is used up only by a payment that happened', async () => {
    const [payer, other] = [await richAgent(), await richAgent()]
    await refusal(payer, 402, 'insufficient_balance', { amount: 980, idempotency_key: 'k' })
    await refusal(payer, 404, 'not_found', { to: 'nobody-here', idempotency_key: 'k' })
    const payment = await network.pay(payer, payee, 1, { idempotency_key: 'k' })
    const error = await refusal(payer, 409, 'idempotency_error', { amount: 2, idempotency_key: 'k' })
    expect(error.details).toEqual({ payment_id: payment.payment_id, status: 'completed' })
    await network.pay(other, payee, 1, { idempotency_key: 'k' })
  })

  test('sent fifty times at once moves money once', async () => {
    const payer = await richAgent()
    const call = {
      params: { agent_id: payer.id },
      headers: payer.headers,
      body: { to: payee.id, amount: 10, idempotency_key: 'at once' },
    }
    const replies = await Promise.all(Array.from({ length: 50 }, () => api.send(routes.pay, call)))
    expect(replies.filter(reply => reply.status === 200).length).toBe(1)
    expect(replies.filter(reply => reply.status === 409).length).toBe(49)
    expect((await network.balance(payer)).available).toBe(964)
  })

  test('may be any text of up to 255 characters, and is never mistaken for another', async () => {
    const payer = await richAgent()
    const keys = ['a', 'A', ' a', 'a ', '%', "' or ''='", '\\', '"', '{}', 'é', '💸', 'x'.repeat(255)]
    for (const idempotency_key of keys) await network.pay(payer, payee, 1, { idempotency_key })
    for (const idempotency_key of keys) {
      await refusal(payer, 409, 'idempotency_error', { idempotency_key })
      const found = await api.ok(routes.listPayments, {
        params: { agent_id: payer.id },
        headers: payer.headers,
        query: { idempotency_key },
      })
      expect(found.payments.length).toBe(1)
    }
    expect((await network.balance(payer)).available).toBe(975 - 2 * keys.length)
  })
})

group('a text', () => {
  test('comes back as it was sent, in the composed form of Unicode', async () => {
    const payer = await richAgent()
    const decomposed = 'cafe\u0301 \u092e\u093f\u0932\u093e 💸 "\\ \u202etxt'
    const note = `${decomposed}\n\tsecond line\r\n`
    const payment = await network.pay(payer, payee, 1, { reference: decomposed, note })
    const { transactions } = await api.ok(routes.listTransactions, {
      params: { agent_id: payer.id },
      headers: payer.headers,
    })
    expect(transactions[0]).toMatchObject({
      reference: decomposed.normalize('NFC'),
      note: note.normalize('NFC'),
    })
    const receipt = await api.ok(routes.getReceipt, {
      params: { receipt_id: payment.receipt_id ?? '' },
      headers: payee.headers,
    })
    expect(receipt).toMatchObject({ reference: decomposed.normalize('NFC'), note: note.normalize('NFC') })
    for (const reference of [decomposed, decomposed.normalize('NFC')]) {
      const found = await api.ok(routes.listPayments, {
        params: { agent_id: payer.id },
        headers: payer.headers,
        query: { reference },
      })
      expect(found.payments.map(one => one.payment_id)).toEqual([payment.payment_id])
      await refusal(payer, 409, 'conflict', { reference, unique_reference: true })
    }
  })

  test('that is longest is still taken', async () => {
    const payer = await richAgent()
    await network.pay(payer, payee, 1, { reference: '💸'.repeat(255), note: '💸'.repeat(500) })
  })
})

group('a refund', () => {
  test('is refused with a used key, beyond what was paid, beyond the balance, or of what is no payment', async () => {
    const payer = await richAgent()
    const receiver = await network.agent(owner)
    const payment = await network.pay(payer, receiver, 100)
    const call = (body: object, payment_id = payment.payment_id ?? '') => ({
      params: { payment_id },
      headers: receiver.headers,
      body,
    })
    await api.refused(routes.refundPayment, 409, 'conflict', call({ amount: 100.01 }))
    await network.pay(receiver, payee, 50)
    const short = await api.refused(routes.refundPayment, 402, 'insufficient_balance', call({}))
    expect(short.details).toMatchObject({ balance: 49, required: 100, amount: 100, fee: 0 })
    await api.ok(routes.refundPayment, call({ amount: 10, idempotency_key: 'r' }))
    const used = await api.refused(
      routes.refundPayment,
      409,
      'idempotency_error',
      call({ idempotency_key: 'r' }),
    )
    expect(JSON.stringify(used.details)).toContain('rfd_')
    await api.refused(routes.refundPayment, 404, 'not_found', call({}, payment.transaction_id))
    const { transactions } = await api.ok(routes.listTransactions, {
      params: { agent_id: receiver.id },
      headers: receiver.headers,
    })
    expect(transactions[0]).toMatchObject({ type: 'pay_out', amount: 10, fee: 0, net_amount: 10 })
    expect(transactions[0]?.payment_id).toBe(payment.payment_id)
    expect(await network.balance(payer)).toMatchObject({
      available: 884,
      total_funded: 985,
      total_spent: 101,
    })
  })

  test('raced by fifty others never gives back more than was paid', async () => {
    const payer = await richAgent()
    const receiver = await network.agent(owner)
    await network.fund(receiver, 1000)
    const payment = await network.pay(payer, receiver, 100)
    const call = {
      params: { payment_id: payment.payment_id ?? '' },
      headers: receiver.headers,
      body: { amount: 7 },
    }
    const replies = await Promise.all(Array.from({ length: 50 }, () => api.send(routes.refundPayment, call)))
    expect(replies.filter(reply => reply.status === 200).length).toBe(14)
    expect((await network.balance(payer)).available).toBe(975 - 101 + 98)
    expect(await api.ok(routes.refundPayment, { ...call, body: {} })).toMatchObject({
      amount: 2,
      refunded_total: 100,
    })
  })
})

group('verifying', () => {
  test('names the first reason in the interface’s order, to the payee', async () => {
    const payer = await richAgent()
    const other = await network.agent(owner)
    const payment = await network.pay(payer, payee, 12.5, { reference: 'nonce' })
    const verify = (
      agent: Agent,
      query: Record<string, string | number | boolean>,
      txn_id = payment.payment_id ?? '',
    ) => api.ok(routes.verifyTransaction, { params: { txn_id }, headers: agent.headers, query })
    const wrong = { expected_payee: other.handle, expected_amount: 13, nonce: 'other' }
    const right = { expected_payee: `@${payee.handle}`, expected_amount: 12.5, nonce: 'nonce' }
    expect(await verify(payee, right, 'pay_01kb7q3f8meg5tz4x9wc2n6a01')).toEqual({
      verified: false,
      reason: 'transaction_not_found',
      transaction_id: 'pay_01kb7q3f8meg5tz4x9wc2n6a01',
      from: null,
      to: null,
      amount: null,
      asset: 'INR',
      created_at: null,
    })
    expect(await verify(other, wrong)).toMatchObject({ reason: 'not_payee', from: null, amount: null })
    expect(await verify(payer, wrong)).toMatchObject({ verified: false, reason: 'not_payee' })
    expect(await verify(payee, wrong)).toMatchObject({ verified: false, reason: 'payee_mismatch' })
    const { expected_amount, nonce } = wrong
    expect(await verify(payee, { ...right, expected_amount, nonce })).toMatchObject({
      reason: 'insufficient_amount',
    })
    expect(await verify(payee, { ...right, nonce })).toMatchObject({
      verified: false,
      reason: 'nonce_mismatch',
    })
    for (const query of [right, {}, { expected_amount: 12.49 }]) {
      expect(await verify(payee, query)).toMatchObject({ verified: true, amount: '12.50', to: payee.id })
    }
    expect(await verify(payee, right, payment.transaction_id)).toMatchObject({ verified: true })
    const params = { payment_id: payment.payment_id ?? '' }
    await api.ok(routes.refundPayment, { params, headers: payee.headers, body: {} })
    expect(await verify(payee, right)).toMatchObject({ verified: false, reason: 'transaction_not_completed' })
  })

  test('with consume needs a nonce, is never cached, and lets exactly one of many have it', async () => {
    const payer = await richAgent()
    const payment = await network.pay(payer, payee, 1, { reference: 'raced' })
    const params = { txn_id: payment.payment_id ?? '' }
    const call = { params, headers: payee.headers }
    const bare = await api.refused(routes.verifyTransaction, 400, 'validation_error', {
      ...call,
      query: { consume: true },
    })
    expect(bare.field).toBe('nonce')
    await api.ok(routes.verifyTransaction, { ...call, query: { nonce: 'wrong', consume: true } })
    const replies = await Promise.all(
      Array.from({ length: 30 }, () =>
        api.send(routes.verifyTransaction, { ...call, query: { nonce: 'raced', consume: true } }),
      ),
    )
    const answers = replies.map(reply => reply.body as { verified: boolean; reason?: string })
    expect(answers.filter(answer => answer.verified).length).toBe(1)
    expect(answers.filter(answer => answer.reason === 'nonce_already_used').length).toBe(29)
    for (const reply of replies) expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(await api.ok(routes.verifyTransaction, { ...call, query: { nonce: 'raced' } })).toMatchObject({
      verified: true,
    })
  })
})
