import { PROOF_HEADER } from '@batua/contract'
import { createClient, payingFetch } from '@batua/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { request } from './src/api.ts'
import { SHOPS } from './src/pay-per-call-shops.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'
import type { Shop } from './src/pay-per-call-till.ts'
import { challengeIn, proofHeader, reasonIn } from './src/pay-per-call-wire.ts'

const WITHIN = { timeout: 5_000 }

let stage: PayPerCallStage

beforeAll(async () => {
  stage = await openPayPerCallStage()
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

  test('sells one answer for one payment, and its handler knows what was paid by whom', async () => {
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

  test('asks for money in a way that no cache keeps and scripts of other sites may read', async () => {
    const { headers, body } = await ask('/shop/weather')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('vary')?.split(/, ?/)).toEqual(expect.arrayContaining(['Origin', 'Accept']))
    expect(headers.get('access-control-expose-headers')).toBe('X-SERVICE-PAY')
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body).toMatchObject({ error: { code: 'payment_required' }, payment: { amount: '12.50' } })
  })

  test('shows a browser a page', async () => {
    const { status, headers, text } = await ask('/shop/weather', { accept: 'text/html,*/*;q=0.8' })
    expect([status, headers.get('content-type')]).toEqual([402, expect.stringMatching(/^text\/html/)])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('x-service-pay')).not.toBeNull()
    expect(text).toContain('12.50')
  })

  test('asks for what follows from the request, and for nothing where that is 0', async () => {
    expect((await ask('/shop/pages?count=0')).body).toEqual({ payment: null })
    const { reply } = await stage.buy(shop.address, '/shop/pages?count=6')
    expect(reply.body).toMatchObject({ payment: { amount: '1.50' } })
  })

  test('fails, and sells nothing, where no price can be told', async () => {
    const header = proofHeader({ version: 1, transactionId: 'pay_', fromAgent: 'agt_', nonce: 'n' })
    for (const headers of [{}, header]) {
      expect((await ask('/shop/pages?count=many', headers)).status).toBe(500)
    }
  })

  // By itself node:http reads no body before the handler.
  if (name !== 'node:http') {
    test('asks for what follows from the body', async () => {
      const translation = { method: 'POST', body: { words: 13 } }
      const { reply } = await stage.buy(shop.address, '/shop/translate', translation)
      expect(reply.body).toMatchObject({ payment: { amount: '1.30' } })
    })
  }

  test('gives the money back when the handler throws', async () => {
    const before = await wealth()
    const { proof, reply } = await stage.buy(shop.address, '/shop/broken')
    expect(reply.status).toBe(500)
    await expect.poll(wealth, WITHIN).toBe(before - 1)
    expect(reasonIn(await ask('/shop/broken', proofHeader(proof)))).toBe('transaction_not_completed')
  })

  // Hono hands its answer over before it is sent, so there its status is all that counts.
  if (name !== 'hono') {
    test('gives the money back when the handler breaks its answer off', async () => {
      const before = await wealth()
      await expect(stage.buy(shop.address, '/shop/cut')).rejects.toThrow('terminated')
      await expect.poll(wealth, WITHIN).toBe(before - 1)
    })
  }

  test('serves the same payment again after a failure where it is told to keep it', async () => {
    const before = await wealth()
    const { proof, reply } = await stage.buy(shop.address, '/shop/unsteady')
    expect(reply.status).toBe(500)
    const repeat = async () => (await ask('/shop/unsteady', proofHeader(proof))).status
    await expect.poll(repeat, WITHIN).toBe(200)
    expect(await repeat()).toBe(402)
    expect(await wealth()).toBe(before - 3)
  })

  test('lets a preflight through to who answers it before, and sells HEAD like all else', async () => {
    const wanted = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    expect((await ask('/shop/weather', wanted, 'OPTIONS')).status).toBe(204)
    const { proof, reply } = await stage.buy(shop.address, '/shop/weather', { method: 'HEAD' })
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect((await ask('/shop/weather', proofHeader(proof))).status).toBe(402)
  })

  test('asks politely again for a header that only Node still takes, and leaves a longer one to Node', async () => {
    const lengthy = (length: number) => ask('/shop/weather', { [PROOF_HEADER]: 'x'.repeat(length) })
    expect(reasonIn(await lengthy(12 * 1024))).toBe('invalid_payment_header')
    expect((await lengthy(1024 * 1024)).status).toBe(431)
  })

  test('sells to a paying fetch', async () => {
    const client = createClient({ baseUrl: stage.api.address, agentKey: stage.buyer.key })
    const buy = payingFetch(fetch, { client, maxAmount: 20, allowHttp: true })
    const answer = await buy(`${shop.address}/shop/weather?city=Goa`)
    expect([answer.status, await answer.json()]).toMatchObject([200, { city: 'Goa' }])
  })
})
