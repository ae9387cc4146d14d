import { createServer } from 'node:http'
import { routes } from '@batua/contract'
import { createClient } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { chargeFor, setAside } from '@batua/sdk/x402'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import type { ServiceProxy } from './src/pay-per-call-service-proxy.ts'
import { openShop, type Shop } from './src/pay-per-call-shop.ts'
import { openProxiedStage, type ProxiedStage } from './src/paying-stage.ts'
import { settlementIn } from './src/x402-packages.ts'

let stage: ProxiedStage
let proxy: ServiceProxy
let service: string
let buyer: Agent
/** How often a handler ran. */
let served = 0
let work: (request: object) => unknown = () => {}
const errors: unknown[] = []
/** How often the service was asked about what was shown. */
let questions = 0
const shops: Shop[] = []

beforeAll(async () => {
  stage = await openProxiedStage()
  ;({ proxy, origin: service } = stage)
})
afterAll(async () => {
  await stage?.close()
})
beforeEach(async () => {
  await proxy.become('open')
  buyer = await stage.network.fundedAgent(stage.owner)
  served = 0
  work = () => {}
  errors.length = 0
  questions = 0
})
afterEach(async () => {
  for (const shop of shops.splice(0)) await shop.close()
})

const WEALTH = 975

/** A process of the payee. All pages cost 2.50 INR, or at most so much. */
async function openSeller(scheme: 'exact' | 'upto' = 'exact', amount = 2.5): Promise<Shop> {
  const client = createClient({
    ...{ baseUrl: proxy.address, agentKey: stage.payee.key },
    fetch(input, init) {
      if (String(input instanceof Request ? input.url : input).endsWith('/verify')) questions += 1
      return fetch(input, init)
    },
  })
  const selling = { client, payTo: stage.payee.handle, service, amount, x402: setAside(scheme) }
  const onError = (error: unknown) => errors.push(error)
  const handler = requirePayment(
    { ...selling, onError, verifyTimeoutMs: 1_000 },
    async (request, response) => {
      served += 1
      await work(request)
      response.end('sunny')
    },
  )
  const shop = await openShop(createServer(handler))
  shops.push(shop)
  return shop
}

interface Price {
  readonly accepts: readonly { readonly extra: { readonly nonce: string } }[]
}

/** What a buyer sets aside for a page, and the header that shows it; `more` is of the payload. */
async function paymentFor(
  shop: Shop,
  { to = stage.payee, ...order }: { to?: Agent; amount?: number; expires_in?: number } = {},
) {
  const price = await fetch(`${shop.address}/page`)
  const { accepts } = JSON.parse(
    Buffer.from(price.headers.get('payment-required') ?? '', 'base64').toString(),
  ) as Price
  const accepted = accepts[0]
  const nonce = accepted?.extra.nonce ?? ''
  const { token } = await stage.api.ok(routes.authorize, {
    params: { agent_id: buyer.id },
    headers: buyer.headers,
    body: { to: to.handle, amount: 2.5, reference: nonce, ...order },
  })
  return (more: object = {}, others: object = {}) => {
    const payload = { version: 1, authorization: token, fromAgent: buyer.id, nonce, ...more }
    const payment = { x402Version: 2, accepted, payload, ...others }
    return { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') }
  }
}

async function show(shop: Shop, headers: Record<string, string>, path = '/page') {
  const response = await fetch(shop.address + path, { headers })
  await response.text()
  const { errorReason } = settlementIn(response.headers) as { errorReason?: string }
  return response.status === 402 ? errorReason : response.status
}

async function statuses() {
  const call = { params: { agent_id: buyer.id }, headers: buyer.headers }
  const { authorizations } = await stage.api.ok(routes.listAuthorizations, call)
  return authorizations.map(({ status, captured }) => [status, captured])
}
const wealth = async () => (await stage.network.balance(buyer)).available
const SOON = { timeout: 20_000 }

test('two processes that are shown one authorization twelve times at once serve it once', async () => {
  const [one, other] = await Promise.all([openSeller(), openSeller()])
  const payment = await paymentFor(one)
  const shown = await Promise.all(
    Array.from({ length: 12 }, (_, at) => show(at % 2 === 0 ? one : other, payment())),
  )
  // A process asks about one payment five times at once, and responds with 503 to more.
  expect(shown.filter(each => each !== 503 && each !== 'nonce_already_used')).toEqual([200])
  await expect.poll(statuses, SOON).toEqual([['closed', 2.5]])
  expect([served, await wealth()]).toEqual([1, WEALTH - 3.5])
})

test('an authorization for one page is refused for other pages and prices, and stays valid for its own', async () => {
  const [shop, dearer] = await Promise.all([openSeller(), openSeller('exact', 2.51)])
  const payment = await paymentFor(shop)
  const cheap = { accepted: { amount: '1' }, resource: { url: 'file:///etc/passwd' } }
  expect([
    await show(shop, payment(), '/other'),
    await show(shop, payment(), '/page?'),
    await show(dearer, payment()),
  ]).toEqual(['nonce_not_ours', 'nonce_not_ours', 'nonce_not_ours'])
  expect(served).toBe(0)
  expect(await show(shop, payment({}, cheap))).toBe(200)
  await expect.poll(statuses, SOON).toEqual([['closed', 2.5]])
})

test('an authorization for another payee, of too little, or shown by another agent is not served', async () => {
  const shop = await openSeller()
  const stranger = await stage.network.agent(stage.owner)
  const foreign = await paymentFor(shop, { to: stranger })
  const little = await paymentFor(shop, { amount: 2.49 })
  const own = await paymentFor(shop)
  expect([
    await show(shop, foreign()),
    await show(shop, little()),
    await show(shop, own({ fromAgent: stranger.id })),
    await show(shop, own({ phase: 'cancel' })),
  ]).toEqual(['not_payee', 'insufficient_amount', 'payer_mismatch', 200])
  await expect.poll(statuses, SOON).toEqual([
    ['closed', 2.5],
    ['open', 0],
    ['open', 0],
  ])
  expect(served).toBe(1)
})

test('invented authorizations cause no questions to the service, and honest buyers go on', async () => {
  const [shop, sound] = [await openSeller(), await openSeller()]
  const genuine = await paymentFor(shop)
  const tokenOf = (headers: Record<string, string>) =>
    JSON.parse(Buffer.from(headers['payment-signature'] ?? '', 'base64').toString()).payload
      .authorization as string
  const [head = '', body = '', signature = ''] = tokenOf(genuine()).split('.')
  const { jti, ...claims } = JSON.parse(Buffer.from(body, 'base64url').toString())
  const invented = (at: number) => {
    const id = `${String(jti).slice(0, -3)}${String(at).padStart(3, '0')}`
    const part = Buffer.from(JSON.stringify({ ...claims, jti: id })).toString('base64url')
    return genuine({ authorization: `${head}.${part}.${signature}` })
  }
  const other = await stage.network.agent(stage.owner)
  // It is genuine, and has a payer of its own: each question about it would be refused.
  const stolen = () => genuine({ fromAgent: other.id })
  const shown = new Set<unknown>()
  for (let at = 0; at < 150; at += 10) {
    const some = Array.from({ length: 10 }, (_, each) => show(shop, invented(at + each)))
    for (const each of await Promise.all([...some, show(shop, stolen())])) shown.add(each)
  }
  expect([...shown].toSorted()).toEqual(['payer_mismatch', 'transaction_not_found'])
  expect(questions).toBe(0)
  expect(await show(shop, genuine())).toBe(200)
  expect(await show(sound, (await paymentFor(sound))())).toBe(200)
})

test('after a lost verification one of two processes serves the authorization, once', async () => {
  const [one, other] = await Promise.all([openSeller(), openSeller()])
  const payment = await paymentFor(one)
  await proxy.become('deaf')
  expect(await show(one, payment())).toBe(503)
  await proxy.become('open')
  const shown = await Promise.all([one, one, other, other, one, other].map(shop => show(shop, payment())))
  expect(shown.filter(each => each === 200)).toHaveLength(1)
  expect(served).toBe(1)
  await expect.poll(statuses, SOON).toEqual([['closed', 2.5]])
})

test('a capture whose response is lost takes the amount once', async () => {
  const shop = await openSeller('upto')
  const payment = await paymentFor(shop)
  work = async request => {
    chargeFor(request, 1.2)
    await proxy.become('deaf')
  }
  expect(await show(shop, payment())).toBe(200)
  await expect.poll(statuses, SOON).toEqual([['closed', 1.2]])
  await proxy.become('open')
  expect(await show(shop, payment())).toBe('nonce_already_used')
  expect([served, await wealth()]).toEqual([1, WEALTH - 2.2])
})

test('a failure whose return of the money is lost costs nothing, and is not served afterwards', async () => {
  const shop = await openSeller()
  const payment = await paymentFor(shop)
  work = async () => {
    await proxy.become('deaf')
    throw new Error('no weather')
  }
  expect(await show(shop, payment())).toBe(500)
  await expect.poll(statuses, SOON).toEqual([['voided', 0]])
  await proxy.become('open')
  expect(await show(shop, payment())).toBe('nonce_already_used')
  expect([served, await wealth()]).toEqual([1, WEALTH])
})

test.each([
  ['can be captured for a while', 90, ['closed', 2.5], 0],
  ['goes back if that comes too late', 1_000, ['expired', 0], 1],
] as const)(
  'an authorization that expires while the handler runs %s',
  async (_, seconds, status, failures) => {
    const shop = await openSeller()
    const payment = await paymentFor(shop, { expires_in: 60 })
    work = () => stage.api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
    expect(await show(shop, payment())).toBe(200)
    await expect.poll(statuses, SOON).toEqual([status])
    await expect.poll(() => errors.length, SOON).toBe(failures)
  },
)
