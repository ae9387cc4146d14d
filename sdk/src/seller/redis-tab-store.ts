import type { StoredTabs, TabStore } from './tab-store.ts'

interface RedisReads {
  get(key: string): Promise<unknown>
}

/** A client of the package `redis`. */
export interface NodeTabRedis extends RedisReads {
  sMembers(key: string): Promise<string[]>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** A client of the package `ioredis`. */
export interface IoTabRedis extends RedisReads {
  smembers(key: string): Promise<string[]>
  eval(script: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>
}

export type TabRedis = NodeTabRedis | IoTabRedis

/**
 * Replaces a value if its first line, the version, is still the expected one, and keeps the set of buyers. Redis runs a
 * script without another command in between.
 */
const REPLACE = `local held = redis.call('get', KEYS[1])
local version = held and string.match(held, '^[^\\n]*') or ''
if version ~= ARGV[1] then return 0 end
if ARGV[2] == '' then
  redis.call('del', KEYS[1])
  redis.call('srem', KEYS[2], ARGV[3])
else
  redis.call('set', KEYS[1], ARGV[2])
  redis.call('sadd', KEYS[2], ARGV[3])
end
return 1`

/**
 * Vouchers in Redis, for any number of processes. Use a durable Redis (`appendfsync always`): one that evicts keys or
 * loses its last writes loses vouchers. `prefix`: the start of its keys.
 */
export function redisTabStore(redis: TabRedis, { prefix = 'batua:tabs:' } = {}): TabStore {
  // In a cluster what is in braces decides about the node, and a script needs all its keys on one.
  const setOf = (payee: string) => `${prefix}{${payee}}`
  const keyOf = (payee: string, buyer: string) => `${setOf(payee)}:${buyer}`

  async function replace(keys: string[], values: string[]): Promise<boolean> {
    const done = isIoRedis(redis)
      ? await redis.eval(REPLACE, keys.length, ...keys, ...values)
      : await redis.eval(REPLACE, { keys, arguments: values })
    return Number(done) === 1
  }
  return {
    async read(payee, buyer) {
      const text = await redis.get(keyOf(payee, buyer))
      return typeof text === 'string' ? storedIn(text) : null
    },
    write(payee, buyer, next, version) {
      const value = next === null ? '' : `${next.version}\n${next.state}`
      return replace([keyOf(payee, buyer), setOf(payee)], [version ?? '', value, buyer])
    },
    buyers: payee => (isIoRedis(redis) ? redis.smembers(setOf(payee)) : redis.sMembers(setOf(payee))),
  }
}

function storedIn(text: string): StoredTabs {
  const end = text.indexOf('\n')
  return { version: text.slice(0, end), state: text.slice(end + 1) }
}

function isIoRedis(redis: TabRedis): redis is IoTabRedis {
  return 'smembers' in redis
}
