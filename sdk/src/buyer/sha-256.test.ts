import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { sha256 } from './sha-256.ts'

const HELLO = createHash('sha256').update('hello').digest('hex')
const bytes = new TextEncoder().encode('hello')

test.each<[string, Parameters<typeof sha256>[0]]>([
  ['a text', 'hello'],
  ['bytes', bytes],
  ['bytes within others', new TextEncoder().encode('so hello there').subarray(3, 8)],
  ['a buffer', bytes.buffer],
  ['a buffer of another realm', runInNewContext('Uint8Array.from([104, 101, 108, 108, 111]).buffer')],
  ['bytes of another realm', runInNewContext('Uint8Array.from([104, 101, 108, 108, 111])')],
])('%s has its SHA-256', async (_, content) => {
  expect(await sha256(content)).toBe(HELLO)
})
