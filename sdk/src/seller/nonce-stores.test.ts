import { DatabaseSync } from 'node:sqlite'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { memoryNonceStore } from './memory-nonce-store.ts'
import type { NonceStore } from './nonce-store.ts'
import { type IoRedis, type NodeRedis, redisNonceStore } from './redis-nonce-store.ts'
import { type SqlDatabase, sqlNonceStore } from './sql-nonce-store.ts'

const MINUTE_MS = 60_000
const expiresAt = new Date(10 * MINUTE_MS)
const TABLE = `create table used_nonces (
  nonce text primary key,
  claim_id text not null,
  expires_at bigint not null
)`

interface Clock {
  ms: number
}

interface Opened {
  readonly store: NonceStore
  /** The number of stored nonces; null if it cannot be read. */
  readonly size: (() => number) | null
}

function sqlite(clock: Clock): Opened {
  const database = new DatabaseSync(':memory:')
  database.exec(TABLE)
  const query = async (text: string, values: unknown[]) => ({
    rows: database.prepare(text).all(...(values as string[])),
  })
  const count = () => Number(database.prepare('select count(*) as n from used_nonces').get()?.['n'])
  return { store: sqlNonceStore({ query }, { placeholder: '?' }, () => clock.ms), size: count }
}

/** Stores what the commands of a claim and a release store. */
function redisShelf(clock: Clock) {
  const shelf = new Map<string, { value: string; until: number }>()
  const live = (key: string) => ((shelf.get(key)?.until ?? 0) > clock.ms ? shelf.get(key) : undefined)
  return {
    setOnce(key: string, value: string, ms: number): string | null {
      if (live(key) !== undefined) return null
      shelf.set(key, { value, until: clock.ms + ms })
      return 'OK'
    },
    get: async (key: string) => live(key)?.value ?? null,
    del: async (key: string) => Number(shelf.delete(key)),
    size: () => [...shelf.keys()].filter(live).length,
  }
}

function nodeRedis(clock: Clock): Opened {
  const { setOnce, get, del, size } = redisShelf(clock)
  const redis: NodeRedis = {
    set: async (key, value, { NX, PX }) => (NX ? setOnce(key, value, PX) : null),
    get,
    del,
  }
  return { store: redisNonceStore(redis, {}, () => clock.ms), size }
}

function ioRedis(clock: Clock): Opened {
  const { setOnce, get, del, size } = redisShelf(clock)
  const set: IoRedis['set'] = async (key, value, px, ms, nx) =>
    px === 'PX' && nx === 'NX' ? setOnce(key, value, ms) : null
  return { store: redisNonceStore({ set, get, del, defineCommand: () => {} }, {}, () => clock.ms), size }
}

const kinds: Readonly<Record<string, (clock: Clock) => Opened>> = {
  memory: clock => ({ store: memoryNonceStore(() => clock.ms), size: null }),
  'SQL (SQLite)': sqlite,
  'Redis (node-redis)': nodeRedis,
  'Redis (ioredis)': ioRedis,
}

for (const [name, open] of Object.entries(kinds)) {
  describe(`a nonce store in ${name}`, () => {
    test('gives a nonce to one of 64 concurrent claims, and to the same claim again', async () => {
      const { store } = open({ ms: 0 })
      const claimIds = Array.from({ length: 64 }, (_, index) => `claim-${index}`)
      const claims = await Promise.all(claimIds.map(id => store.claim('nonce', expiresAt, id)))
      expect(claims.filter(Boolean)).toHaveLength(1)
      const winner = claimIds[claims.indexOf(true)] ?? ''
      expect(await store.claim('nonce', expiresAt, winner)).toBe(true)
      expect(await store.claim('nonce', expiresAt, 'late')).toBe(false)
      expect(await store.claim('another', expiresAt, 'late')).toBe(true)
    })

    test('restores a nonce for the claim that has it, and for no other', async () => {
      const { store } = open({ ms: 0 })
      await store.claim('nonce', expiresAt, 'first')
      await store.release('nonce', 'stranger')
      expect(await store.claim('nonce', expiresAt, 'second')).toBe(false)
      await store.release('nonce', 'first')
      expect(await store.claim('nonce', expiresAt, 'second')).toBe(true)
      await store.release('never claimed', 'first')
    })

    test('deletes expired nonces', async () => {
      const clock = { ms: 0 }
      const { store, size } = open(clock)
      for (let index = 0; index < 10; index++) await store.claim(`old-${index}`, expiresAt, 'a')
      await store.claim('young', new Date(100 * MINUTE_MS), 'a')
      clock.ms = 11 * MINUTE_MS
      for (let index = 0; index < 10; index++)
        await store.claim(`new-${index}`, new Date(21 * MINUTE_MS), 'b')
      if (size === null) {
        for (let index = 0; index < 10; index++) {
          expect(await store.claim(`old-${index}`, expiresAt, 'b')).toBe(true)
        }
      } else expect(size()).toBe(11)
      expect(await store.claim('young', expiresAt, 'b')).toBe(false)
    })
  })
}

// A pool of pg and a client of ioredis can be used directly: this compiles.
void ((pool: Pool, redis: Redis): [SqlDatabase, IoRedis] => [pool, redis])

test('an invalid name of a table is refused', () => {
  const query = async () => ({ rows: [] })
  expect(() => sqlNonceStore({ query }, { table: 'sales.used_nonces' })).not.toThrow()
  expect(() => sqlNonceStore({ query }, { table: 'used; drop table agents' })).toThrow(TypeError)
})
