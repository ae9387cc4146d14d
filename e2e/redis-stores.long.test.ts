import {
  type NonceRedis,
  type NonceStore,
  redisNonceStore,
  redisTabStore,
  type StoredTabs,
  type TabRedis,
  type TabStore,
} from '@batua/sdk/seller'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasRedis, type RedisServer, startRedis } from './src/redis-server.ts'

const [PAYEE, BUYER] = ['agt_payee', 'agt_buyer']
const stored = (version: string, state = '[]'): StoredTabs => ({ state, version })
const inAnHour = () => new Date(Date.now() + 3_600_000)

/** The same connection as a client of the package `redis`, whose methods have other names and arguments. */
function asNodeRedis(redis: Redis): NonceRedis & TabRedis {
  return {
    get: key => redis.get(key),
    del: key => redis.del(key),
    set: (key: string, value: string, { PX }: { PX: number }) => redis.set(key, value, 'PX', PX, 'NX'),
    sMembers: key => redis.smembers(key),
    eval: (script: string, { keys, arguments: values }: { keys: string[]; arguments: string[] }) =>
      redis.eval(script, keys.length, ...keys, ...values),
  }
}

if (!hasRedis)
  console.warn(
    'redis-server is not installed (Debian’s package redis-server): the stores were not run on a Redis',
  )

describe.skipIf(!hasRedis).each<[string, (redis: Redis) => NonceRedis & TabRedis]>([
  ['ioredis', redis => redis],
  ['node-redis', asNodeRedis],
])('on a real Redis, with a client like %s', (_, clientOf) => {
  let server: RedisServer
  let store: TabStore
  let nonces: NonceStore

  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.close())
  beforeEach(async () => {
    const redis = server.connect()
    await redis.flushall()
    store = redisTabStore(clientOf(redis))
    nonces = redisNonceStore(clientOf(redis))
  })

  test('a state is replaced only if it is still the one that was read', async () => {
    expect(await store.read(PAYEE, BUYER)).toBeNull()
    expect(await store.write(PAYEE, BUYER, stored('a'), 'other')).toBe(false)
    expect(await store.write(PAYEE, BUYER, stored('a', '["one\\n","₹"]'), null)).toBe(true)
    expect(await store.read(PAYEE, BUYER)).toEqual(stored('a', '["one\\n","₹"]'))
    expect(await store.write(PAYEE, BUYER, stored('b'), null)).toBe(false)
    const large = JSON.stringify('x'.repeat(200_000))
    expect(await store.write(PAYEE, BUYER, stored('b', large), 'a')).toBe(true)
    expect(await store.write(PAYEE, BUYER, stored('c'), 'a')).toBe(false)
    expect(await store.write(PAYEE, BUYER, null, 'a')).toBe(false)
    expect(await store.read(PAYEE, BUYER)).toEqual(stored('b', large))
    expect(await store.write(PAYEE, BUYER, null, 'b')).toBe(true)
    expect(await store.read(PAYEE, BUYER)).toBeNull()
    expect(await store.write(PAYEE, BUYER, stored('d'), null)).toBe(true)
  })

  test('one of 64 writers on eight connections replaces a state, and one claims a nonce', async () => {
    await store.write(PAYEE, BUYER, stored('a'), null)
    const others = Array.from({ length: 8 }, () => clientOf(server.connect()))
    const writers = Array.from({ length: 64 }, (__, index) => ({
      name: `v${index}`,
      client: others[index % 8] ?? clientOf(server.connect()),
    }))
    const written = await Promise.all(
      writers.map(({ name, client }) => redisTabStore(client).write(PAYEE, BUYER, stored(name), 'a')),
    )
    expect(written.filter(Boolean)).toHaveLength(1)
    expect((await store.read(PAYEE, BUYER))?.version).toBe(`v${written.indexOf(true)}`)
    const claimed = await Promise.all(
      writers.map(({ name, client }) => redisNonceStore(client).claim('nonce', inAnHour(), name)),
    )
    expect(claimed.filter(Boolean)).toHaveLength(1)
  })

  test('the buyers of a payee are those with a stored state', async () => {
    for (const buyer of ['one', 'two', 'three']) await store.write(PAYEE, buyer, stored('a'), null)
    await store.write('agt_other', 'four', stored('a'), null)
    await store.write(PAYEE, 'two', null, 'a')
    expect((await store.buyers(PAYEE)).toSorted()).toEqual(['one', 'three'])
    expect(await store.read('agt_other', 'one')).toBeNull()
  })

  test('written states and claims survive a kill of the server', async () => {
    await store.write(PAYEE, BUYER, stored('a', '["owed"]'), null)
    await nonces.claim('paid', inAnHour(), 'first')
    await server.crash()
    expect(await store.read(PAYEE, BUYER)).toEqual(stored('a', '["owed"]'))
    expect(await store.buyers(PAYEE)).toEqual([BUYER])
    expect(await nonces.claim('paid', inAnHour(), 'second')).toBe(false)
    expect(await nonces.claim('paid', inAnHour(), 'first')).toBe(true)
  })

  test('a claim is released only by its own id, and expires', async () => {
    expect(await nonces.claim('once', inAnHour(), 'mine')).toBe(true)
    await nonces.release('once', 'another')
    expect(await nonces.claim('once', inAnHour(), 'another')).toBe(false)
    await nonces.release('once', 'mine')
    expect(await nonces.claim('once', inAnHour(), 'another')).toBe(true)
    await nonces.claim('short', new Date(Date.now() + 1), 'mine')
    await expect.poll(() => nonces.claim('short', inAnHour(), 'another'), { timeout: 5_000 }).toBe(true)
  })
})
