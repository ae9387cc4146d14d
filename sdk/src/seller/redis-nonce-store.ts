import type { NonceStore } from './nonce-store.ts'

interface RedisCommands {
  get(key: string): Promise<unknown>
  del(key: string): Promise<unknown>
}

/** A client of the package `redis`. */
export interface NodeRedis extends RedisCommands {
  set(key: string, value: string, options: { NX: true; PX: number }): Promise<unknown>
}

/** A client of the package `ioredis`. */
export interface IoRedis extends RedisCommands {
  set(key: string, value: string, px: 'PX', ms: number, nx: 'NX'): Promise<unknown>
  defineCommand(name: string, definition: { lua: string }): void
}

export type NonceRedis = NodeRedis | IoRedis

/**
 * Used nonces in Redis, for any number of processes. Entries expire automatically. Use a durable Redis: one that
 * evicts keys or loses its last writes forgets used nonces. `prefix`: the start of its keys.
 */
export function redisNonceStore(
  redis: NonceRedis,
  { prefix = 'batua:nonce:' } = {},
  now: () => number = Date.now,
): NonceStore {
  /** The first claim wins; it is the key's value until it expires. */
  async function setOnce(key: string, claimId: string, expiresAt: Date): Promise<boolean> {
    const ms = Math.max(1, expiresAt.getTime() - now())
    const set = isIoRedis(redis)
      ? await redis.set(key, claimId, 'PX', ms, 'NX')
      : await redis.set(key, claimId, { NX: true, PX: ms })
    return set === 'OK'
  }
  async function isClaimOf(key: string, claimId: string): Promise<boolean> {
    return (await redis.get(key)) === claimId
  }
  return {
    async claim(nonce, expiresAt, claimId) {
      const key = prefix + nonce
      return (await setOnce(key, claimId, expiresAt)) || isClaimOf(key, claimId)
    },
    async release(nonce, claimId) {
      // No other claim can come in between: ours blocks others, and when it expires, the nonce has expired too.
      if (await isClaimOf(prefix + nonce, claimId)) await redis.del(prefix + nonce)
    },
  }
}

function isIoRedis(redis: NonceRedis): redis is IoRedis {
  return 'defineCommand' in redis
}
