import {
  type Acceptance,
  createSeller,
  memoryNonceStore,
  type NonceStore,
  redisNonceStore,
  type Seller,
  type SellerOptions,
  type SellerRequest,
  sqlNonceStore,
} from '@batua/sdk/seller'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeRedis, startFakeRedis } from './src/fake-redis.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'
import { proofHeader } from './src/pay-per-call-wire.ts'

const TABLE = `create table used_nonces (
  nonce text primary key,
  claim_id text not null,
  expires_at bigint not null
)`

let stage: PayPerCallStage
let pool: Pool
let fakeRedis: FakeRedis
let redis: Redis

beforeAll(async () => {
  stage = await openPayPerCallStage()
  pool = new Pool({ connectionString: stage.database.url, max: 8 })
  await pool.query(TABLE)
  fakeRedis = await startFakeRedis()
  redis = new Redis(fakeRedis.port, '127.0.0.1', { enableReadyCheck: false })
})
afterAll(async () => {
  redis.disconnect()
  fakeRedis.close()
  await pool.end()
  await stage.close()
})

type Options = Partial<SellerOptions<null>>

function openShop(options: Options = {}): Seller<null> {
  const { client, payee } = stage
  return createSeller<null>({ client, payTo: payee.handle, amount: 2, verifyTimeoutMs: 15_000, ...options })
}

function get(headers: Record<string, string> = {}): SellerRequest {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const all = new Map<string, string>(lowerCase as [string, string][])
  return { method: 'GET', path: '/weather', header: name => all.get(name) ?? null }
}

/** A request paid by the stage's buyer, and the same with another agent named as the payer. */
async function paidFor(shop: Seller<null>): Promise<{ mine: SellerRequest; stolen: SellerRequest }> {
  const { body } = await shop.challenge(get(), null)
  const { payment } = JSON.parse(body) as { payment: Parameters<typeof stage.pay>[0] }
  const proof = await stage.pay(payment)
  const thief = { ...proof, fromAgent: stage.payee.id }
  return { mine: get(proofHeader(proof)), stolen: get(proofHeader(thief)) }
}

function outcomeOf(acceptance: Acceptance): string {
  if (acceptance.kind !== 'refused') return acceptance.kind
  const { error } = JSON.parse(acceptance.response.body) as {
    error: { code: string; details: { reason?: string } }
  }
  return error.details.reason ?? error.code
}

async function served(shop: Seller<null>, request: SellerRequest) {
  const acceptance = await shop.accept(request, null)
  if (acceptance.kind !== 'accepted') throw new Error(outcomeOf(acceptance))
  return acceptance
}

const places: readonly (readonly [name: string, open: () => NonceStore | null])[] = [
  ['the service', () => null],
  ['memory', memoryNonceStore],
  ['PostgreSQL', () => sqlNonceStore(pool)],
  ['Redis', () => redisNonceStore(redis)],
]

describe.each(places)('used nonces that are kept in %s', (_, open) => {
  let options: Options

  beforeAll(() => {
    const nonces = open()
    options = nonces === null ? {} : { nonces }
  })

  test('give a payment to one of 64 concurrent requests, at any of the sellers', async () => {
    const shops = Array.from({ length: 4 }, () => openShop(options))
    const [first] = shops
    if (first === undefined) throw new Error('there are four')
    const { mine } = await paidFor(first)
    const asked = Array.from({ length: 16 }, () => shops.map(shop => shop.accept(mine, null))).flat()
    const outcomes = (await Promise.all(asked)).map(outcomeOf)
    expect(outcomes.filter(each => each === 'accepted')).toHaveLength(1)
    expect(outcomes.filter(each => each === 'nonce_already_used')).toHaveLength(63)
  })

  test('allow a failed request to be repeated once, if configured', async () => {
    const [shop, other] = [openShop({ ...options, onFailure: 'keep' }), openShop(options)]
    const { mine } = await paidFor(shop)
    const { finish } = await served(shop, mine)
    await finish(500)
    await finish(500)
    await served(other, mine)
    await finish(500)
    expect(outcomeOf(await shop.accept(mine, null))).toBe('nonce_already_used')
  })

  test('are not used by a caller that did not pay', async () => {
    const shop = openShop(options)
    const { mine, stolen } = await paidFor(shop)
    expect(outcomeOf(await shop.accept(stolen, null))).toBe('payer_mismatch')
    await served(openShop(options), mine)
  })
})

test('a failed request is refunded once and in full, and its payment is no longer accepted', async () => {
  const { network, buyer } = stage
  const shop = openShop()
  const wealth = (await network.balance(buyer)).available
  const { mine } = await paidFor(shop)
  const { finish } = await served(shop, mine)
  await finish(500)
  await finish(500)
  expect((await network.balance(buyer)).available).toBe(wealth - 1)
  expect(outcomeOf(await openShop().accept(mine, null))).toBe('transaction_not_completed')
})

test('expired rows are deleted from the table while others are used', async () => {
  let now = 0
  const store = sqlNonceStore(pool, {}, () => now)
  await store.claim('outlived', new Date(1), 'a')
  now = 60_000
  await store.claim('young', new Date(120_000), 'a')
  const nonces = async () =>
    (await pool.query(`select nonce from used_nonces where nonce in ('outlived', 'young')`)).rows
  await expect.poll(nonces, { timeout: 5_000 }).toEqual([{ nonce: 'young' }])
})
