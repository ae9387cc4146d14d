import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { createClient, PurchaseError, payingFetch, paymentOf } from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'
import { type ExactClientOptions, exactClient } from '@batua/sdk/x402'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { request } from './src/api.ts'
import type { Agent } from './src/network.ts'
import type { ServiceProxy } from './src/pay-per-call-service-proxy.ts'
import type { Shop } from './src/pay-per-call-shop.ts'
import { SHOPS } from './src/pay-per-call-shops.ts'
import { openProxiedStage, type ProxiedStage } from './src/paying-stage.ts'
import {
  installX402,
  recording,
  settlementIn,
  type X402Packages,
  type X402Seller,
} from './src/x402-packages.ts'

let stage: ProxiedStage
let x402: X402Packages
let proxy: ServiceProxy
let service: string
let buyer: Agent

beforeAll(async () => {
  ;[stage, x402] = await Promise.all([openProxiedStage(), installX402()])
  ;({ proxy, origin: service } = stage)
}, 600_000)
afterAll(async () => {
  x402?.remove()
  await stage?.close()
})
beforeEach(async () => {
  buyer = await stage.network.fundedAgent(stage.owner)
})

const clientOf = (agent: Agent, address = stage.api.address) =>
  createClient({ baseUrl: address, agentKey: agent.key })
/** x402's own fetch with our scheme. */
const theirs = (options: Partial<ExactClientOptions> = {}) =>
  x402.buyer(exactClient({ client: clientOf(buyer), service, ...options }))
const ours = () => payingFetch(fetch, { client: clientOf(buyer), maxAmount: 20, allowHttp: true })

async function payments() {
  const call = { params: { agent_id: buyer.id }, headers: buyer.headers }
  return (await stage.api.ok(routes.listPayments, call)).payments
}
/** Whether the payee has used the nonce of the buyer's only payment. */
async function isSettled(): Promise<boolean> {
  const [payment] = await payments()
  const { id: agent_id, headers } = stage.payee
  const query = { action: 'nonce.consumed', limit: 100 } as const
  const { entries } = await stage.api.ok(routes.listAuditEntries, { params: { agent_id }, headers, query })
  return entries.some(({ data }) => payment !== undefined && data?.['nonce'] === payment.reference)
}
const refunds = async () => (await payments()).map(({ refunded_total }) => refunded_total)

const reasonIn = (headers: Headers) => settlementIn(headers)['errorReason']

const SETTLE = '/v1/x402/settle'

interface ShownPayment {
  readonly payload: { readonly transactionId: string; readonly receipt: string }
}

describe.each(['express', 'hono'] as const)('a shop on @x402/%s with our scheme', name => {
  let shop: X402Seller
  let page: string

  beforeAll(async () => {
    const client = clientOf(stage.payee, proxy.address)
    shop = await x402.shops[name]({ client, payTo: stage.payee.handle })
    page = `${shop.address}/page`
  })
  afterAll(() => shop?.close())

  /** A shop of its own that has sold one page, and what it returns if the payment is shown again with changes. */
  async function sale() {
    const client = clientOf(stage.payee, proxy.address)
    const own = await x402.shops[name]({ client, payTo: stage.payee.handle })
    const { kept, signatures } = recording()
    const buy = x402.buyer(exactClient({ client: clientOf(buyer), service }), kept)
    expect((await buy(`${own.address}/page`)).status).toBe(200)
    const payment = JSON.parse(Buffer.from(signatures[0] ?? '', 'base64').toString()) as ShownPayment
    async function shown(change: object): Promise<unknown> {
      const changed = { ...payment, payload: { ...payment.payload, ...change } }
      const signature = Buffer.from(JSON.stringify(changed)).toString('base64')
      const headers = { 'payment-signature': signature }
      const reply = await request(own.address, 'GET', '/page', { headers })
      return reply.status === 402 ? reasonIn(reply.headers) : reply.status
    }
    return { own, payment, shown }
  }

  test.each([
    ['x402’s own client', () => theirs()],
    ['our paying fetch', () => ours()],
  ])('sells to %s, each call once and for the price', async (_, open) => {
    const buy = open()
    const before = shop.served()
    for (let call = 1; call <= 2; call++) {
      const response = await buy(page)
      expect([response.status, await response.text()]).toEqual([200, 'sunny'])
    }
    expect(shop.served() - before).toBe(2)
    expect(await payments()).toMatchObject([{ amount: 2.5, to: stage.payee.id }, { amount: 2.5 }])
  })

  test('names the payment to our paying fetch', async () => {
    const response = await ours()(page)
    const [payment] = await payments()
    expect(paymentOf(response)).toMatchObject({ paymentId: payment?.payment_id, amount: '2.50' })
  })

  test('runs its handler once for a payment that is shown twelve times at once, again, or elsewhere', async () => {
    const { kept, signatures } = recording()
    let isCut = true
    const cutting: typeof fetch = async (input, init) => {
      const isPaid = new Headers(init?.headers).has('payment-signature')
      if (isPaid && isCut) throw new TypeError('cut')
      return kept(input, init)
    }
    const buy = payingFetch(
      async (input, init) => {
        const signature = new Headers(init?.headers).get('payment-signature')
        if (signature !== null) signatures.push(signature)
        return cutting(input, init)
      },
      { client: clientOf(buyer), service, maxAmount: 5, allowHttp: true },
    )
    await expect(buy(page, { signal: AbortSignal.timeout(3_000) })).rejects.toThrow()
    isCut = false
    const headers = { 'payment-signature': signatures[0] ?? '' }
    const elsewhere = await request(shop.address, 'GET', '/other', { headers })
    expect([elsewhere.status, reasonIn(elsewhere.headers)]).toEqual([402, 'nonce_not_ours'])
    const before = shop.served()
    const shown = await Promise.all(
      Array.from({ length: 12 }, () => request(shop.address, 'GET', '/page', { headers })),
    )
    expect(shown.filter(({ status }) => status === 200)).toHaveLength(1)
    const reasons = shown.filter(({ status }) => status === 402).map(reply => reasonIn(reply.headers))
    // A process asks about one payment five times at once, and has no response to more.
    expect(['nonce_already_used', 'unexpected_settle_error']).toEqual(expect.arrayContaining(reasons))
    const again = await request(shop.address, 'GET', '/page', { headers })
    expect([again.status, reasonIn(again.headers)]).toEqual([402, 'nonce_already_used'])
    expect(shop.served() - before).toBe(1)
  })

  test('refuses invented payments, and receipts of other payments, without asking the service', async () => {
    const { own, shown, payment } = await sale()
    const { payload } = payment
    const [head = '', body = '', signature = ''] = payload.receipt.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
    const forged = (change: object) =>
      `${head}.${Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')}.${signature}`
    const asked = proxy.asked(SETTLE)
    expect([
      await shown({ receipt: forged({ amount: 2_500 }) }),
      await shown({ receipt: 'none' }),
      await shown({ transactionId: `${payload.transactionId.slice(0, -3)}000` }),
      await shown({ fromAgent: stage.payee.id }),
    ]).toEqual(['receipt_not_genuine', 'receipt_not_genuine', 'receipt_not_genuine', 'payer_mismatch'])
    expect(proxy.asked(SETTLE)).toBe(asked)
    await own.close()
  })

  test('asks the service about 400 invented payments a minute, and goes on selling to who has a receipt', async () => {
    const { own, shown, payment } = await sale()
    const asked = proxy.asked(SETTLE)
    const reasons = new Set<unknown>()
    for (let at = 0; at < 420; at += 20) {
      const some = Array.from({ length: 20 }, (_, each) => {
        const transactionId = `${payment.payload.transactionId.slice(0, -3)}${String(at + each).padStart(3, '0')}`
        return shown({ transactionId, receipt: undefined })
      })
      for (const reason of await Promise.all(some)) reasons.add(reason)
    }
    expect([...reasons].toSorted()).toEqual(['transaction_not_found', 'unexpected_settle_error'])
    expect(proxy.asked(SETTLE) - asked).toBe(400)
    expect((await theirs()(`${own.address}/page`)).status).toBe(200)
    expect(await shown({})).toBe('nonce_already_used')
    await own.close()
  })

  test('responds to a payment without a payload as one that is not valid', async () => {
    const { own, payment } = await sale()
    for (const payload of [null, 5, [], 'paid']) {
      const signature = Buffer.from(JSON.stringify({ ...payment, payload })).toString('base64')
      const headers = { 'payment-signature': signature }
      expect((await request(own.address, 'GET', '/page', { headers })).status).toBe(402)
    }
    expect(own.served()).toBe(1)
    await own.close()
  })

  test('gives the money back if its handler fails, and the next call is a new purchase', async () => {
    const buy = theirs()
    shop.statuses.push(500)
    expect((await buy(page)).status).toBe(500)
    await expect.poll(refunds, { timeout: 5_000 }).toEqual([2.5])
    expect((await buy(page)).status).toBe(200)
    expect(await refunds()).toEqual([0, 2.5])
  })

  test('gives the money back later if the service is unavailable when its handler fails', async () => {
    shop.statuses.push(500)
    shop.beforeNext.push(() =>
      proxy.become({ status: 503, body: '{"error":{"code":"service_unavailable","message":"Away"}}' }),
    )
    expect((await theirs()(page)).status).toBe(500)
    expect(await refunds()).toEqual([0])
    await proxy.become('open')
    await expect.poll(refunds, { timeout: 30_000 }).toEqual([2.5])
  })

  test('keeps the money of a request that it responds to with 404', async () => {
    shop.statuses.push(404)
    expect((await theirs()(page)).status).toBe(404)
    expect(await refunds()).toEqual([0])
  })

  test('cannot settle while the service is unavailable: the next call shows the same payment', async () => {
    const buy = theirs()
    const before = shop.served()
    await proxy.become({ status: 503, body: '{"error":{"code":"service_unavailable","message":"Away"}}' })
    expect((await buy(page)).status).toBe(402)
    await proxy.become('open')
    expect((await buy(page)).status).toBe(200)
    expect([(await payments()).length, shop.served() - before]).toEqual([1, 1])
  })

  test('whose settlement’s response is lost serves the payment when it is shown again, once', async () => {
    const buy = theirs()
    const before = shop.served()
    await proxy.become('deaf')
    const lost = buy(page)
    await expect.poll(isSettled, { timeout: 20_000 }).toBe(true)
    await proxy.become('closed')
    expect((await lost).status).toBe(402)
    await proxy.become('open')
    expect((await buy(page)).status).toBe(200)
    expect((await buy(page)).status).toBe(200)
    expect([(await payments()).length, shop.served() - before]).toEqual([2, 2])
  })

  test('is bought from by our paying fetch as soon as the service is back, with one payment', async () => {
    const buy = ours()
    await proxy.become({ status: 503, body: '{}' })
    const bought = buy(page)
    await expect.poll(async () => (await payments()).length, { timeout: 10_000 }).toBe(1)
    await proxy.become('open')
    expect((await bought).status).toBe(200)
    expect((await payments()).length).toBe(1)
  })
})

describe.each(SHOPS)('a shop on %s with requirePayment', (_, open) => {
  let shop: Shop
  let page: string

  beforeAll(async () => {
    shop = await open({ client: clientOf(stage.payee), payTo: stage.payee.handle, x402: true, service })
    page = `${shop.address}/shop/weather?city=Pune`
  })
  afterAll(() => shop?.close())

  test('sells to x402’s own client and to our paying fetch', async () => {
    for (const buy of [theirs(), ours()]) {
      const response = await buy(page)
      expect([response.status, await response.json()]).toMatchObject([200, { city: 'Pune' }])
    }
    expect(await payments()).toMatchObject([{ amount: 12.5 }, { amount: 12.5 }])
  })

  test('serves a payment of x402 once, and says what it has taken', async () => {
    const { kept, signatures } = recording()
    const buy = x402.buyer(exactClient({ client: clientOf(buyer), service }), kept)
    const response = await buy(page)
    const [payment] = await payments()
    expect(settlementIn(response.headers)).toMatchObject({
      ...{ success: true, transaction: payment?.payment_id, payer: buyer.id },
    })
    const again = await request(shop.address, 'GET', '/shop/weather?city=Pune', {
      headers: { 'payment-signature': signatures[0] ?? '' },
    })
    expect([again.status, settlementIn(again.headers)['errorReason']]).toEqual([402, 'nonce_already_used'])
    expect(again.headers.has('payment-required')).toBe(true)
  })

  test('gives the money back if its handler fails, and the next call pays again', async () => {
    const buy = theirs()
    const failed = await buy(`${shop.address}/shop/broken`)
    expect([failed.status, settlementIn(failed.headers)]).toEqual([500, {}])
    await expect.poll(refunds, { timeout: 5_000 }).toEqual([2])
  })
})

describe('x402’s own client with our journal', () => {
  let shop: X402Seller
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'batua-x402-journal-'))
    const client = clientOf(stage.payee)
    shop = await x402.shops.express({ client, payTo: stage.payee.handle })
  })
  afterAll(async () => {
    await shop?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('after a crash shows the payment that was made before, and pays nothing', async () => {
    const path = join(folder, `${buyer.handle}.jsonl`)
    const first = await fileJournal(path)
    const scheme = exactClient({ client: clientOf(buyer), service, journal: first })
    const required = await request(shop.address, 'GET', '/page', {})
    const price = JSON.parse(
      Buffer.from(required.headers.get('payment-required') ?? '', 'base64').toString(),
    ) as { accepts: object[] }
    const [requirements = {}] = price.accepts
    await scheme.schemeHooks.onBeforePaymentCreation({
      paymentRequired: price,
      selectedRequirements: requirements,
    })
    // The process ends after the payment and before the request.
    await scheme.createPaymentPayload(2, requirements)
    await first.close()

    const journal = await fileJournal(path)
    const buy = theirs({ journal })
    expect((await buy(`${shop.address}/page`)).status).toBe(200)
    expect((await payments()).length).toBe(1)
    expect((await buy(`${shop.address}/page`)).status).toBe(200)
    expect((await payments()).length).toBe(2)
    await journal.close()
  })

  test('serves and pays none of twelve equal concurrent calls twice', async () => {
    const buy = theirs()
    const before = shop.served()
    const responses = await Promise.all(Array.from({ length: 12 }, () => buy(`${shop.address}/page`)))
    const served = responses.filter(({ status }) => status === 200).length
    expect(served).toBeGreaterThan(0)
    expect(shop.served() - before).toBe(served)
    expect((await payments()).length).toBe(served)
  })

  test('refuses a price above maxAmount, another payee, and another service, and pays nothing', async () => {
    const page = `${shop.address}/page`
    await expect(theirs({ maxAmount: 2 })(page)).rejects.toThrow('maxAmount')
    await expect(theirs({ payees: ['another-payee'] })(page)).rejects.toThrow('not among the payees')
    await expect(theirs({ service: 'https://other.example' })(page)).rejects.toThrow('other.example')
    const elsewhere = payingFetch(fetch, {
      ...{ client: clientOf(buyer), service: 'https://other.example', maxAmount: 5, allowHttp: true },
    })
    const { status, headers } = await elsewhere(page)
    expect([status, headers.has('payment-required')]).toEqual([402, true])
    const cheap = payingFetch(fetch, { client: clientOf(buyer), service, maxAmount: 2, allowHttp: true })
    await expect(cheap(page)).rejects.toThrow(PurchaseError)
    expect(await payments()).toEqual([])
  })
})
