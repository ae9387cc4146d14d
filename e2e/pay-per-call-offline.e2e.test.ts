import { type PaymentProof, PROOF_HEADER, routes } from '@batua/contract'
import { createClient, payingFetch, paymentOf } from '@batua/sdk'
import { sqlNonceStore } from '@batua/sdk/seller'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request } from './src/api.ts'
import { connectMcp } from './src/mcp-client.ts'
import type { Agent } from './src/network.ts'
import { type CountingShop, openCountingShop } from './src/pay-per-call-counting-shop.ts'
import { openServiceProxy, type ServiceProxy } from './src/pay-per-call-service-proxy.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'
import { proofHeader, reasonIn } from './src/pay-per-call-wire.ts'

const TABLE = `create table if not exists offline_nonces (
  nonce text primary key,
  claim_id text not null,
  expires_at bigint not null
)`

let stage: PayPerCallStage
let pool: Pool
/** What sellers reach the service by. */
let proxy: ServiceProxy
let other: Agent
const shops: CountingShop[] = []
/** What sellers have asked the service, by path. */
let asked: string[] = []

beforeAll(async () => {
  stage = await openPayPerCallStage()
  other = await stage.network.agent(stage.owner)
  pool = new Pool({ connectionString: stage.database.url, max: 4 })
  await pool.query(TABLE)
  proxy = await openServiceProxy(stage.api.address)
})
afterAll(async () => {
  await Promise.all(shops.map(shop => shop.close()))
  await proxy.close()
  await pool.end()
  await stage.close()
})

interface ShopSettings {
  readonly seller?: Agent
  /** The handler's status. */
  readonly status?: number
}

/** A seller's process that keeps used nonces in the database which all of them share. */
async function openShop({ seller = stage.payee, status }: ShopSettings = {}): Promise<CountingShop> {
  const client = createClient({
    baseUrl: proxy.address,
    agentKey: seller.key,
    maxRetries: 0,
    fetch(input, init) {
      asked.push(new URL(input instanceof Request ? input.url : input).pathname)
      return fetch(input, init)
    },
  })
  const nonces = sqlNonceStore(pool, { table: 'offline_nonces' })
  const options = { client, payTo: seller.handle, amount: 2, nonces, onError: () => {} }
  const shop = await openCountingShop({ ...options, ...(status === undefined ? {} : { status }) })
  shops.push(shop)
  return shop
}

const asksAbout = (payment: PaymentProof) => asked.filter(path => path.includes(payment.transactionId))

/** Pays for the page of a shop with the buyer's own fetch, and keeps the proof from being presented. */
async function paidProof(shop: CountingShop, agent = stage.buyer): Promise<Required<PaymentProof>> {
  let proof: Required<PaymentProof> | null = null
  const keeping: typeof fetch = async (input, init) => {
    const header = new Headers(init?.headers).get(PROOF_HEADER)
    if (header === null) return fetch(input, init)
    proof = JSON.parse(Buffer.from(header, 'base64').toString()) as Required<PaymentProof>
    return new Response('kept')
  }
  const client = createClient({ baseUrl: stage.api.address, agentKey: agent.key })
  await payingFetch(keeping, { client, maxAmount: 5, allowHttp: true })(`${shop.address}/page`)
  if (proof === null) throw new Error('no proof was presented')
  return proof
}

const show = (shop: CountingShop, proof: PaymentProof) =>
  request(shop.address, 'GET', '/page', { headers: proofHeader(proof) })

test('a buyer’s fetch sends the receipt, and a seller with a store serves it without a call to the service', async () => {
  const shop = await openShop()
  const proof = await paidProof(shop)
  asked = []
  expect(await show(shop, proof)).toMatchObject({ status: 200, text: '2.00' })
  expect(asked.toSorted()).toEqual(['/.well-known/service-keys.json', '/v1/agents/me'])

  const client = createClient({ baseUrl: stage.api.address, agentKey: stage.buyer.key })
  const buy = payingFetch(fetch, { client, maxAmount: 5, allowHttp: true })
  asked = []
  const bought = await buy(`${shop.address}/page`)
  expect([bought.status, paymentOf(bought)?.amount, asked]).toEqual([200, '2.00', []])
})

test('the tool fetch_paid_url sends the receipt too', async () => {
  const shop = await openShop()
  await show(shop, await paidProof(shop))
  asked = []
  const { service, buyer } = stage
  const mcp = await connectMcp(service.address, buyer.key)
  const order = { url: `${shop.address}/page`, max_amount: 5, idempotency_key: 'a page' }
  expect(await mcp.call('fetch_paid_url', order)).toMatchObject({ status: 200, body: '2.00' })
  await mcp.close()
  expect(asked).toEqual([])
})

test('another JOSE library verifies the receipt in a proof with the published keys', async () => {
  const proof = await paidProof(await openShop())
  const jwks = await stage.client.getJwks()
  const keys = createLocalJWKSet({ keys: [...jwks.keys] })
  const { payload } = await jwtVerify(proof.receipt, keys, { typ: 'receipt+jwt', algorithms: ['EdDSA'] })
  const { payee, buyer } = stage
  expect(decodeProtectedHeader(proof.receipt)['crit']).toBeUndefined()
  expect(payload).toMatchObject({
    ...{ payment_id: proof.transactionId, from: buyer.id, to: payee.id, to_handle: payee.handle },
    ...{ amount: 2, currency: 'INR', reference: proof.nonce },
  })
})

test('of twelve requests at once to two processes of a seller one is served, and none after a restart', async () => {
  const [one, two] = [await openShop(), await openShop()]
  const [proof, kept] = [await paidProof(one), await paidProof(one)]
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, at) => show(at % 2 === 0 ? one : two, proof)),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(one.served() + two.served()).toBe(1)
  const refused = replies.filter(({ status }) => status !== 200)
  expect(new Set(refused.map(reasonIn))).toEqual(new Set(['nonce_already_used']))

  await one.close()
  const restarted = await openShop()
  expect(reasonIn(await show(restarted, proof))).toBe('nonce_already_used')
  expect(await show(restarted, kept)).toMatchObject({ status: 200 })
  expect([...asksAbout(proof), ...asksAbout(kept)]).toEqual([])
})

test('what was paid is served while the service cannot be reached', async () => {
  const shop = await openShop()
  const [first, second] = [await paidProof(shop), await paidProof(shop)]
  await show(shop, first)
  const { receipt: _receipt, ...bare } = await paidProof(shop)
  await proxy.become('closed')
  try {
    expect(await show(shop, second)).toMatchObject({ status: 200 })
    // Without the receipt only the service knows the payment.
    expect(await show(shop, bare)).toMatchObject({ status: 503 })
  } finally {
    await proxy.become('open')
  }
  expect(await show(shop, bare)).toMatchObject({ status: 200 })
})

test('a stranger, another seller and a forger get nothing from a proof, cause no call to the service and use up no nonce', async () => {
  const [shop, rival] = [await openShop(), await openShop({ seller: other })]
  const proof = await paidProof(shop)
  await show(shop, await paidProof(shop))
  await show(rival, await paidProof(rival))
  asked = []
  const stolen = { ...proof, fromAgent: other.id }
  expect(reasonIn(await show(shop, stolen))).toBe('payer_mismatch')
  expect(reasonIn(await show(rival, proof))).toBe('nonce_not_ours')
  const [head, , signature] = proof.receipt.split('.')
  const claims = { ...claimsOf(proof.receipt), from: other.id }
  const forged = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
  expect(reasonIn(await show(shop, { ...stolen, receipt: forged }))).toBe('receipt_not_genuine')
  expect(asked).toEqual([])
  expect(await show(shop, proof)).toMatchObject({ status: 200 })
})

test('a payment that was refunded after a failure is not accepted again, although the service is not called', async () => {
  const shop = await openShop({ status: 500 })
  const proof = await paidProof(shop)
  expect(await show(shop, proof)).toMatchObject({ status: 500 })
  const { buyer, api } = stage
  const payment = { params: { agent_id: buyer.id, payment_id: proof.transactionId }, headers: buyer.headers }
  await expect
    .poll(async () => (await api.ok(routes.getPayment, payment)).refunded_total, { timeout: 5_000 })
    .toBe(2)
  asked = []
  expect(reasonIn(await show(await openShop(), proof))).toBe('nonce_already_used')
  expect(asksAbout(proof)).toEqual([])
})

function claimsOf(token: string): object {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object
}
