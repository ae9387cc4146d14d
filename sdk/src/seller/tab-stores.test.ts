import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileTabStore } from './file-tab-store.ts'
import { memoryTabStore } from './memory-tab-store.ts'
import { type IoTabRedis, type NodeTabRedis, redisTabStore } from './redis-tab-store.ts'
import { sqlTabStore } from './sql-tab-store.ts'
import type { StoredTabs, TabStore } from './tab-store.ts'

const TABLE = `create table voucher_tabs (
  payee text not null,
  buyer text not null,
  state text not null,
  version text not null,
  primary key (payee, buyer)
)`

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tab-stores-'))
})
afterAll(() => rm(folder, { recursive: true }))

function sqlite(): TabStore {
  const database = new DatabaseSync(':memory:')
  database.exec(TABLE)
  const query = async (text: string, values: unknown[]) => ({
    rows: database.prepare(text).all(...(values as string[])),
  })
  return sqlTabStore({ query }, { placeholder: '?' })
}

/** Does what the script does, as Redis: without another command in between. */
function redisShelf() {
  const [values, sets] = [new Map<string, string>(), new Map<string, Set<string>>()]
  return {
    get: async (key: string) => values.get(key) ?? null,
    members: async (key: string) => [...(sets.get(key) ?? [])],
    replace([key = '', set = '']: string[], [version, next = '', buyer = '']: string[]): number {
      if ((values.get(key)?.split('\n')[0] ?? '') !== version) return 0
      const members = sets.get(set) ?? new Set()
      sets.set(set, members)
      if (next === '') values.delete(key)
      else values.set(key, next)
      members[next === '' ? 'delete' : 'add'](buyer)
      return 1
    },
  }
}

function nodeRedis(): TabStore {
  const { get, members, replace } = redisShelf()
  const redis: NodeTabRedis = {
    get,
    sMembers: members,
    eval: async (_, { keys, arguments: values }) => replace(keys, values),
  }
  return redisTabStore(redis)
}

function ioRedis(): TabStore {
  const { get, members, replace } = redisShelf()
  const redis: IoTabRedis = {
    get,
    smembers: members,
    eval: async (_, count, ...all) => replace(all.slice(0, count), all.slice(count)),
  }
  return redisTabStore(redis)
}

const kinds: Readonly<Record<string, () => TabStore | Promise<TabStore>>> = {
  memory: memoryTabStore,
  'a file': () => fileTabStore(join(folder, `${crypto.randomUUID()}.jsonl`)),
  'SQL (SQLite)': sqlite,
  'Redis (node-redis)': nodeRedis,
  'Redis (ioredis)': ioRedis,
}

const [PAYEE, BUYER] = ['agt_payee', 'agt_buyer']
const stored = (version: string, state = '[]'): StoredTabs => ({ state, version })

for (const [name, open] of Object.entries(kinds)) {
  describe(`a store of vouchers in ${name}`, () => {
    test('replaces a state only if it is still the one that was read', async () => {
      const store = await open()
      expect(await store.read(PAYEE, BUYER)).toBeNull()
      expect(await store.write(PAYEE, BUYER, stored('a'), 'other')).toBe(false)
      expect(await store.write(PAYEE, BUYER, stored('a', '["one\\n"]'), null)).toBe(true)
      expect(await store.read(PAYEE, BUYER)).toEqual(stored('a', '["one\\n"]'))
      expect(await store.write(PAYEE, BUYER, stored('b'), null)).toBe(false)
      expect(await store.write(PAYEE, BUYER, stored('b'), 'a')).toBe(true)
      expect(await store.write(PAYEE, BUYER, stored('c'), 'a')).toBe(false)
      expect(await store.write(PAYEE, BUYER, null, 'a')).toBe(false)
      expect(await store.read(PAYEE, BUYER)).toEqual(stored('b'))
      expect(await store.write(PAYEE, BUYER, null, 'b')).toBe(true)
      expect(await store.read(PAYEE, BUYER)).toBeNull()
      expect(await store.write(PAYEE, BUYER, stored('d'), null)).toBe(true)
    })

    test('lets one of 32 concurrent writers replace a state', async () => {
      const store = await open()
      await store.write(PAYEE, BUYER, stored('a'), null)
      const versions = Array.from({ length: 32 }, (_, index) => `v${index}`)
      const done = await Promise.all(versions.map(each => store.write(PAYEE, BUYER, stored(each), 'a')))
      expect(done.filter(Boolean)).toHaveLength(1)
      expect((await store.read(PAYEE, BUYER))?.version).toBe(versions[done.indexOf(true)])
    })

    test('lists the buyers of a payee with a stored state', async () => {
      const store = await open()
      for (const buyer of ['one', 'two', 'three']) await store.write(PAYEE, buyer, stored('a'), null)
      await store.write('agt_other', 'four', stored('a'), null)
      await store.write(PAYEE, 'two', null, 'a')
      expect((await store.buyers(PAYEE)).toSorted()).toEqual(['one', 'three'])
      expect(await store.read('agt_other', 'one')).toBeNull()
    })
  })
}

test('a file keeps what was written, without a line that a killed process was writing', async () => {
  const path = join(folder, 'kept.jsonl')
  const store = await fileTabStore(path)
  await Promise.all(['one', 'two'].map(buyer => store.write(PAYEE, buyer, stored('a'), null)))
  await store.write(PAYEE, 'one', stored('b'), 'a')
  await store.write(PAYEE, 'two', null, 'a')
  await store.close()
  await writeFile(path, '{"payee":"agt_p', { flag: 'a' })
  const again = await fileTabStore(path)
  expect([await again.buyers(PAYEE), await again.read(PAYEE, 'one')]).toEqual([['one'], stored('b')])
  expect(await again.write(PAYEE, 'one', stored('c'), 'b')).toBe(true)
  await again.close()
  expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(5)
})

test.runIf(process.platform === 'linux')(
  'a file on a full disk keeps its lines, and accepts further ones when there is space',
  async () => {
    const path = join(folder, 'full.jsonl')
    const program = `
      import { execFileSync } from 'node:child_process'
      import { fileTabStore } from ${JSON.stringify(new URL('./file-tab-store.ts', import.meta.url).href)}
      process.on('SIGXFSZ', () => {})
      const limit = bytes => execFileSync('prlimit', ['--pid', String(process.pid), \`--fsize=\${bytes}:1000000000\`])
      const store = await fileTabStore(${JSON.stringify(path)})
      const state = JSON.stringify('x'.repeat(1_000))
      await store.write('${PAYEE}', 'one', { state, version: 'a' }, null)
      limit(1_700)
      const refused = await store.write('${PAYEE}', 'two', { state, version: 'b' }, null).catch(() => 'full')
      limit(1_000_000_000)
      const later = await store.write('${PAYEE}', 'three', { state, version: 'c' }, null)
      console.log(JSON.stringify([refused, later]))
    `
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    expect(run.stdout.trim()).toBe('["full",true]')
    const store = await fileTabStore(path)
    expect(await store.buyers(PAYEE)).toEqual(['one', 'three'])
    await store.close()
  },
)

test('a file of another kind is refused', async () => {
  const path = join(folder, 'notes.txt')
  await writeFile(path, 'not vouchers\n')
  await expect(fileTabStore(path)).rejects.toThrow('is not a file of vouchers: line 1')
  expect(await readFile(path, 'utf8')).toBe('not vouchers\n')
})

test('a file that has grown is rewritten with the lines that still count', async () => {
  const path = join(folder, 'long.jsonl')
  const store = await fileTabStore(path)
  const state = JSON.stringify('x'.repeat(1_000_000))
  for (let round = 0; round < 20; round++) {
    await store.write(PAYEE, BUYER, stored(`v${round}`, state), round === 0 ? null : `v${round - 1}`)
  }
  expect((await readFile(path)).byteLength).toBeLessThan(8_000_000)
  await store.close()
  const again = await fileTabStore(path)
  expect(await again.read(PAYEE, BUYER)).toEqual(stored('v19', state))
  await again.close()
})

test('a file and a payee in memory belong to one store until it is closed', async () => {
  const path = join(folder, 'locked.jsonl')
  const payee = `agt_${crypto.randomUUID()}`
  const [file, memory] = [await fileTabStore(path), memoryTabStore()]
  await memory.open?.(payee)
  await memory.open?.(payee)
  await expect(fileTabStore(path)).rejects.toMatchObject({ code: 'EBUSY' })
  await expect(memoryTabStore().open?.(payee)).rejects.toMatchObject({ code: 'EBUSY' })
  await Promise.all([file.close(), memory.close()])
  const [next, other] = [await fileTabStore(path), memoryTabStore()]
  await other.open?.(payee)
  await Promise.all([next.close(), other.close()])
})

// A pool of pg and a client of ioredis can be used directly: this compiles.
void ((pool: Pool, redis: Redis): [TabStore, TabStore] => [sqlTabStore(pool), redisTabStore(redis)])
