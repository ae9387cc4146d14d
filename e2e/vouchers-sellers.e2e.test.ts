import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@batua/sdk'
import { fileTabStore } from '@batua/sdk/file-tabs'
import {
  type ExclusiveTabStore,
  memoryTabStore,
  redisTabStore,
  type Seller,
  sqlTabStore,
  type TabOptions,
  type TabStore,
} from '@batua/sdk/seller'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSellerIn } from '../sdk/src/seller/seller.ts'
import { type FakeRedis, startFakeRedis } from './src/fake-redis.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'
import { callSeller, openVoucherBuyer, requestOf, type VoucherBuyer } from './src/voucher-buyer.ts'

const TABLE = `create table if not exists voucher_tabs (
  payee text not null,
  buyer text not null,
  state text not null,
  version text not null,
  primary key (payee, buyer)
)`
const MINUTE_MS = 60_000
/** Within this time something happens by itself, on a busy machine too. */
const SOON_MS = 20_000

let stage: PayingStage
let pool: Pool
let fakeRedis: FakeRedis
let redis: Redis
let folder = ''
let payee: Agent
const stores: ExclusiveTabStore[] = []
/** How far the sellers' clock is ahead. */
let aheadMs = 0
const errors: unknown[] = []

beforeAll(async () => {
  stage = await openPayingStage()
  pool = new Pool({ connectionString: stage.database.url, max: 8 })
  await pool.query(TABLE)
  fakeRedis = await startFakeRedis()
  redis = new Redis(fakeRedis.port, '127.0.0.1', { enableReadyCheck: false })
  folder = await mkdtemp(join(tmpdir(), 'vouchers-'))
})
afterAll(async () => {
  redis.disconnect()
  fakeRedis.close()
  await pool.end()
  await rm(folder, { recursive: true })
  await stage.close()
})
beforeEach(async () => {
  payee = await stage.network.agent(stage.owner)
  aheadMs = 0
  errors.length = 0
})
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

function kept<Store extends ExclusiveTabStore>(store: Store): Store {
  stores.push(store)
  return store
}

function openSeller(store: TabStore, tab: Partial<TabOptions> = {}): Seller<null> {
  const client = createClient({ baseUrl: stage.api.address, agentKey: payee.key, maxRetries: 0 })
  return createSellerIn<null>(
    {
      ...{ client, payTo: payee.handle, amount: 0.5, verifyTimeoutMs: 15_000 },
      ...{ tab: { store, ...tab }, onError: error => errors.push(error) },
    },
    {
      now: () => Date.now() + aheadMs,
      randomBytes: count => crypto.getRandomValues(new Uint8Array(count)),
    },
  )
}

async function newBuyer(extras: Parameters<typeof openVoucherBuyer>[3] = {}): Promise<VoucherBuyer> {
  const agent = await stage.network.fundedAgent(stage.owner)
  return openVoucherBuyer(stage.api, agent, payee, extras)
}

const nonceOf = async (seller: Seller<null>) => (await callSeller(seller)).next

describe.each<[string, () => Promise<TabStore> | TabStore, isShared: boolean]>([
  ['memory', () => kept(memoryTabStore()), false],
  ['a file', async () => kept(await fileTabStore(join(folder, crypto.randomUUID()))), false],
  ['PostgreSQL', () => sqlTabStore(pool), true],
  ['Redis', () => redisTabStore(redis), true],
])('vouchers that are kept in %s', (_, open, isShared) => {
  test('are served once each, whatever their order, at every process that shares them', async () => {
    const store = await open()
    const one = openSeller(store)
    const sellers = isShared ? [one, openSeller(await open())] : [one]
    const buyer = await newBuyer()
    const nonces = await Promise.all(Array.from({ length: 16 }, () => nonceOf(one)))
    const proofs = nonces.map((nonce, index) => buyer.proof((index + 1) / 2, nonce))
    // The largest comes first, the others at once, and each of them twice.
    const last = await callSeller(one, proofs[15])
    expect(last).toMatchObject({ outcome: 'served', total: '0.50' })
    const calls = proofs.slice(0, 15).flatMap(proof => [proof, proof])
    const sold = await Promise.all(
      calls.map((proof, index) => callSeller(sellers[index % sellers.length] ?? one, proof)),
    )
    expect(sold.filter(each => each.outcome === 'served')).toHaveLength(15)
    expect(sold.filter(each => each.outcome === 'nonce_already_used')).toHaveLength(15)
    expect(await callSeller(one, buyer.proof(8, last.next))).toMatchObject({
      ...{ outcome: 'insufficient_amount', total: '8.00' },
    })
    expect(await callSeller(one, buyer.proof(8.5, last.next))).toMatchObject({
      outcome: 'served',
      total: '8.50',
    })
    await vi.waitFor(async () => expect((await buyer.state()).captured).toBeGreaterThanOrEqual(5), SOON_MS)
    expect(errors).toEqual([])
  })

  test('do not count a call that failed, before or after its response began', async () => {
    const seller = openSeller(await open())
    const buyer = await newBuyer()
    const first = await callSeller(seller, buyer.proof(0.5, await nonceOf(seller)), 500)
    expect(first).toMatchObject({ outcome: 'served', total: '0.00' })
    const acceptance = await seller.accept(requestOf(buyer.proof(0.5, first.next)), null)
    if (acceptance.kind !== 'accepted') throw new Error('the first voucher was not spent')
    const { 'X-SERVICE-VOUCHER-TOTAL': total, 'X-SERVICE-PAY': pay = '' } = acceptance.head(200)
    await acceptance.finish(500)
    const { nonce } = JSON.parse(Buffer.from(pay, 'base64').toString()) as { nonce: string }
    expect(total).toBe('0.50')
    const third = await callSeller(seller, buyer.proof(0.5, nonce))
    expect(third).toMatchObject({ outcome: 'served', total: '0.50' })
    expect(await callSeller(seller, buyer.proof(0.5, third.next))).toMatchObject({
      ...{ outcome: 'insufficient_amount', total: '0.50' },
    })
  })
})

test('the debt of a buyer is captured before it exceeds the limit', async () => {
  const seller = openSeller(kept(memoryTabStore()), { maxOutstanding: 2, captureAbove: 100 })
  const buyer = await newBuyer()
  let nonce = await nonceOf(seller)
  for (let call = 1; call <= 9; call++) {
    const sold = await callSeller(seller, buyer.proof(call / 2, nonce))
    expect(sold).toMatchObject({ outcome: 'served', total: (call / 2).toFixed(2) })
    nonce = sold.next
    expect(call / 2 - (await buyer.state()).captured).toBeLessThanOrEqual(2)
  }
  expect((await buyer.state()).captured).toBe(4)
})

test('calls in progress count as debt, so that another call waits for their end', async () => {
  const seller = openSeller(kept(memoryTabStore()), { maxOutstanding: 1.75 })
  const buyer = await newBuyer()
  const nonces = await Promise.all(Array.from({ length: 4 }, () => nonceOf(seller)))
  const opened = await Promise.all(
    nonces.slice(0, 3).map(nonce => seller.accept(requestOf(buyer.proof(2, nonce)), null)),
  )
  const fourth = callSeller(seller, buyer.proof(2, nonces[3] ?? ''))
  for (const each of opened) {
    if (each.kind !== 'accepted') throw new Error('three fit')
    each.head(200)
    await each.finish(200)
  }
  expect(await fourth).toMatchObject({ outcome: 'served', total: '2.00' })
})

test('a price above the limit of debt is not offered for vouchers', async () => {
  const seller = openSeller(kept(memoryTabStore()), { maxOutstanding: 1.25 })
  const { headers } = await seller.challenge(requestOf(), null)
  expect(JSON.parse(Buffer.from(headers['X-SERVICE-PAY'] ?? '', 'base64').toString())).not.toHaveProperty(
    'vouchers',
  )
})

test.each<
  [
    string,
    (buyer: VoucherBuyer, nonce: string) => Promise<Record<string, string>> | Record<string, string>,
    string,
  ]
>([
  ['a smaller amount than the price', (buyer, nonce) => buyer.proof(0.49, nonce), 'insufficient_amount'],
  ['more than was authorized', (buyer, nonce) => buyer.proof(50.01, nonce), 'voucher_not_genuine'],
  [
    'another authorization',
    (buyer, nonce) =>
      buyer.proof(1, nonce, { voucher: buyer.voucher(1, nonce, { jti: 'ath_01kb7q3f8meg5tz4x9wc2n6a01' }) }),
    'voucher_not_genuine',
  ],
  [
    'the authorization of another buyer',
    async (buyer, nonce) => buyer.proof(1, nonce, { authorization: (await newBuyer()).token }),
    'payer_mismatch',
  ],
  [
    'another key',
    (buyer, nonce) =>
      buyer.proof(1, nonce, {
        voucher: buyer.voucher(1, nonce, { key: generateKeyPairSync('ed25519').privateKey }),
      }),
    'voucher_not_genuine',
  ],
  [
    'another nonce than the proof',
    (buyer, nonce) => buyer.proof(1, nonce, { voucher: buyer.voucher(1, crypto.randomUUID()) }),
    'nonce_mismatch',
  ],
  ['a nonce of nobody', buyer => buyer.proof(1, crypto.randomUUID()), 'nonce_already_used'],
  [
    'a nonce for another path',
    async (buyer, nonce) => {
      const forged = `${nonce.slice(0, -1)}${nonce.endsWith('0') ? '1' : '0'}`
      return buyer.proof(1, forged)
    },
    'nonce_not_ours',
  ],
  [
    'a token that another service signed',
    (buyer, nonce) => {
      const [head, , signature] = buyer.token.split('.')
      const claims = JSON.parse(
        Buffer.from(buyer.token.split('.')[1] ?? '', 'base64url').toString(),
      ) as object
      const body = Buffer.from(JSON.stringify({ ...claims, amount: '1000.00' })).toString('base64url')
      return buyer.proof(1, nonce, { authorization: `${head}.${body}.${signature}` })
    },
    'authorization_not_genuine',
  ],
])('a voucher of %s is refused', async (_, cheat, reason) => {
  const store = kept(memoryTabStore())
  const seller = openSeller(store)
  const buyer = await newBuyer()
  const first = await callSeller(seller, buyer.proof(0.5, await nonceOf(seller)))
  expect(first).toMatchObject({ outcome: 'served', total: '0.50' })
  const second = await newBuyer()
  const nonce = await nonceOf(seller)
  expect((await callSeller(seller, await cheat(second, nonce))).outcome).toBe(reason)
  expect((await second.state()).captured).toBe(0)
  expect(await store.read(payee.id, second.agent.id)).toBeNull()
})

test('a voucher for another seller, and of an authorization without vouchers, is refused', async () => {
  const seller = openSeller(kept(memoryTabStore()))
  const agent = await stage.network.fundedAgent(stage.owner)
  const elsewhere = await openVoucherBuyer(stage.api, agent, stage.payee)
  const sold = await callSeller(seller, elsewhere.proof(1, await nonceOf(seller)))
  expect(sold.outcome).toBe('not_payee')
})

test('an old voucher is not served again, by its old nonce or a new one', async () => {
  const seller = openSeller(kept(memoryTabStore()))
  const buyer = await newBuyer()
  const [nonce, other] = [await nonceOf(seller), await nonceOf(seller)]
  const proof = buyer.proof(0.5, nonce)
  const first = await callSeller(seller, proof)
  expect((await callSeller(seller, proof)).outcome).toBe('nonce_already_used')
  expect((await callSeller(seller, buyer.proof(0.5, other))).outcome).toBe('insufficient_amount')
  expect((await callSeller(seller, buyer.proof(0.5, first.next))).outcome).toBe('insufficient_amount')
  aheadMs = 11 * MINUTE_MS
  expect((await callSeller(seller, buyer.proof(1, other))).outcome).toBe('nonce_expired')
})

test('a buyer that has closed is refused at its first voucher', async () => {
  const seller = openSeller(kept(memoryTabStore()))
  const buyer = await newBuyer()
  await buyer.close()
  expect((await callSeller(seller, buyer.proof(0.5, await nonceOf(seller)))).outcome).toBe(
    'authorization_not_open',
  )
})

test('a buyer that closes and continues to call is detected after five minutes, charged and refused', async () => {
  const seller = openSeller(kept(memoryTabStore()))
  const buyer = await newBuyer()
  let { next } = await callSeller(seller, buyer.proof(0.5, await nonceOf(seller)))
  await buyer.close()
  next = (await callSeller(seller, buyer.proof(1, next))).next
  aheadMs = 6 * MINUTE_MS
  const sold = await callSeller(seller, buyer.proof(1.5, next))
  expect(sold).toMatchObject({ outcome: 'authorization_not_open', total: '1.00' })
  await vi.waitFor(
    async () => expect(await buyer.state()).toMatchObject({ status: 'closed', captured: 1, fee: 1 }),
    SOON_MS,
  )
})

test('served calls are captured in time, and an amount below 1 INR when the buyer closes', async () => {
  const store = kept(memoryTabStore())
  const seller = openSeller(store, { captureEveryMs: 100, captureAbove: 100 })
  const buyer = await newBuyer()
  let nonce = await nonceOf(seller)
  for (const amount of [0.5, 1, 1.5]) nonce = (await callSeller(seller, buyer.proof(amount, nonce))).next
  // A capture after the second call leaves half a rupee, which is too little for another one.
  await vi.waitFor(async () => expect((await buyer.state()).captured).toBeGreaterThanOrEqual(1), SOON_MS)
  await callSeller(seller, buyer.proof(2, nonce))
  await buyer.close()
  aheadMs = 5 * MINUTE_MS
  await vi.waitFor(
    async () => expect(await buyer.state()).toMatchObject({ status: 'closed', captured: 2 }),
    SOON_MS,
  )
  expect(errors).toEqual([])
})

test('a seller sells without vouchers if another process holds the store in memory', async () => {
  const one = openSeller(kept(memoryTabStore()))
  const buyer = await newBuyer()
  const nonce = await nonceOf(one)
  const other = openSeller(kept(memoryTabStore()))
  expect((await callSeller(one, buyer.proof(0.5, nonce))).outcome).toBe('served')
  const { status, headers } = await other.challenge(requestOf(), null)
  expect(status).toBe(402)
  expect(JSON.parse(Buffer.from(headers['X-SERVICE-PAY'] ?? '', 'base64').toString())).not.toHaveProperty(
    'vouchers',
  )
  expect(errors).toMatchObject([{ code: 'EBUSY' }])
})
