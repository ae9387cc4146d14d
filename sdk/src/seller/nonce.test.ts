import { createHmac, hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeHashes, webHashes } from '../protocol/hashes.ts'
import { createNonces, issuedAtOf, type Quote, type Surroundings } from './nonce.ts'

const NOW = Date.parse('2026-07-01T10:00:00.000Z')
const SECRET = 'the first secret of a seller'
const QUOTE: Quote = {
  method: 'GET',
  path: '/weather?city=Pune',
  amountPaise: 1_250n,
  payTo: 'weather',
  ttlMs: 600_000,
  usedAt: 'service',
}
const world: Surroundings = {
  now: () => NOW,
  randomBytes: count => crypto.getRandomValues(new Uint8Array(count)),
}
const nonces = createNonces([SECRET], world)

const texts = fc.oneof(fc.constantFrom('GET', 'HEAD', '/a', '/a?b', '', '","'), fc.string())
const quotes = fc.record({
  method: texts,
  path: texts,
  amountPaise: fc.bigInt({ min: 0n, max: 1_000_000_000_000n }),
  payTo: texts,
  ttlMs: fc.integer({ min: 1 }),
  usedAt: fc.constantFrom('service' as const, 'store' as const),
})

test('a nonce is a UUID of version 8 that ends in 40 bits of an HMAC under a derived key', async () => {
  const randomBytes = (count: number) => new Uint8Array(count).fill(0xa5)
  const nonce = await createNonces([SECRET], { now: () => NOW, randomBytes }).make(QUOTE)
  const stamp = (BigInt(NOW) << 40n) | 0xa5a5a5a5a5n
  const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'batua pay-per-call nonce v1', 32))
  const quote = ['GET', '/weather?city=Pune', '1250', 'weather', 600_000, 'service']
  const signed = JSON.stringify([stamp.toString(), ...quote])
  const mac = createHmac('sha256', key).update(signed).digest('hex').slice(0, 10)
  const bits = ((stamp << 40n) | BigInt(`0x${mac}`)).toString(2).padStart(122, '0')
  const uuid = BigInt(`0b${bits.slice(0, 48)}1000${bits.slice(48, 60)}10${bits.slice(60)}`)
  expect(nonce.replaceAll('-', '')).toBe(uuid.toString(16).padStart(32, '0'))
  expect(nonce).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('a nonce is valid for its own request, and for none that differs in any field', async () => {
  const property = fc.asyncProperty(quotes, quotes, async (quote, other) => {
    const nonce = await nonces.make(quote)
    expect(await nonces.fits(nonce, quote)).toBe(true)
    for (const name of ['method', 'path', 'amountPaise', 'payTo', 'ttlMs', 'usedAt'] as const) {
      const changed = { ...quote, [name]: other[name] }
      expect(await nonces.fits(nonce, changed)).toBe(other[name] === quote[name])
    }
    const shifted = { ...quote, method: quote.method + quote.path.slice(0, 1), path: quote.path.slice(1) }
    expect(await nonces.fits(nonce, shifted)).toBe(quote.path === '')
  })
  await fc.assert(property, { numRuns: 60 })
})

test('a nonce with any bit changed is invalid', async () => {
  const nonce = await nonces.make(QUOTE)
  const uuid = BigInt(`0x${nonce.replaceAll('-', '')}`)
  for (let bit = 0n; bit < 128n; bit++) {
    const hex = (uuid ^ (1n << bit)).toString(16).padStart(32, '0')
    const changed = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    expect(await nonces.fits(changed, QUOTE), `bit ${bit}`).toBe(false)
  }
  expect(await nonces.fits(nonce.toUpperCase(), QUOTE)).toBe(false)
})

test('a nonce contains the time at which it was issued, and other UUIDs do not', async () => {
  for (const now of [0, NOW, 2 ** 42 - 1]) {
    expect(issuedAtOf(await createNonces([SECRET], { ...world, now: () => now }).make(QUOTE))).toBe(now)
  }
  expect(issuedAtOf('0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e')).toBeNull()
  expect(issuedAtOf('0b54f0c2-7a0e-8a52-ca51-4a6c3a1f0d7e')).toBeNull()
})

test('the first of several secrets signs, and nonces of all of them are valid', async () => {
  const [before, after] = [[SECRET], ['a secret that came later', SECRET]].map(each =>
    createNonces(each, world),
  )
  const [older, newer] = [await before?.make(QUOTE), await after?.make(QUOTE)]
  expect(await after?.fits(older ?? '', QUOTE)).toBe(true)
  expect(await after?.fits(newer ?? '', QUOTE)).toBe(true)
  expect(await before?.fits(newer ?? '', QUOTE)).toBe(false)
})

test('a nonce that was signed on one JavaScript platform is valid on another', async () => {
  const onWeb = createNonces([SECRET], world, webHashes)
  const onNode = createNonces([SECRET], world, nodeHashes() ?? undefined)
  expect(nodeHashes()).not.toBeNull()
  expect(await onNode.fits(await onWeb.make(QUOTE), QUOTE)).toBe(true)
  expect(await onWeb.fits(await onNode.make(QUOTE), QUOTE)).toBe(true)
})
