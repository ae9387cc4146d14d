import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from './src/api.ts'
import type { Agent, Network, Owner } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let api: Api
let network: Network
let owner: Owner
let payee: Agent

beforeAll(async () => {
  stage = await openPayingStage()
  ;({ api, network, owner, payee } = stage)
})
afterAll(() => stage.close())

describe('a refund', () => {
  test('is refused with a used key, above the paid amount, above the balance, or of another transfer', async () => {
    const payer = await network.fundedAgent(owner)
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

  test('never returns more than was paid in fifty concurrent requests', async () => {
    const payer = await network.fundedAgent(owner)
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

describe('payment verification', () => {
  test('returns the first reason in the interface’s order to the payee', async () => {
    const payer = await network.fundedAgent(owner)
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
      refunded: null,
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

  test('with consume needs a nonce, is never cached, and succeeds for exactly one of many callers', async () => {
    const payer = await network.fundedAgent(owner)
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
    const responses = replies.map(reply => reply.body as { verified: boolean; reason?: string })
    expect(responses.filter(response => response.verified).length).toBe(1)
    expect(responses.filter(response => response.reason === 'nonce_already_used').length).toBe(29)
    for (const reply of replies) expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(await api.ok(routes.verifyTransaction, { ...call, query: { nonce: 'raced' } })).toMatchObject({
      verified: true,
    })
  })

  test('only the payee can restore the nonce of a request that it could not serve', async () => {
    const payer = await network.fundedAgent(owner)
    const payment = await network.pay(payer, payee, 1, { reference: 'unserved' })
    const params = { txn_id: payment.payment_id ?? '' }
    const consume = (consume_id: string) =>
      api.ok(routes.verifyTransaction, {
        params,
        headers: payee.headers,
        query: { nonce: 'unserved', consume: true, consume_id },
      })
    const restore = (agent: Agent) =>
      api.ok(routes.restoreNonce, {
        params,
        headers: agent.headers,
        body: { nonce: 'unserved', consume_id: 'first' },
      })
    expect(await consume('first')).toMatchObject({ verified: true })
    expect(await restore(payer)).toEqual({ nonce: 'unserved', restored: false })
    expect(await restore(payee)).toEqual({ nonce: 'unserved', restored: true })
    expect(await consume('second')).toMatchObject({ verified: true })
    expect(await restore(payee)).toEqual({ nonce: 'unserved', restored: false })
    expect(await consume('third')).toMatchObject({ verified: false, reason: 'nonce_already_used' })
  })
})
