import { beforeEach, expect } from 'vitest'
import { openVault } from '../../kernel/secrets.ts'
import { database, test } from '../../testing/database-test.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../testing/network.ts'
import { openPushKey } from './push-key.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const open = (vault = TEST_VAULT) => openPushKey({ database, clock, vault })

beforeEach(() => database.query('delete from push_keys'))

test('nodes that start at the same time share one key, and so does every later start', async () => {
  const keys = await Promise.all([open(), open(), open(), open()])
  const later = await open()
  expect(new Set([...keys, later].map(({ publicKey }) => publicKey)).size).toBe(1)
  for (const { privateKey } of keys) expect(privateKey.equals(later.privateKey)).toBe(true)
})

test('the private half is not readable in the table', async () => {
  const { privateKey } = await open()
  const [row] = await database.query<{ row: string }>('select t::text as row from push_keys t')
  const { d = '' } = privateKey.export({ format: 'jwk' })
  for (const form of [d, Buffer.from(d, 'base64url').toString('hex'), Buffer.from(d).toString('hex')]) {
    expect(row?.row).not.toContain(form)
  }
})

test('a changed row and another master key stop the start', async () => {
  await open()
  await expect(open(openVault(Buffer.alloc(32, 8)))).rejects.toThrow('MASTER_KEY is not the one')
  await database.query(`update push_keys set public_key = reverse(public_key)`)
  await expect(open()).rejects.toThrow('the row of push_keys was changed')
})
