import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { createClient, type PayingFetchOptions, payingFetch, paymentOf, priceOf } from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'
import { type ChargeClientOptions, chargeClient, type SessionClient, sessionClient } from '@batua/sdk/mpp'
import { memoryTabStore } from '@batua/sdk/seller'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { request } from './src/api.ts'
import { buildCli, jsonOf, openCli } from './src/cli.ts'
import { openLocalServers } from './src/local-servers.ts'
import { connectMcp, connectStdio, type McpClient } from './src/mcp-client.ts'
import { installMpp, type MppPackages, type MppSeller } from './src/mpp-packages.ts'
import type { Agent } from './src/network.ts'
import { openOAuth } from './src/oauth.ts'
import { AWAY, type ServiceProxy } from './src/pay-per-call-service-proxy.ts'
import { openProxiedStage, type ProxiedStage } from './src/paying-stage.ts'

let stage: ProxiedStage
let mpp: MppPackages
let proxy: ServiceProxy
let service: string
let buyer: Agent
let folder: string
const roads = openLocalServers()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'batua-mpp-journal-'))
  ;[stage, mpp] = await Promise.all([openProxiedStage(), installMpp(), buildCli()])
  ;({ proxy, origin: service } = stage)
}, 600_000)
afterAll(async () => {
  mpp?.remove()
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await proxy.become('open')
  buyer = await stage.network.fundedAgent(stage.owner)
})

const clientOf = (agent: Agent, address = stage.api.address) =>
  createClient({ baseUrl: address, agentKey: agent.key })
const theirs = (options: Partial<ChargeClientOptions> = {}, fetch = globalThis.fetch) =>
  mpp.buyer(chargeClient({ client: clientOf(buyer), ...options }), fetch)
const ours = (options: Partial<PayingFetchOptions> = {}) =>
  payingFetch(fetch, { client: clientOf(buyer), maxAmount: 20, allowHttp: true, ...options })
async function payments() {
  const call = { params: { agent_id: buyer.id }, headers: buyer.headers }
  return (await stage.api.ok(routes.listPayments, call)).payments
}

/** A fetch that keeps the credentials with which something is paid, and may lose the responses to them. */
function recording() {
  const credentials: string[] = []
  const losing = { isOn: false }
  const kept: typeof fetch = async (input, init) => {
    const credential = new Headers(init?.headers).get('authorization')
    if (credential !== null) credentials.push(credential)
    const response = await fetch(input, init)
    if (credential !== null && losing.isOn) throw new TypeError('lost')
    return response
  }
  return { kept, credentials, losing }
}

function receiptIn(headers: Headers): Record<string, unknown> {
  return JSON.parse(Buffer.from(headers.get('payment-receipt') ?? 'e30', 'base64url').toString()) as never
}

describe.each(['express', 'hono'] as const)('a shop on mppx/%s with our method', name => {
  let shop: MppSeller
  let page: string

  beforeAll(async () => {
    const client = clientOf(stage.payee, proxy.address)
    shop = await mpp.shops[name]({ client, payTo: stage.payee.handle, service })
    page = `${shop.address}/page`
  })
  afterAll(() => shop?.close())

  test.each([
    ['MPP’s own client', () => theirs()],
    ['our paying fetch', () => ours()],
  ])('sells to %s, each call once and for the price', async (_, open) => {
    const buy = open()
    const before = shop.served()
    for (let call = 1; call <= 2; call++) {
      const response = await buy(page)
      expect([response.status, await response.json()]).toEqual([200, 'sunny'])
      const [payment] = await payments()
      const receipt = { method: 'batua', reference: payment?.payment_id, status: 'success' }
      expect(receiptIn(response.headers)).toMatchObject(receipt)
    }
    expect(shop.served() - before).toBe(2)
    expect(await payments()).toMatchObject([{ amount: 2.5, to: stage.payee.id }, { amount: 2.5 }])
  })

  test('asks for its price in a 402 that is not cached, which our clients can read', async () => {
    const response = await fetch(page)
    expect([response.status, response.headers.get('cache-control')]).toEqual([402, 'no-store'])
    const price = { payTo: stage.payee.handle, amount: '2.50', asset: 'INR' }
    expect(await priceOf(response, clientOf(buyer))).toMatchObject(price)
  })

  test('prices of one millisecond have different nonces', async () => {
    const prices = await Promise.all(Array.from({ length: 20 }, async () => priceOf(await fetch(page))))
    expect(new Set(prices.map(price => (price as { nonce: string }).nonce)).size).toBe(20)
  })

  test('runs its handler once for a credential that is shown twelve times at once, again, or elsewhere', async () => {
    const { kept, credentials } = recording()
    await proxy.become(AWAY)
    expect((await theirs({}, kept)(page)).status).toBe(503)
    await proxy.become('open')
    const headers = { authorization: credentials[0] ?? '' }
    const before = shop.served()
    expect((await request(shop.address, 'GET', '/other', { headers })).status).toBe(402)
    const shown = await Promise.all(
      Array.from({ length: 12 }, () => request(shop.address, 'GET', '/page', { headers })),
    )
    expect(shown.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(shown.filter(({ status }) => status === 402)).toHaveLength(11)
    expect((await request(shop.address, 'GET', '/page', { headers })).status).toBe(402)
    expect(shop.served() - before).toBe(1)
    expect(await payments()).toHaveLength(1)
  })

  test('that was unavailable is shown the same payment by the next call', async () => {
    const buy = theirs()
    const before = shop.served()
    await proxy.become(AWAY)
    expect((await buy(page)).status).toBe(503)
    await proxy.become('open')
    expect((await buy(page)).status).toBe(200)
    expect((await buy(page)).status).toBe(200)
    expect([(await payments()).length, shop.served() - before]).toEqual([2, 2])
  })

  test('whose verification’s response is lost serves the payment when it is shown again, once', async () => {
    const buy = theirs()
    const before = shop.served()
    await proxy.become('deaf')
    const lost = buy(page)
    await expect.poll(async () => (await payments()).length, { timeout: 20_000 }).toBe(1)
    expect((await lost).status).toBe(503)
    await proxy.become('closed')
    await proxy.become('open')
    expect((await buy(page)).status).toBe(200)
    expect([(await payments()).length, shop.served() - before]).toEqual([1, 1])
  })

  test('pays once for a response that is lost: the seller refuses, and the same call pays no second time', async () => {
    const { kept, losing } = recording()
    const buy = theirs({}, kept)
    losing.isOn = true
    await expect(buy(page)).rejects.toThrow('lost')
    losing.isOn = false
    await expect(buy(page)).rejects.toThrow('does not take the payment')
    expect(await payments()).toHaveLength(1)
    expect((await buy(page)).status).toBe(200)
    expect(await payments()).toHaveLength(2)
  })

  test('serves a payment that was refunded no more, whether it had served it before or not', async () => {
    const refund = async () => {
      const [made] = await payments()
      const params = { payment_id: made?.payment_id ?? '' }
      await stage.api.ok(routes.refundPayment, { params, headers: stage.payee.headers, body: {} })
      expect(await payments()).toContainEqual(expect.objectContaining({ ...params, refunded_total: 2.5 }))
    }
    const before = shop.served()
    const { kept, credentials } = recording()
    const buy = theirs({}, kept)
    expect((await buy(page)).status).toBe(200)
    await refund()
    await proxy.become(AWAY)
    expect((await buy(page)).status).toBe(503)
    await refund()
    await proxy.become('open')
    expect(credentials).toHaveLength(2)
    for (const authorization of credentials)
      expect((await request(shop.address, 'GET', '/page', { headers: { authorization } })).status).toBe(402)
    // A buyer that shows it once more learns so, and its next call is a new purchase.
    await expect(buy(page)).rejects.toMatchObject({ code: 'payment_not_accepted' })
    expect(shop.served() - before).toBe(1)
    expect((await buy(page)).status).toBe(200)
    expect([(await payments()).length, shop.served() - before]).toEqual([3, 2])
  })

  test('serves and charges none of twelve equal concurrent calls twice', async () => {
    const buy = theirs()
    const before = shop.served()
    const responses = await Promise.allSettled(Array.from({ length: 12 }, () => buy(page)))
    const served = responses.filter(each => each.status === 'fulfilled' && each.value.status === 200).length
    expect(served).toBeGreaterThan(0)
    expect([shop.served() - before, (await payments()).length]).toEqual([served, served])
  })

  test('a restarted buyer shows the payment that it made before', async () => {
    for (const kind of ['theirs', 'ours'] as const) {
      const path = join(folder, `${name}-${kind}.jsonl`)
      const open = async () => {
        const journal = await fileJournal(path)
        return { journal, buy: kind === 'ours' ? ours({ journal }) : theirs({ journal }) }
      }
      const before = (await payments()).length
      await proxy.become(AWAY)
      const first = await open()
      expect((await first.buy(page)).status).toBe(503)
      await first.journal.close()
      await proxy.become('open')
      const second = await open()
      expect((await second.buy(page)).status).toBe(200)
      expect((await payments()).length - before).toBe(1)
      await second.journal.close()
    }
  })

  test('names the payment to our paying fetch, and is refused above maxAmount or at another service', async () => {
    const response = await ours()(page)
    const [payment] = await payments()
    expect(paymentOf(response)).toMatchObject({ paymentId: payment?.payment_id, amount: '2.50' })
    await expect(ours({ maxAmount: 2 })(page)).rejects.toThrow('maxAmount')
    await expect(theirs({ maxAmount: 2 })(page)).rejects.toThrow('maxAmount')
    await expect(theirs({ payees: ['another-payee'] })(page)).rejects.toThrow('not among the payees')
    await expect(theirs({ service: 'https://other.example' })(page)).rejects.toThrow('another service')
    expect((await ours({ service: 'https://other.example' })(page)).status).toBe(402)
    expect(await payments()).toHaveLength(1)
  })
})

describe.each(['express', 'hono'] as const)('a session with a shop on mppx/%s', name => {
  let shop: MppSeller
  let page: string
  let session: SessionClient
  let store: ReturnType<typeof memoryTabStore>

  beforeAll(async () => {
    const client = clientOf(stage.payee, proxy.address)
    store = memoryTabStore()
    const tab = { store, captureEveryMs: 200, captureAbove: 1.5 }
    shop = await mpp.shops[name]({ client, payTo: stage.payee.handle, service, tab })
    page = `${shop.address}/page`
  })
  beforeEach(() => {
    session = sessionClient({ client: clientOf(buyer), tab: { amount: 5 } })
  })
  afterEach(() => session.close())
  afterAll(async () => {
    await shop?.close()
    await store?.close()
  })

  const buying = (fetch = globalThis.fetch) => mpp.buyer(session, fetch)
  async function authorizations() {
    const call = { params: { agent_id: buyer.id }, headers: buyer.headers }
    return (await stage.api.ok(routes.listAuthorizations, call)).authorizations
  }

  test('pays many calls by vouchers of one authorization, which the seller captures', async () => {
    const buy = buying()
    const before = shop.served()
    for (let call = 1; call <= 12; call++) {
      const response = await buy(page)
      expect([response.status, await response.json()]).toEqual([200, 'sunny'])
      expect(receiptIn(response.headers)).toMatchObject({ method: 'batua', total: (call / 10).toFixed(2) })
    }
    expect([shop.served() - before, await payments()]).toMatchObject([12, []])
    // Less than 1 INR waits for more calls.
    const captured = async () =>
      (await authorizations()).map(each => each.captured >= 1 && each.captured <= 1.2)
    await expect.poll(captured, { timeout: 10_000 }).toEqual([true])
    await session.close()
    expect((await authorizations()).map(({ status }) => status)).toEqual(['closing'])
  })

  test('serves each of twenty concurrent calls once, for its own price', async () => {
    const buy = buying()
    const before = shop.served()
    const responses = await Promise.all(Array.from({ length: 20 }, () => buy(page)))
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(shop.served() - before).toBe(20)
    const last = await buy(page)
    expect(receiptIn(last.headers)).toMatchObject({ total: '2.10' })
    expect(await authorizations()).toHaveLength(1)
  })

  test('serves a credential once, and needs no service for it', async () => {
    const { kept, credentials } = recording()
    const buy = buying(kept)
    expect((await buy(page)).status).toBe(200)
    await proxy.become('closed')
    expect((await buy(page)).status).toBe(200)
    const before = shop.served()
    const headers = { authorization: credentials.at(-1) ?? '' }
    const shown = await Promise.all(
      Array.from({ length: 12 }, () => request(shop.address, 'GET', '/page', { headers })),
    )
    expect(shown.map(({ status }) => status)).toEqual(Array(12).fill(402))
    expect(shop.served()).toBe(before)
    await proxy.become('open')
  })

  test('a buyer whose response is lost counts the call, and signs for the next one', async () => {
    const { kept, losing } = recording()
    const buy = buying(kept)
    expect((await buy(page)).status).toBe(200)
    losing.isOn = true
    await expect(buy(page)).rejects.toThrow('lost')
    losing.isOn = false
    const response = await buy(page)
    expect(receiptIn(response.headers)).toMatchObject({ total: '0.30' })
  })

  test('opens a second authorization when the first is used up', async () => {
    session = sessionClient({ client: clientOf(buyer), tab: { amount: 1 } })
    const buy = buying()
    for (let call = 1; call <= 12; call++) expect((await buy(page)).status).toBe(200)
    expect((await authorizations()).map(({ amount }) => amount)).toEqual([1, 1])
  })
})

describe('without a program of its own, from a shop on mppx,', () => {
  let shop: MppSeller
  let page: string

  beforeAll(async () => {
    const client = clientOf(stage.payee, proxy.address)
    shop = await mpp.shops.express({ client, payTo: stage.payee.handle, service })
    page = `${shop.address}/page`
  })
  afterAll(async () => {
    roads.close()
    await shop?.close()
  })

  test('an assistant’s tools quote and buy, and one key pays once', async () => {
    const mcp = await connectMcp(stage.api.address, buyer.key)
    const quote = { amount: 2.5, total: 3.5, pay_to: stage.payee.handle, decision: 'approved' }
    expect(await mcp.call('quote_paid_url', { url: page })).toMatchObject(quote)
    const order = { url: page, max_amount: 5, idempotency_key: 'k' }
    const bought = await mcp.call('fetch_paid_url', order)
    expect(bought).toMatchObject({ status: 200, body: '"sunny"', amount: 2.5, payment_status: 'completed' })
    const before = shop.served()
    expect(await mcp.call('fetch_paid_url', order)).toMatchObject({ isError: true, next_tool: 'get_payment' })
    const paid = (await payments()).map(({ payment_id }) => payment_id)
    expect([paid, shop.served()]).toEqual([[bought['payment_id']], before])
    const less = { ...order, max_amount: 2, idempotency_key: 'l' }
    expect(await mcp.call('fetch_paid_url', less)).toMatchObject({ code: 'price_too_high', limit: 2 })
    await mcp.close()
  })

  test('an assistant’s tool continues with its payment after a lost response, under the same key', async () => {
    const mcp = await connectMcp(stage.api.address, buyer.key)
    const losing = { isOn: true }
    const road = await openRoad(shop.address, losing)
    const order = { url: `${road}/page`, max_amount: 5, idempotency_key: 'k' }
    const lost = await mcp.call('fetch_paid_url', order)
    expect(lost).toMatchObject({ code: 'url_unreachable', next_tool: 'fetch_paid_url' })
    losing.isOn = false
    expect(await mcp.call('fetch_paid_url', order)).toMatchObject({ status: 200, body: '"sunny"' })
    expect(await payments()).toHaveLength(1)
    await mcp.close()
  })

  test('the command buys, and the same command after a lost response does not pay again', async () => {
    const cli = openCli()
    const env = { BATUA_BASE_URL: stage.api.address, BATUA_AGENT_KEY: buyer.key }
    const unpaid = await cli.run(['fetch', page, '--no-pay', '--json'], { env })
    expect([unpaid.code, jsonOf(unpaid)]).toMatchObject([3, { error: { details: { amount: '2.50' } } }])
    expect(await cli.run(['fetch', page], { env })).toMatchObject({ code: 0, stdout: '"sunny"' })
    expect(await payments()).toHaveLength(1)

    const losing = { isOn: true }
    const road = await openRoad(shop.address, losing)
    const again = ['fetch', `${road}/page`]
    expect(await cli.run(again, { env })).toMatchObject({ code: 10 })
    losing.isOn = false
    expect(await cli.run(again, { env })).toMatchObject({ code: 0, stdout: '"sunny"' })
    expect(await payments()).toHaveLength(2)
    cli.remove()
  })
})

describe('what is sold by vouchers alone, without a program of its own,', () => {
  let shop: MppSeller
  let store: ReturnType<typeof memoryTabStore>
  let page: string
  const open: McpClient[] = []

  beforeEach(async () => {
    store = memoryTabStore()
    const client = clientOf(stage.payee, proxy.address)
    shop = await mpp.shops.express({ client, payTo: stage.payee.handle, service, tab: { store } })
    page = `${shop.address}/page`
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map(mcp => mcp.close()))
    await Promise.all([shop.close(), store.close()])
  })
  afterAll(() => roads.close())

  async function overHttp(key = buyer.key) {
    const mcp = await connectMcp(stage.api.address, key)
    open.push(mcp)
    return mcp
  }
  async function overStdio() {
    const mcp = await connectStdio(stage.api.address, buyer.key)
    open.push(mcp)
    return mcp
  }
  const order = (url = page, key = 'k') => ({ url, max_amount: 1, idempotency_key: key })
  async function setAside() {
    const call = { params: { agent_id: buyer.id }, headers: buyer.headers }
    return (await stage.api.ok(routes.listAuthorizations, call)).authorizations
  }
  const refused = { isError: true, code: 'payment_not_accepted', next_tool: 'list_transactions' }

  test.each([
    ['over HTTP', overHttp],
    ['over stdio', overStdio],
  ])('is bought by a tool %s, once for one key, for its price and one fee', async (_, connect) => {
    const mcp = await connect()
    const quote = { amount: 0.1, fee: 1, total: 1.1, pay_to: stage.payee.handle, decision: 'approved' }
    expect(await mcp.call('quote_paid_url', { url: page })).toMatchObject(quote)
    const bought = await mcp.call('fetch_paid_url', order())
    expect(bought).toMatchObject({
      ...{ isError: false, status: 200, body: '"sunny"', amount: 0.1, payment_status: 'completed' },
      ...{ payment_id: null, authorization_id: expect.stringMatching(/^ath_/), next_tool: null },
    })
    const { authorization_id } = bought
    expect(await mcp.call('fetch_paid_url', order())).toMatchObject({
      ...refused,
      details: { authorization_id },
    })
    expect(await mcp.call('fetch_paid_url', order(page, 'l'))).toMatchObject({ status: 200 })
    expect(shop.served()).toBe(2)
    // Each is closed as soon as it is spent, so its seller captures less than 1 INR too.
    expect(await setAside()).toMatchObject([
      { amount: 0.1, status: 'closing' },
      { authorization_id, amount: 0.1, status: 'closing' },
    ])
    await store.close()
    expect(await setAside()).toMatchObject([
      { captured: 0.1, fee: 1, status: 'closed' },
      { captured: 0.1, fee: 1, status: 'closed' },
    ])
    expect(await stage.network.balance(buyer)).toMatchObject({ total_spent: 2.2 })
  })

  test('is bought once by six calls with one key at once', async () => {
    const mcp = await overHttp()
    const pages = await Promise.all(Array.from({ length: 6 }, () => mcp.call('fetch_paid_url', order())))
    expect(pages.filter(({ isError }) => !isError)).toHaveLength(1)
    expect([shop.served(), await setAside()]).toMatchObject([1, [{ amount: 0.1 }]])
  })

  test('is served to the same call after a lost response: of the agent over the other transport, and of an app', async () => {
    const losing = { isOn: true }
    const road = await openRoad(shop.address, losing)
    const session = await stage.network.login(stage.owner)
    const { access_token } = await openOAuth(stage.api.address).connect(buyer, session, { daily: 0.15 })
    const app = await overHttp(access_token)
    const [ofAgent, ofApp] = [order(`${road}/page`), order(`${road}/page`, 'l')]
    const lost = await Promise.all([
      (await overHttp()).call('fetch_paid_url', ofAgent),
      app.call('fetch_paid_url', ofApp),
    ])
    const unreachable = { code: 'url_unreachable', next_tool: 'fetch_paid_url' }
    expect(lost).toMatchObject([unreachable, unreachable])
    losing.isOn = false
    // This process knows the key of the agent and nothing else, and each request of the app has a key of its own.
    const [byAgent, byApp] = lost.map(({ details }) => Object(details).authorization_id)
    expect(await (await overStdio()).call('fetch_paid_url', ofAgent)).toMatchObject({
      ...{ status: 200, body: '"sunny"', authorization_id: byAgent },
    })
    expect(await app.call('fetch_paid_url', ofApp)).toMatchObject({ status: 200, authorization_id: byApp })
    expect(await app.call('fetch_paid_url', order(page, 'm'))).toMatchObject({
      ...{ isError: true, code: 'spend_limit_exceeded', layer: 'app', remaining: 0.05 },
    })
    expect([shop.served(), (await setAside()).map(({ amount }) => amount)]).toEqual([2, [0.1, 0.1]])
  })

  test('waits for the owner where she has to approve, and is bought by the same call', async () => {
    buyer = await stage.network.fundedAgent(stage.owner, { require_human_approval_above: 0.05 })
    const mcp = await overHttp()
    const waiting = await mcp.call('fetch_paid_url', order())
    expect(waiting).toMatchObject({
      payment_status: 'pending_approval',
      body: null,
      next_tool: 'get_approval',
    })
    const { approval_id } = waiting
    expect(await mcp.call('fetch_paid_url', order())).toMatchObject({
      approval_id,
      next_tool: 'get_approval',
    })
    const headers = await stage.network.login(stage.owner)
    await stage.api.ok(routes.approve, { params: { approval_id: String(approval_id) }, headers })
    expect(await mcp.call('get_approval', { approval_id })).toMatchObject({ next_tool: 'fetch_paid_url' })
    expect(await mcp.call('fetch_paid_url', order())).toMatchObject({
      status: 200,
      body: '"sunny"',
      approval_id,
    })
    expect([shop.served(), await setAside()]).toMatchObject([1, [{ amount: 0.1, status: 'closing' }]])
  })

  test('is bought by the command, which closes what it has set aside', async () => {
    const cli = openCli()
    const env = { BATUA_BASE_URL: stage.api.address, BATUA_AGENT_KEY: buyer.key }
    const unpaid = await cli.run(['fetch', page, '--no-pay', '--json'], { env })
    expect([unpaid.code, jsonOf(unpaid)]).toMatchObject([3, { error: { details: { amount: '0.10' } } }])
    expect(await cli.run(['fetch', page], { env })).toMatchObject({ code: 0, stdout: '"sunny"' })
    expect(await setAside()).toMatchObject([{ amount: 0.1, status: 'closing' }])
    cli.remove()
  })

  test('takes no more than the price that was agreed, whatever its seller asks next', async () => {
    const mcp = await overHttp()
    const asked = { paise: '10' }
    const shown: string[] = []
    const dear = await roads.serve((incoming, response) => {
      const { authorization } = incoming.headers
      if (authorization !== undefined) {
        shown.push(authorization)
        asked.paise = '20'
      }
      response.writeHead(402, { 'www-authenticate': askedBy(asked.paise) }).end()
    })
    const above = { ...order(dear), max_amount: 0.09 }
    expect(await mcp.call('fetch_paid_url', above)).toMatchObject({ code: 'price_too_high', limit: 0.09 })
    expect(await setAside()).toEqual([])
    // It asks for more once money is set aside: that is never signed for, and the money comes back.
    const changed = { isError: true, code: 'price_changed', next_tool: 'list_transactions' }
    expect(await mcp.call('fetch_paid_url', order(dear))).toMatchObject(changed)
    expect(await mcp.call('fetch_paid_url', order(dear))).toMatchObject({ isError: true })
    expect(shown).toHaveLength(1)
    expect(voucherIn(shown[0])).toMatchObject({ amount: '0.10' })
    expect(await setAside()).toMatchObject([{ amount: 0.1, captured: 0, status: 'closing' }])
  })

  test('is not bought at another service, or by a payment in a header that is the caller’s', async () => {
    const mcp = await overHttp()
    for (const header of [askedBy('10', 'https://other.example'), `${askedBy('10')}, header="cookie"`]) {
      const url = await roads.serve((_incoming, response) =>
        response.writeHead(402, { 'www-authenticate': header }).end(),
      )
      expect(await mcp.call('fetch_paid_url', order(url))).toMatchObject({
        status: 402,
        authorization_id: null,
      })
    }
    expect(await setAside()).toEqual([])
  })

  test('is refused a key with which something else was set aside, and leaves that alone', async () => {
    const mcp = await overHttp()
    const held = { to: stage.payee.handle, amount: 5, idempotency_key: 'k' }
    const { authorization_id } = await mcp.call('open_authorization', held)
    expect(await mcp.call('fetch_paid_url', order())).toMatchObject({
      ...{
        isError: true,
        code: 'idempotency_error',
        field: 'idempotency_key',
        details: { authorization_id },
      },
    })
    expect(await mcp.call('fetch_paid_url', order(page, 'l'))).toMatchObject({ status: 200 })
    expect(await mcp.call('fetch_paid_url', order(`${shop.address}/other`, 'l'))).toMatchObject({
      ...{ isError: true, code: 'idempotency_error' },
    })
    const states = (await setAside()).map(({ amount, status }) => [amount, status])
    expect([states, shop.served()]).toEqual([
      [
        [0.1, 'closing'],
        [5, 'open'],
      ],
      1,
    ])
  })

  /** A challenge of a session that no package of MPP has made. */
  function askedBy(amount: string, at = service): string {
    const methodDetails = { nonce: randomUUID(), service: at, resource: 'GET /' }
    const asking = { amount, currency: 'inr', recipient: stage.payee.handle, methodDetails }
    const encoded = Buffer.from(JSON.stringify(asking)).toString('base64url')
    return `Payment id="1", realm="shop", method="batua", intent="session", request="${encoded}"`
  }
})

/** What the voucher in a credential pays. */
function voucherIn(credential = ''): unknown {
  const { payload } = JSON.parse(Buffer.from(credential.replace('Payment ', ''), 'base64url').toString())
  return JSON.parse(Buffer.from(String(payload.voucher).split('.')[1] ?? '', 'base64url').toString())
}

/** Passes requests on to a shop; while it loses, those with a payment get no response. */
function openRoad(shop: string, losing: { readonly isOn: boolean }): Promise<string> {
  return roads.serve(async (incoming, response) => {
    const { authorization } = incoming.headers
    if (authorization !== undefined && losing.isOn) return response.destroy()
    const headers = authorization === undefined ? {} : { authorization }
    const reply = await fetch(shop + (incoming.url ?? ''), { headers })
    const asked = reply.headers.get('www-authenticate')
    response.writeHead(reply.status, asked === null ? {} : { 'www-authenticate': asked })
    return response.end(await reply.text())
  })
}
