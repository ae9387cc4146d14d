import { createHash, createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Hashes, hashes, nodeHashes, webHashes } from './hashes.ts'

const platforms: readonly [string, Hashes | null][] = [
  ['every platform', webHashes],
  ['Node', nodeHashes()],
]
const lengths = [0, 1, 55, 56, 64, 1_000, 65_536, 65_537, 200_000]

test.each(platforms)(
  'the hashes of %s are SHA-256 and HMAC-SHA-256, whatever the length',
  async (_, each) => {
    const key = new Uint8Array(randomBytes(32))
    const mac = await each?.mac(key)
    for (const length of lengths) {
      const bytes = new Uint8Array(randomBytes(length))
      const hash = createHash('sha256').update(bytes).digest('hex')
      expect(hex(await each?.sha256(bytes)), `${length} bytes`).toBe(hash)
      const signed = createHmac('sha256', key).update(bytes).digest('hex')
      expect(hex(await mac?.(bytes)), `${length} bytes`).toBe(signed)
    }
  },
)

test('on Node a short hash is computed at once, and a long one does not block', () => {
  expect(hashes.sha256(new Uint8Array(65_536))).toBeInstanceOf(Uint8Array)
  expect(hashes.sha256(new Uint8Array(65_537))).toBeInstanceOf(Promise)
})

test.each([
  ['a browser', undefined],
  ['an old Node', {}],
  ['a platform without its crypto', { getBuiltinModule: () => undefined }],
  ['one that imitates Node with nothing', { getBuiltinModule: () => null }],
  ['one that imitates Node with a path', { getBuiltinModule: (name: string) => `/node_modules/${name}` }],
  ['one that imitates Node in part', { getBuiltinModule: () => ({ createHash: () => undefined }) }],
  [
    'one that knows no modules',
    {
      getBuiltinModule() {
        throw new Error('unsupported')
      },
    },
  ],
])('%s has the hashes of every platform only', (_, process) => {
  const known = Object.getOwnPropertyDescriptor(globalThis, 'process')
  Object.defineProperty(globalThis, 'process', { value: process, configurable: true })
  try {
    expect(nodeHashes()).toBeNull()
  } finally {
    Object.defineProperty(globalThis, 'process', known ?? {})
  }
})

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex')
}
