import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { routes } from '@batua/contract'
import { createClient, payingFetch } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { chargeFor, type ExactClientOptions, exactClient, setAside, uptoClient } from '@batua/sdk/x402'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { request } from './src/api.ts'
import type { Agent } from './src/network.ts'
import { AWAY, type ServiceProxy } from './src/pay-per-call-service-proxy.ts'
import { openShop, type Shop } from './src/pay-per-call-shop.ts'
import { SHOPS } from './src/pay-per-call-shops.ts'
import { openProxiedStage, type ProxiedStage } from './src/paying-stage.ts'
import { installX402, settlementIn, signatureIn, type X402Packages } from './src/x402-packages.ts'

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

/** What a buyer starts with. The weather costs 12.50 INR and 1 INR of fee. */
const WEALTH = 975

const clientOf = (agent: Agent, address = stage.api.address) =>
  createClient({ baseUrl: address, agentKey: agent.key })
const theirs = (options: Partial<ExactClientOptions> = {}, seller?: typeof fetch) =>
  x402.buyer(exactClient({ client: clientOf(buyer), service, ...options }), seller)
const wealth = async () => (await stage.network.balance(buyer)).available
const agentCall = () => ({ params: { agent_id: buyer.id }, headers: buyer.headers })
async function statuses() {
  const { authorizations } = await stage.api.ok(routes.listAuthorizations, agentCall())
  return authorizations.map(({ status, captured }) => [status, captured])
}
function attempted(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
const payments = async () => (await stage.api.ok(routes.listPayments, agentCall())).payments

describe.each(SHOPS)('a shop on %s with requirePayment, whose price is set aside', (_, open) => {
  let shop: Shop
  let page: string
  let served = 0

  beforeAll(async () => {
    shop = await open({
      ...{ client: clientOf(stage.payee, proxy.address), payTo: stage.payee.handle, service },
      x402: setAside(),
      onWeather: () => {
        served += 1
      },
      onError: () => undefined,
    })
    page = `${shop.address}/shop/weather?city=Pune`
  })
  afterAll(() => shop?.close())

  test('captures what x402’s own client has set aside after the response, each call once', async () => {
    const buy = theirs()
    for (let call = 1; call <= 2; call++) {
      const response = await buy(page)
      expect([response.status, await response.json()]).toMatchObject([200, { city: 'Pune' }])
      expect(settlementIn(response.headers)).toMatchObject({ success: true, payer: buyer.id, amount: '1250' })
    }
    const captured = [
      ['closed', 12.5],
      ['closed', 12.5],
    ]
    await expect.poll(statuses, { timeout: 5_000 }).toEqual(captured)
    expect(await wealth()).toBe(WEALTH - 2 * 13.5)
  })

  test('is paid by our paying fetch before the call, in the same 402', async () => {
    const ours = payingFetch(fetch, { client: clientOf(buyer), maxAmount: 20, allowHttp: true })
    expect((await ours(page)).status).toBe(200)
    expect([await payments(), await statuses()]).toMatchObject([[{ amount: 12.5 }], []])
  })

  test('costs nothing if its handler fails, not even the fee, and the next call is a new purchase', async () => {
    const buy = theirs()
    const failed = await buy(`${shop.address}/shop/broken`)
    expect([failed.status, settlementIn(failed.headers)['success']]).toEqual([500, false])
    await expect.poll(wealth, { timeout: 5_000 }).toBe(WEALTH)
    expect((await buy(page)).status).toBe(200)
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([
      ['closed', 12.5],
      ['voided', 0],
    ])
  })

  test('serves an authorization that is shown twelve times at once, and again, once', async () => {
    const signatures: string[] = []
    const cut: typeof fetch = async (input, init) => {
      const signature = signatureIn(input, init)
      if (signature === null) return fetch(input, init)
      signatures.push(signature)
      throw new TypeError('cut')
    }
    await expect(theirs({}, cut)(page)).rejects.toThrow('cut')
    const before = served
    const path = '/shop/weather?city=Pune'
    const headers = { 'payment-signature': signatures[0] ?? '' }
    const elsewhere = await request(shop.address, 'GET', '/shop/weather?city=Delhi', { headers })
    expect([elsewhere.status, settlementIn(elsewhere.headers)['errorReason']]).toEqual([
      402,
      'nonce_not_ours',
    ])
    const shown = await Promise.all(
      Array.from({ length: 12 }, () => request(shop.address, 'GET', path, { headers })),
    )
    expect(shown.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = shown.filter(({ status }) => status === 402)
    expect(new Set(refused.map(reply => settlementIn(reply.headers)['errorReason']))).toEqual(
      new Set(['nonce_already_used']),
    )
    expect(served - before).toBe(1)
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([['closed', 12.5]])
  })

  test('captures from a buyer that writes a phase and an attempt into its payment', async () => {
    const undoing: typeof fetch = async (input, init) => {
      const signature = signatureIn(input, init)
      if (signature === null) return fetch(input, init)
      const payment = JSON.parse(Buffer.from(signature, 'base64').toString())
      const payload = { ...payment.payload, phase: 'cancel', attempt: 'mine' }
      const text = Buffer.from(JSON.stringify({ ...payment, payload })).toString('base64')
      return fetch(page, { headers: { 'payment-signature': text } })
    }
    expect((await theirs({}, undoing)(page)).status).toBe(200)
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([['closed', 12.5]])
  })

  test('responds with 503 while the service is unavailable, and serves the same authorization afterwards', async () => {
    const buy = theirs()
    await proxy.become(AWAY)
    expect((await buy(page)).status).toBe(503)
    await proxy.become('open')
    expect((await buy(page)).status).toBe(200)
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([['closed', 12.5]])
  })
})

describe('a shop with requirePayment whose handler says what a request costs', () => {
  let shop: Shop
  let page: string
  const charges: number[] = []
  const said: unknown[] = []
  let beforeEnd = async () => {}
  let atStart = (_asked: IncomingMessage, _response: ServerResponse) => {}

  beforeAll(async () => {
    const client = clientOf(stage.payee, proxy.address)
    const options = { client, payTo: stage.payee.handle, service, amount: 2.5, x402: setAside('upto') }
    const handler = requirePayment({ ...options, onError: () => undefined }, async (asked, response) => {
      atStart(asked, response)
      const amount = charges.shift()
      try {
        if (amount !== undefined) said.push(chargeFor(asked, amount))
      } catch (error) {
        said.push(error)
      }
      await beforeEnd()
      response.end('sunny')
    })
    const server = createServer((asked, response) => {
      // A test breaks connections, and the next request must not be sent over one that is breaking.
      response.shouldKeepAlive = false
      return handler(asked, response)
    })
    shop = await openShop(server)
    page = `${shop.address}/page`
  })
  beforeEach(() => {
    said.length = 0
    beforeEnd = async () => {}
    atStart = () => {}
  })
  afterAll(() => shop?.close())

  const most = () => x402.buyer(uptoClient({ client: clientOf(buyer), service }))

  test('captures that amount, or the price, or nothing without a fee', async () => {
    const buy = most()
    charges.push(1.2)
    const response = await buy(page)
    expect([response.status, settlementIn(response.headers)['amount']]).toEqual([200, '120'])
    await expect.poll(wealth, { timeout: 5_000 }).toBeCloseTo(WEALTH - 2.2)
    expect((await buy(page)).status).toBe(200)
    await expect.poll(wealth, { timeout: 5_000 }).toBeCloseTo(WEALTH - 2.2 - 3.5)
    charges.push(0)
    expect((await buy(page)).status).toBe(200)
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([
      ['voided', 0],
      ['closed', 2.5],
      ['closed', 1.2],
    ])
    expect(said).toEqual([true, true])
  })

  test('cannot charge more than the price, and charges a payment of pay-per-call in full', async () => {
    charges.push(2.51, 1)
    expect((await most()(page)).status).toBe(200)
    const ours = payingFetch(fetch, { client: clientOf(buyer), maxAmount: 20, allowHttp: true })
    expect((await ours(page)).status).toBe(200)
    expect(said).toEqual([expect.any(RangeError), false])
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([['closed', 2.5]])
    expect(await payments()).toMatchObject([{ amount: 2.5, refunded_total: 0 }])
  })

  test('cannot charge another amount than the response has said, once it has begun', async () => {
    const charged = Promise.withResolvers<unknown[]>()
    atStart = (asked, response) => {
      chargeFor(asked, 0.5)
      chargeFor(asked, 1.2)
      response.write('sun')
      charged.resolve([2.5, 0.1].map(amount => attempted(() => chargeFor(asked, amount))))
    }
    const response = await most()(page)
    expect([response.status, settlementIn(response.headers)['amount']]).toEqual([200, '120'])
    expect(await charged.promise).toEqual([expect.any(Error), expect.any(Error)])
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([['closed', 1.2]])
  })

  test.each([-1, 1.005, Number.NaN, Number.POSITIVE_INFINITY, 2.51, '1e0', '0x1', ' 1'])(
    'refuses %s as an amount',
    async amount => {
      atStart = asked => {
        said.push(attempted(() => chargeFor(asked, amount)))
      }
      expect((await most()(page)).status).toBe(200)
      expect(said).toEqual([expect.any(RangeError)])
      await expect.poll(statuses, { timeout: 5_000 }).toEqual([['closed', 2.5]])
    },
  )

  test.each([
    ['so much, if it says so afterwards', 1.2, ['closed', 1.2]],
    ['nothing, if it says so afterwards', 0, ['voided', 0]],
  ] as const)('charges a client that has left %s', async (_, amount, status) => {
    const [left, charged] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()]
    const leaving = new AbortController()
    beforeEnd = () => left.promise
    atStart = (asked, response) => {
      response.once('close', () => {
        // The adapter has seen it too.
        setImmediate(() => {
          charged.resolve(attempted(() => chargeFor(asked, amount)))
          left.resolve()
        })
      })
      leaving.abort()
    }
    await expect(most()(page, { signal: leaving.signal })).rejects.toThrow('aborted')
    expect(await charged.promise).toBe(true)
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([status])
  })

  test('charges nothing to a client that has left, if the handler fails afterwards', async () => {
    const left = Promise.withResolvers<void>()
    const leaving = new AbortController()
    beforeEnd = async () => {
      await left.promise
      throw new Error('the weather is unknown')
    }
    atStart = (_asked, response) => {
      response.once('close', () => setImmediate(left.resolve))
      leaving.abort()
    }
    await expect(most()(page, { signal: leaving.signal })).rejects.toThrow('aborted')
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([['voided', 0]])
  })

  test('that aborts its response after it began costs nothing', async () => {
    atStart = (asked, response) => {
      chargeFor(asked, 1.2)
      response.write('sun')
      throw new Error('the weather is unknown')
    }
    await expect(most()(page).then(response => response.text())).rejects.toThrow(TypeError)
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([['voided', 0]])
    expect(await wealth()).toBe(WEALTH)
  })

  test('captures later if the service is unavailable after the response', async () => {
    beforeEnd = () => proxy.become(AWAY)
    expect((await most()(page)).status).toBe(200)
    await proxy.become('open')
    await expect.poll(statuses, { timeout: 30_000 }).toEqual([['closed', 2.5]])
  })

  test('whose verification’s response was lost serves the authorization when it is shown again', async () => {
    const buy = most()
    await proxy.become('deaf')
    const lost = buy(page)
    await expect.poll(async () => (await statuses()).length, { timeout: 20_000 }).toBe(1)
    expect((await lost).status).toBe(503)
    await proxy.become('open')
    expect((await buy(page)).status).toBe(200)
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([['closed', 2.5]])
  })
})
