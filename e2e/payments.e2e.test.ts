import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let payee: Agent

beforeAll(async () => {
  stage = await openPayingStage()
  ;({ api, network, platform, owner, payee } = stage)
})
afterAll(() => stage.close())

describe('the fee', () => {
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

  test('is 0.5 %, rounded half up, at least 1 INR, and never charged to the payee', async () => {
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

describe('the token of a receipt', () => {
  test('is returned with the payment on request, and is the same as the receipt’s', async () => {
    const payer = await network.fundedAgent(owner)
    const call = { params: { agent_id: payer.id }, headers: payer.headers }
    const body = { to: payee.handle, amount: 2.5, reference: 'nonce' }
    const paid = await api.ok(routes.pay, { ...call, body: { ...body, receipt_token: true } })
    const params = { receipt_id: paid.receipt_id ?? '' }
    const { token } = await api.ok(routes.getReceipt, { params, headers: payer.headers })
    expect(paid.receipt_token).toBe(token)
    for (const more of [{}, { receipt_token: false }]) {
      expect(await api.ok(routes.pay, { ...call, body: { ...body, ...more } })).not.toHaveProperty(
        'receipt_token',
      )
    }
  })

  test('is the same in the repeated response to a repeated request', async () => {
    const payer = await network.fundedAgent(owner)
    const headers = { ...payer.headers, 'idempotency-key': 'order-7' }
    const body = { to: payee.handle, amount: 2.5, receipt_token: true }
    const call = { params: { agent_id: payer.id }, headers, body }
    const paid = await api.ok(routes.pay, call)
    expect(paid.receipt_token).not.toBeNull()
    expect(await api.ok(routes.pay, call)).toEqual(paid)
  })

  test('is null while the payment waits for its owner', async () => {
    const payer = await network.fundedAgent(owner)
    const agent = { params: { agent_id: payer.id } }
    const { headers } = platform
    await api.ok(routes.updateAgent, { ...agent, headers, body: { require_human_approval_above: 1 } })
    const body = { to: payee.handle, amount: 2.5, receipt_token: true }
    const waiting = await api.ok(routes.pay, { ...agent, headers: payer.headers, body })
    expect(waiting).toMatchObject({ status: 'pending_approval', receipt_token: null })
  })
})

describe('a payment is refused', () => {
  test('to the payer itself, by id or by handle', async () => {
    const payer = await network.fundedAgent(owner)
    for (const to of [payer.id, payer.handle, `@${payer.handle.toUpperCase()}`]) {
      expect((await network.refusedPayment(payer, payee, [400, 'validation_error'], { to })).field).toBe('to')
    }
  })

  test('a payment to an unknown payee is refused', async () => {
    const payer = await network.fundedAgent(owner)
    for (const to of [
      'agt_01kb7q3f8meg5tz4x9wc2n6a01',
      'nobody-here',
      '@nobody-here',
      "x' or '1'='1",
      'жанна',
    ]) {
      expect((await network.refusedPayment(payer, payee, [404, 'not_found'], { to })).field).toBe('to')
    }
  })

  test('to a deactivated agent', async () => {
    const [payer, gone] = [await network.fundedAgent(owner), await network.agent(owner)]
    await api.ok(routes.deactivateAgent, { params: { agent_id: gone.id }, headers: platform.headers })
    expect(
      (await network.refusedPayment(payer, payee, [400, 'validation_error'], { to: gone.handle })).field,
    ).toBe('to')
  })

  test('from a deactivated agent, whose key no longer works', async () => {
    const gone = await network.fundedAgent(owner)
    await api.ok(routes.deactivateAgent, { params: { agent_id: gone.id }, headers: platform.headers })
    await network.refusedPayment(gone, payee, [401, 'authentication_error'])
  })

  test('beyond the balance, with all figures in the message and the details', async () => {
    const payer = await network.fundedAgent(owner)
    const error = await network.refusedPayment(payer, payee, [402, 'insufficient_balance'], { amount: 975 })
    expect(error.details).toEqual({ balance: 975, required: 979.88, amount: 975, fee: 4.88 })
    for (const figure of ['975.00', '979.88', '4.88']) expect(error.message).toContain(figure)
    await network.pay(payer, payee, 970.14)
    await network.refusedPayment(payer, payee, [402, 'insufficient_balance'], { amount: 0.01 })
    expect((await network.balance(payer)).available).toBe(0.01)
  })

  test('without a reference if it must be unique', async () => {
    const error = await network.refusedPayment(
      await network.fundedAgent(owner),
      payee,
      [400, 'validation_error'],
      { unique_reference: true },
    )
    expect(error.field).toBe('reference')
  })

  test('with a reference that was used for this payee before, if it must be unique', async () => {
    const payer = await network.fundedAgent(owner)
    const other = await network.agent(owner)
    const first = await network.pay(payer, payee, 1, { reference: 'nonce-1' })
    await network.pay(payer, payee, 1, { reference: 'nonce-1' })
    const error = await network.refusedPayment(payer, payee, [409, 'conflict'], {
      reference: 'nonce-1',
      unique_reference: true,
    })
    expect(error.details).toEqual({ payment_id: first.payment_id })
    await network.pay(payer, other, 1, { reference: 'nonce-1', unique_reference: true })
    await network
      .pay(other, payee, 0.01, { reference: 'nonce-1', unique_reference: true })
      .catch(() => undefined)
    await network.pay(payer, payee, 1, { reference: 'nonce-2', unique_reference: true })
  })
})

describe('of several reasons to refuse', () => {
  test('a used key comes first, then the recipient, rules about it, limits and the balance', async () => {
    const payer = await network.fundedAgent(owner, {
      spend_limit_per_tx: 10,
      blocked_payee_agents: [payee.id],
    })
    const friend = await network.agent(owner)
    await network.pay(payer, friend, 1, { idempotency_key: 'used' })
    const everything = { amount: 5000, idempotency_key: 'used' }
    await network.refusedPayment(payer, payee, [409, 'idempotency_error'], {
      ...everything,
      to: 'nobody-here',
    })
    await network.refusedPayment(payer, payee, [409, 'idempotency_error'], { ...everything, to: payer.id })
    await network.refusedPayment(payer, payee, [404, 'not_found'], { to: 'nobody-here', amount: 5000 })
    await network.refusedPayment(payer, payee, [400, 'validation_error'], { to: payer.id, amount: 5000 })
    await network.refusedPayment(payer, payee, [403, 'authorization_error'], { amount: 5000 })
    await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { to: friend.id, amount: 5000 })
  })
})

describe('an idempotency key', () => {
  test('belongs to its payer, and is used only by a payment that succeeded', async () => {
    const [payer, other] = [await network.fundedAgent(owner), await network.fundedAgent(owner)]
    await network.refusedPayment(payer, payee, [402, 'insufficient_balance'], {
      amount: 980,
      idempotency_key: 'k',
    })
    await network.refusedPayment(payer, payee, [404, 'not_found'], {
      to: 'nobody-here',
      idempotency_key: 'k',
    })
    const payment = await network.pay(payer, payee, 1, { idempotency_key: 'k' })
    const error = await network.refusedPayment(payer, payee, [409, 'idempotency_error'], {
      amount: 2,
      idempotency_key: 'k',
    })
    expect(error.details).toEqual({
      payment_id: payment.payment_id,
      status: 'completed',
      same_request: false,
    })
    await network.pay(other, payee, 1, { idempotency_key: 'k' })
  })

  test('that is sent fifty times at once moves money once', async () => {
    const payer = await network.fundedAgent(owner)
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

  test('may be any text of up to 255 characters, and is compared exactly', async () => {
    const payer = await network.fundedAgent(owner)
    const keys = ['a', 'A', ' a', 'a ', '%', "' or ''='", '\\', '"', '{}', 'é', '💸', 'x'.repeat(255)]
    for (const idempotency_key of keys) await network.pay(payer, payee, 1, { idempotency_key })
    for (const idempotency_key of keys) {
      await network.refusedPayment(payer, payee, [409, 'idempotency_error'], { idempotency_key })
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

describe('a text', () => {
  test('is returned as it was sent, in the composed form of Unicode', async () => {
    const payer = await network.fundedAgent(owner)
    const decomposed = 'cafe\u0301 \u092e\u093f\u0932\u093e 💸 "\\ \u0915\u094d\u200d\u0937'
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
      await network.refusedPayment(payer, payee, [409, 'conflict'], { reference, unique_reference: true })
    }
  })

  test('of the greatest length is accepted', async () => {
    const payer = await network.fundedAgent(owner)
    await network.pay(payer, payee, 1, { reference: '💸'.repeat(255), note: '💸'.repeat(500) })
  })
})
