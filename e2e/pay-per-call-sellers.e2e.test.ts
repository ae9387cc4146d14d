import { randomUUID } from 'node:crypto'
import { type PaymentProof, PROOF_HEADER, routes } from '@batua/contract'
import { createClient, payingFetch } from '@batua/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { request } from './src/api.ts'
import type { Agent } from './src/network.ts'
import { openServiceProxy, type ProxyState } from './src/pay-per-call-service-proxy.ts'
import type { Shop } from './src/pay-per-call-shop.ts'
import { SHOPS } from './src/pay-per-call-shops.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'
import { challengeIn, proofHeader, reasonIn } from './src/pay-per-call-wire.ts'

const WITHIN = { timeout: 5_000 }
const AT_ONCE = 64
const TROUBLES: readonly ProxyState[] = [
  'closed',
  'slow',
  { status: 429, headers: { 'retry-after': '7' }, body: '{}' },
]

let stage: PayPerCallStage
let other: Agent

beforeAll(async () => {
  stage = await openPayPerCallStage()
  other = await stage.network.agent(stage.owner)
})
afterAll(() => stage.close())

describe.each(SHOPS)('a shop on %s', (name, open) => {
  let shop: Shop

  beforeAll(async () => {
    const { client, payee } = stage
    shop = await open({ client, payTo: payee.handle })
  })
  afterAll(() => shop.close())

  const ask = (path: string, headers = {}, method = 'GET') => request(shop.address, method, path, { headers })
  const wealth = async () => (await stage.network.balance(stage.buyer)).available

  test('serves one request for one payment, and its handler gets the payment and the payer', async () => {
    const { buyer, network, payee } = stage
    const before = (await network.balance(payee)).available
    const path = '/shop/weather?city=Pune'
    const { challenge, proof, reply } = await stage.buy(shop.address, path)
    expect(challenge).toMatchObject({ payTo: payee.handle, amount: '12.50', asset: 'INR' })
    const payment = { paymentId: proof.transactionId, from: buyer.id, amount: '12.50', nonce: proof.nonce }
    expect([reply.status, reply.body]).toEqual([200, { city: 'Pune', payment }])
    expect(reply.headers.get('cache-control')).toBe('private')
    expect((await network.balance(payee)).available - before).toBe(12.5)
    const again = await ask(path, proofHeader(proof))
    expect(reasonIn(again)).toBe('nonce_already_used')
    expect(challengeIn(again).nonce).not.toBe(challenge.nonce)
  })

  test('sends a 402 that is not cached and that scripts of other sites may read', async () => {
    const { headers, body } = await ask('/shop/weather')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('vary')?.split(/, ?/)).toEqual(expect.arrayContaining(['Origin', 'Accept']))
    expect(headers.get('access-control-expose-headers')).toBe('X-SERVICE-PAY')
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body).toMatchObject({ error: { code: 'payment_required' }, payment: { amount: '12.50' } })
  })

  test('sends an HTML page to a browser', async () => {
    const { status, headers, text } = await ask('/shop/weather', { accept: 'text/html,*/*;q=0.8' })
    expect([status, headers.get('content-type')]).toEqual([402, expect.stringMatching(/^text\/html/)])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-service-pay')).not.toBeNull()
    expect(text).toContain('12.50')
  })

  test('computes the price from the request, and serves free of charge if it is 0', async () => {
    expect((await ask('/shop/pages?count=0')).body).toEqual({ payment: null })
    const { reply } = await stage.buy(shop.address, '/shop/pages?count=6')
    expect(reply.body).toMatchObject({ payment: { amount: '1.50' } })
  })

  test('fails and serves nothing if the price function throws', async () => {
    const header = proofHeader({ version: 1, transactionId: 'pay_', fromAgent: 'agt_', nonce: 'n' })
    for (const headers of [{}, header]) {
      expect((await ask('/shop/pages?count=many', headers)).status).toBe(500)
    }
  })

  // node:http reads no body before the handler.
  if (name !== 'node:http') {
    test('computes the price from the body', async () => {
      const translation = { method: 'POST', body: { words: 13 } }
      const { reply } = await stage.buy(shop.address, '/shop/translate', translation)
      expect(reply.body).toMatchObject({ payment: { amount: '1.30' } })
    })
  }

  test('refunds the payment if the handler throws', async () => {
    const before = await wealth()
    const { proof, reply } = await stage.buy(shop.address, '/shop/broken')
    expect(reply.status).toBe(500)
    await expect.poll(wealth, WITHIN).toBe(before - 1)
    expect(reasonIn(await ask('/shop/broken', proofHeader(proof)))).toBe('transaction_not_completed')
  })

  // Hono returns its response before it is sent, so only its status counts.
  if (name !== 'hono') {
    test('refunds the payment if the handler aborts its response', async () => {
      const before = await wealth()
      await expect(stage.buy(shop.address, '/shop/cut')).rejects.toThrow('terminated')
      await expect.poll(wealth, WITHIN).toBe(before - 1)
    })
  }

  test('serves the same payment again after a failure if configured to restore it', async () => {
    const before = await wealth()
    const { proof, reply } = await stage.buy(shop.address, '/shop/unsteady')
    expect(reply.status).toBe(500)
    const repeat = async () => (await ask('/shop/unsteady', proofHeader(proof))).status
    await expect.poll(repeat, WITHIN).toBe(200)
    expect(await repeat()).toBe(402)
    expect(await wealth()).toBe(before - 3)
  })

  test('passes a preflight to its handler, and requires a payment for HEAD', async () => {
    const wanted = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    expect((await ask('/shop/weather', wanted, 'OPTIONS')).status).toBe(204)
    const { proof, reply } = await stage.buy(shop.address, '/shop/weather', { method: 'HEAD' })
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect((await ask('/shop/weather', proofHeader(proof))).status).toBe(402)
  })

  test(`serves a payment that is shown ${AT_ONCE} times at once to one of them`, async () => {
    const path = '/shop/weather?city=Surat'
    const proof = await stage.pay(challengeIn(await ask(path)))
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(path, proofHeader(proof))))
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.map(reasonIn)).toEqual(Array(AT_ONCE - 1).fill('nonce_already_used'))
  })

  test('refuses a proof that does not pay for the request, with the reason', async () => {
    const { api, buyer, network, payee } = stage
    const quoted = async () => challengeIn(await ask('/shop/weather')).nonce
    const paid = async (to = payee, amount = 12.5): Promise<PaymentProof> => {
      const nonce = await quoted()
      const { payment_id } = await network.pay(buyer, to, amount, { reference: nonce })
      return { version: 1, transactionId: payment_id ?? '', fromAgent: buyer.id, nonce }
    }
    const refunded = async () => {
      const proof = await paid()
      const params = { payment_id: proof.transactionId }
      await api.ok(routes.refundPayment, { params, headers: payee.headers, body: {} })
      return proof
    }
    const proofs: Record<string, PaymentProof> = {
      transaction_not_found: { ...(await paid()), transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01' },
      transaction_not_completed: await refunded(),
      not_payee: await paid(other),
      insufficient_amount: await paid(payee, 12.49),
      nonce_mismatch: { ...(await paid()), nonce: await quoted() },
      nonce_not_ours: { ...(await paid()), nonce: randomUUID() },
      payer_mismatch: { ...(await paid()), fromAgent: other.id },
    }
    for (const [reason, proof] of Object.entries(proofs)) {
      expect(reasonIn(await ask('/shop/weather', proofHeader(proof)))).toBe(reason)
    }
    const elsewhere = await open({ client: stage.client, payTo: other.handle })
    const { reply } = await stage.buy(elsewhere.address, '/shop/weather')
    expect(reasonIn(reply)).toBe('payee_mismatch')
    await elsewhere.close()
  })

  test.each(TROUBLES)(
    'requests no further payment while its connection to the service is %j',
    async trouble => {
      const line = await openServiceProxy(stage.api.address)
      const client = createClient({ baseUrl: line.address, agentKey: stage.payee.key })
      const silent = { verifyTimeoutMs: 400, onError: () => undefined }
      const far = await open({ client, payTo: stage.payee.handle, ...silent })
      const show = () => request(far.address, 'GET', '/shop/weather', { headers: proofHeader(proof) })
      const challenge = challengeIn(await request(far.address, 'GET', '/shop/weather'))
      const proof = await stage.pay(challenge)
      await line.become(trouble)
      const reply = await show()
      expect([reply.status, reply.headers.get('x-service-pay')]).toEqual([503, null])
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      await line.become('open')
      expect((await show()).status).toBe(200)
      await far.close()
      await line.close()
    },
  )

  test('sends a new 402 for a header that is too long, and leaves longer ones to Node', async () => {
    const lengthy = (length: number) => ask('/shop/weather', { [PROOF_HEADER]: 'x'.repeat(length) })
    expect(reasonIn(await lengthy(12 * 1024))).toBe('invalid_payment_header')
    expect((await lengthy(1024 * 1024)).status).toBe(431)
  })

  test('sells to a paying fetch', async () => {
    const client = createClient({ baseUrl: stage.api.address, agentKey: stage.buyer.key })
    const buy = payingFetch(fetch, { client, maxAmount: 20, allowHttp: true })
    const response = await buy(`${shop.address}/shop/weather?city=Goa`)
    expect([response.status, await response.json()]).toMatchObject([200, { city: 'Goa' }])
  })
})
