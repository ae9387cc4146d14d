import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { createClient, payingFetch } from '@batua/sdk'
import { fileJournal } from '@batua/sdk/file-journal'
import { type ExactClientOptions, exactClient, uptoClient } from '@batua/sdk/x402'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { request } from './src/api.ts'
import { connectMcp, type McpClient } from './src/mcp-client.ts'
import type { Agent } from './src/network.ts'
import { AWAY, openServiceProxy, type ServiceProxy } from './src/pay-per-call-service-proxy.ts'
import { openProxiedStage, type ProxiedStage } from './src/paying-stage.ts'
import {
  installX402,
  recording,
  settlementIn,
  signatureIn,
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
  await proxy.become('open')
  buyer = await stage.network.fundedAgent(stage.owner)
})

/** What a buyer starts with. */
const WEALTH = 975

const clientOf = (agent: Agent, address = stage.api.address) =>
  createClient({ baseUrl: address, agentKey: agent.key })
const ours = () => payingFetch(fetch, { client: clientOf(buyer), service, maxAmount: 20, allowHttp: true })
const wealth = async () => (await stage.network.balance(buyer)).available
async function authorizations() {
  const call = { params: { agent_id: buyer.id }, headers: buyer.headers }
  return (await stage.api.ok(routes.listAuthorizations, call)).authorizations
}
const statuses = async () => (await authorizations()).map(({ status, captured }) => [status, captured])

interface ShownPayment {
  readonly payload: { readonly authorization: string; readonly fromAgent: string }
}

function errorIn(headers: Headers): unknown {
  const text = Buffer.from(headers.get('payment-required') ?? 'e30=', 'base64').toString()
  return (JSON.parse(text) as { readonly error?: unknown }).error
}

describe.each(['express', 'hono'] as const)('a shop on @x402/%s that captures after the request', name => {
  let shop: X402Seller
  let page: string

  const theirs = (options: Partial<ExactClientOptions> = {}) =>
    x402.buyer(exactClient({ client: clientOf(buyer), service, ...options }))

  beforeAll(async () => {
    const client = clientOf(stage.payee, proxy.address)
    shop = await x402.shops[name]({ client, payTo: stage.payee.handle, paymentFlow: 'authorization' })
    page = `${shop.address}/page`
  })
  afterAll(() => shop?.close())

  test.each([
    ['x402’s own client', () => theirs()],
    ['our paying fetch', () => ours()],
  ])('sells to %s, each call once and for the price', async (_, open) => {
    const buy = open()
    const before = shop.served()
    for (let call = 1; call <= 2; call++) {
      const response = await buy(page)
      expect([response.status, await response.text()]).toEqual([200, 'sunny'])
      expect(settlementIn(response.headers)).toMatchObject({ success: true, amount: '250', payer: buyer.id })
    }
    expect(shop.served() - before).toBe(2)
    expect(await statuses()).toEqual([
      ['closed', 2.5],
      ['closed', 2.5],
    ])
    expect(await wealth()).toBe(WEALTH - 2 * 3.5)
  })

  test('runs its handler once for an authorization that is shown twelve times at once, again, or elsewhere', async () => {
    const { kept, signatures } = recording()
    const before = shop.served()
    const cut: typeof fetch = async (input, init) => {
      const response = await kept(input, init)
      if (signatures.length > 0) throw new TypeError('cut')
      return response
    }
    await proxy.become(AWAY)
    await expect(x402.buyer(exactClient({ client: clientOf(buyer), service }), cut)(page)).rejects.toThrow(
      'cut',
    )
    await proxy.become('open')
    const headers = { 'payment-signature': signatures[0] ?? '' }
    const elsewhere = await request(shop.address, 'GET', '/other', { headers })
    expect([elsewhere.status, errorIn(elsewhere.headers)]).toEqual([402, 'nonce_not_ours'])
    const shown = await Promise.all(
      Array.from({ length: 12 }, () => request(shop.address, 'GET', '/page', { headers })),
    )
    expect(shown.filter(({ status }) => status === 200)).toHaveLength(1)
    const reasons = shown.filter(({ status }) => status === 402).map(reply => errorIn(reply.headers))
    // A process asks about one payment five times at once, and has no response to more.
    expect(['nonce_already_used', 'unexpected_verify_error']).toEqual(expect.arrayContaining(reasons))
    expect((await request(shop.address, 'GET', '/page', { headers })).status).toBe(402)
    expect(shop.served() - before).toBe(1)
    expect(await wealth()).toBe(WEALTH - 3.5)
  })

  test('refuses invented authorizations without asking the service', async () => {
    // Of its own, since a process that could not fetch the service’s keys asks the service meanwhile.
    const client = clientOf(stage.payee, proxy.address)
    const own = await x402.shops[name]({ client, payTo: stage.payee.handle, paymentFlow: 'authorization' })
    const { kept, signatures } = recording()
    const buy = x402.buyer(exactClient({ client: clientOf(buyer), service }), kept)
    expect((await buy(`${own.address}/page`)).status).toBe(200)
    const payment = JSON.parse(Buffer.from(signatures[0] ?? '', 'base64').toString()) as ShownPayment
    const [head = '', body = '', signature = ''] = payment.payload.authorization.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { readonly jti: string }
    const jti = `${claims.jti.slice(0, -3)}000`
    const forged = Buffer.from(JSON.stringify({ ...claims, jti })).toString('base64url')
    const invented = { ...payment.payload, authorization: `${head}.${forged}.${signature}` }
    const other = { ...payment.payload, fromAgent: stage.payee.id }
    await proxy.become(AWAY)
    for (const [payload, reason] of [
      [invented, 'transaction_not_found'],
      [other, 'payer_mismatch'],
      [payment.payload, 'unexpected_verify_error'],
    ] as const) {
      const header = Buffer.from(JSON.stringify({ ...payment, payload })).toString('base64')
      const refused = await request(own.address, 'GET', '/page', {
        headers: { 'payment-signature': header },
      })
      expect([refused.status, errorIn(refused.headers)]).toEqual([402, reason])
    }
    await own.close()
  })

  test.each([500, 404])(
    'costs nothing if its handler returns %i, and the next call is a new purchase',
    async status => {
      for (const buy of [theirs(), ours()]) {
        const before = await wealth()
        shop.statuses.push(status)
        expect((await buy(page)).status).toBe(status)
        expect(await wealth()).toBe(before)
        expect((await buy(page)).status).toBe(200)
        expect(await wealth()).toBe(before - 3.5)
      }
    },
  )

  test('returns the money later if it could not when its handler failed', async () => {
    shop.statuses.push(500)
    shop.beforeNext.push(() => proxy.become(AWAY))
    expect((await theirs()(page)).status).toBe(500)
    expect(await wealth()).toBe(WEALTH - 3.5)
    await proxy.become('open')
    await expect.poll(wealth, { timeout: 60_000 }).toBe(WEALTH)
  })

  test('cannot verify while the service is unavailable: the next call shows the same authorization', async () => {
    const buy = theirs()
    const before = shop.served()
    await proxy.become(AWAY)
    expect((await buy(page)).status).toBe(402)
    await proxy.become('open')
    expect((await buy(page)).status).toBe(200)
    expect([await statuses(), shop.served() - before]).toEqual([[['closed', 2.5]], 1])
  })

  test('whose verification’s response is lost serves the authorization when it is shown again, once', async () => {
    const buy = theirs()
    const before = shop.served()
    await proxy.become('deaf')
    const lost = buy(page)
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([['open', 0]])
    await proxy.become('closed')
    expect((await lost).status).toBe(402)
    await proxy.become('open')
    expect((await buy(page)).status).toBe(200)
    expect((await buy(page)).status).toBe(200)
    expect([(await authorizations()).length, shop.served() - before]).toEqual([2, 2])
  })

  test('whose settlement’s response is lost captures once, and the buyer gets what it paid for', async () => {
    const buy = theirs()
    shop.beforeNext.push(() => proxy.become('deaf'))
    const lost = buy(page)
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([['closed', 2.5]])
    await proxy.become('closed')
    expect((await lost).status).toBe(402)
    await proxy.become('open')
    const response = await buy(page)
    expect([response.status, await response.text()]).toEqual([200, 'sunny'])
    expect(await statuses()).toEqual([['closed', 2.5]])
    expect(await wealth()).toBe(WEALTH - 3.5)
  })

  test('is bought from by our paying fetch as soon as the service is back, once', async () => {
    await proxy.become(AWAY)
    const bought = ours()(page)
    await expect.poll(async () => (await authorizations()).length, { timeout: 10_000 }).toBe(1)
    await proxy.become('open')
    expect((await bought).status).toBe(200)
    expect(await statuses()).toEqual([['closed', 2.5]])
  })

  test('serves and charges none of twelve equal concurrent calls twice', async () => {
    const buy = theirs()
    const before = shop.served()
    const responses = await Promise.all(Array.from({ length: 12 }, () => buy(page)))
    const served = responses.filter(({ status }) => status === 200).length
    expect(served).toBeGreaterThan(0)
    expect(shop.served() - before).toBe(served)
    const captured = (await authorizations()).filter(({ status }) => status === 'closed')
    expect(captured).toHaveLength(served)
  })
})

describe.each(['express', 'hono'] as const)('a shop on @x402/%s with the scheme upto', name => {
  let shop: X402Seller
  let page: string

  beforeAll(async () => {
    const client = clientOf(stage.payee, proxy.address)
    shop = await x402.shops[name]({ client, payTo: stage.payee.handle, scheme: 'upto' })
    page = `${shop.address}/page`
  })
  afterAll(() => shop?.close())

  test.each([
    ['x402’s own client', () => x402.buyer(uptoClient({ client: clientOf(buyer), service }))],
    ['our paying fetch', () => ours()],
  ])('sells to %s for what its handler says, for the whole price, and for nothing', async (_, open) => {
    const buy = open()
    shop.amounts.push('120')
    const response = await buy(page)
    expect([response.status, settlementIn(response.headers)['amount']]).toEqual([200, '120'])
    expect(await wealth()).toBeCloseTo(WEALTH - 1.2 - 1)
    expect((await buy(page)).status).toBe(200)
    expect(await wealth()).toBeCloseTo(WEALTH - 1.2 - 1 - 3.5)
    shop.amounts.push('0')
    expect((await buy(page)).status).toBe(200)
    expect(await wealth()).toBeCloseTo(WEALTH - 1.2 - 1 - 3.5)
    expect(await statuses()).toEqual([
      ['voided', 0],
      ['closed', 2.5],
      ['closed', 1.2],
    ])
  })

  test('cannot capture more than the price: nothing is served or charged then', async () => {
    shop.amounts.push('251')
    const response = await x402.buyer(uptoClient({ client: clientOf(buyer), service }))(page)
    expect(response.status).toBe(402)
    expect(await response.text()).not.toBe('sunny')
    expect((await authorizations()).map(({ captured }) => captured)).toEqual([0])
  })
})

/** A buyer that writes this into its own payment. */
function writing(part: object): typeof fetch {
  return async (input, init) => {
    const signature = signatureIn(input, init)
    if (signature === null) return fetch(input, init)
    const payment = JSON.parse(Buffer.from(signature, 'base64').toString())
    const changed = { ...payment, payload: { ...payment.payload, ...part } }
    const headers = { 'payment-signature': Buffer.from(JSON.stringify(changed)).toString('base64') }
    return fetch(typeof input === 'object' && 'url' in input ? input.url : input, { headers })
  }
}

describe.each(['express', 'hono'] as const)('on @x402/%s', name => {
  test.each(['upfront', 'authorization', 'upto'] as const)(
    'a buyer that undoes its own payment (%s), or names the request that it is for, is not served',
    async kind => {
      const sold = kind === 'upto' ? ({ scheme: 'upto' } as const) : ({ paymentFlow: kind } as const)
      const client = clientOf(stage.payee)
      const shop = await x402.shops[name]({ client, payTo: stage.payee.handle, ...sold })
      try {
        const make = kind === 'upto' ? uptoClient : exactClient
        for (const part of [{ phase: 'cancel' }, { attempt: 'mine' }, { phase: 'cancel', attempt: 'mine' }]) {
          const buy = x402.buyer(make({ client: clientOf(buyer), service }), writing(part))
          const response = await buy(`${shop.address}/page`)
          expect([response.status, errorIn(response.headers)]).toEqual([402, 'invalid_payload'])
        }
        expect(shop.served()).toBe(0)
      } finally {
        await shop.close()
      }
    },
  )
})

describe('an assistant’s tools', () => {
  let shop: X402Seller
  let mcp: McpClient

  beforeAll(async () => {
    const client = clientOf(stage.payee)
    shop = await x402.shops.express({ client, payTo: stage.payee.handle, paymentFlow: 'authorization' })
  })
  beforeEach(async () => {
    mcp = await connectMcp(stage.api.address, buyer.key)
  })
  afterEach(() => mcp.close())
  afterAll(() => shop?.close())

  test('quote and buy what is captured after the request, and one key pays once', async () => {
    const url = `${shop.address}/page`
    const quote = { amount: 2.5, total: 3.5, pay_to: stage.payee.handle, decision: 'approved' }
    expect(await mcp.call('quote_paid_url', { url })).toMatchObject(quote)
    const order = { url, max_amount: 5, idempotency_key: 'k' }
    const [{ authorization_id: id }, before] = [await mcp.call('fetch_paid_url', order), shop.served()]
    expect(await mcp.call('fetch_paid_url', order)).toMatchObject({ isError: true })
    expect((await authorizations()).map(each => each.authorization_id)).toEqual([id])
    expect([await statuses(), shop.served()]).toEqual([[['closed', 2.5]], before])
  })

  test('are directed by an approval to fetch the page whose price the owner let them set aside', async () => {
    const policy = { require_human_approval_above: 2 }
    const asking = await stage.network.fundedAgent(stage.owner, policy)
    const client = await connectMcp(stage.api.address, asking.key)
    const order = { url: `${shop.address}/page`, max_amount: 5, idempotency_key: 'k' }
    const waiting = await client.call('fetch_paid_url', order)
    expect(waiting).toMatchObject({ payment_status: 'pending_approval', next_tool: 'get_approval' })
    const approval_id = String(waiting['approval_id'])
    expect(await client.call('fetch_paid_url', order)).toMatchObject({
      ...{ isError: false, payment_status: 'pending_approval', approval_id, next_tool: 'get_approval' },
    })
    const headers = await stage.network.login(stage.owner)
    await stage.api.ok(routes.approve, { params: { approval_id }, headers })
    const approved = await client.call('get_approval', { approval_id })
    expect(approved).toMatchObject({ kind: 'authorization', next_tool: 'fetch_paid_url' })
    const page = await client.call('fetch_paid_url', order)
    expect(page).toMatchObject({ status: 200, body: 'sunny', amount: 2.5, approval_id, next_tool: null })
    const { authorization_id } = approved
    expect(page).toMatchObject({ payment_id: null, authorization_id })
    const read = (as: Agent) =>
      stage.api.ok(routes.getAuthorization, {
        params: { authorization_id: String(authorization_id) },
        headers: as.headers,
      })
    expect(await read(asking)).toMatchObject({ approval_id })
    expect(await read(stage.payee)).not.toHaveProperty('approval_id')
    await client.close()
  })

  test('continue with the money set aside if the page could not be served before', async () => {
    const url = `${shop.address}/page`
    const order = { url, max_amount: 5, idempotency_key: 'k' }
    const away = await x402.shops.express({
      ...{ client: clientOf(stage.payee, proxy.address), payTo: stage.payee.handle },
      paymentFlow: 'authorization',
    })
    // x402's server asks the facilitator at its first request what it supports.
    await request(away.address, 'GET', '/page', {})
    await proxy.become(AWAY)
    const waiting = { ...order, url: `${away.address}/page` }
    expect(await mcp.call('fetch_paid_url', waiting)).toMatchObject({
      ...{ status: 503, next_tool: 'fetch_paid_url' },
    })
    expect(await statuses()).toEqual([['open', 0]])
    await proxy.become('open')
    expect(await mcp.call('fetch_paid_url', waiting)).toMatchObject({ status: 200, body: 'sunny' })
    expect(await statuses()).toEqual([['closed', 2.5]])
    await away.close()
  })
})

describe('a crash of the buyer', () => {
  let shop: X402Seller
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'batua-x402-set-aside-'))
    const client = clientOf(stage.payee)
    shop = await x402.shops.express({ client, payTo: stage.payee.handle, paymentFlow: 'authorization' })
  })
  afterAll(async () => {
    await shop?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('after the money was set aside, and before the request, does not set money aside again', async () => {
    const path = join(folder, 'purchases.jsonl')
    const first = await fileJournal(path)
    const scheme = exactClient({ client: clientOf(buyer), service, journal: first })
    const required = await request(shop.address, 'GET', '/page', {})
    const price = JSON.parse(
      Buffer.from(required.headers.get('payment-required') ?? '', 'base64').toString(),
    ) as { accepts: object[] }
    const [requirements = {}] = price.accepts
    const chosen = { paymentRequired: price, selectedRequirements: requirements }
    await scheme.schemeHooks.onBeforePaymentCreation(chosen)
    await scheme.createPaymentPayload(2, requirements)
    await first.close()

    const journal = await fileJournal(path)
    const buy = x402.buyer(exactClient({ client: clientOf(buyer), service, journal }))
    expect((await buy(`${shop.address}/page`)).status).toBe(200)
    expect(await statuses()).toEqual([['closed', 2.5]])
    await journal.close()
  })

  test('during the request to set money aside finds the authorization by a retry', async () => {
    const path = join(folder, 'lost.jsonl')
    const gate = await openServiceProxy(stage.api.address)
    const first = await fileJournal(path)
    const fetchOf = (address: string, journal: typeof first) =>
      payingFetch(fetch, {
        client: createClient({ baseUrl: address, agentKey: buyer.key, maxRetries: 0 }),
        ...{ service, maxAmount: 5, allowHttp: true, payees: 'any', journal },
      })
    const warm = fetchOf(gate.address, first)
    expect((await warm(`${shop.address}/page`)).status).toBe(200)
    await gate.become('deaf')
    const signal = AbortSignal.timeout(3_000)
    await expect(warm(`${shop.address}/page`, { signal })).rejects.toThrow()
    await first.close()
    await gate.close()
    expect(await statuses()).toEqual([
      ['open', 0],
      ['closed', 2.5],
    ])

    const journal = await fileJournal(path)
    expect((await fetchOf(stage.api.address, journal)(`${shop.address}/page`)).status).toBe(200)
    expect(await statuses()).toEqual([
      ['closed', 2.5],
      ['closed', 2.5],
    ])
    await journal.close()
  })
})
