import type { Paise } from '../protocol/amount.ts'
import { hashes as fastest, type Hashes, type Mac } from '../protocol/hashes.ts'

/**
 * Nonces that need no memory: UUIDs of version 8 (RFC 9562, section 5.8) whose 122 free bits say when they were given
 * out, and prove that it was by this seller, for which request and at what price.
 *
 *     42 bits  Unix milliseconds, which last until the year 2109; first, so that nonces sort by time
 *     40 bits  random
 *     40 bits  HMAC-SHA-256, cut off, over the 82 bits before and over the quote
 *
 * Two alike: challenges for the same request in the same millisecond are alike once in 2^40. A seller that gives out
 * 1,000 a second, day and night, has half a pair in a millisecond and 1.6 · 10^10 pairs in a year, and so 0.014 nonces a
 * year that were given out twice, one in seventy years. Of those two buyers the slower one would be refused.
 *
 * Forging: a guess is right once in 2^40 and only this seller can tell, by a request for each; at 1,000 guesses a second
 * that is 35 years. A forged nonce is worth little, because the payment must name it and be of the price that it proves.
 * What could be guessed is the path at which a payment of one paisa would count as quoted: as long as its nonce lasts,
 * ten minutes or 600,000 guesses, which succeeds once in 1.8 million times and buys one answer.
 */
export interface Nonces {
  /** A new nonce, good for this and nothing else. */
  make(quote: Quote): Promise<string>
  /** Whether a nonce was given out for just this. */
  fits(nonce: string, quote: Quote): Promise<boolean>
}

/** What a nonce is good for. */
export interface Quote {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly amountPaise: Paise
  readonly payTo: string
  /** How long it is good. Signed, because a use is forgotten by this time: with a longer one it would be good again. */
  readonly ttlMs: number
  /** Where its use is written. Signed, because a use that is written in one place is unknown in the other. */
  readonly usedAt: 'service' | 'store'
}

/** What the world has to give: the time in Unix milliseconds, and random bytes. */
export interface Surroundings {
  now(): number
  randomBytes(count: number): Uint8Array
}

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const RANDOM_BYTES = 5
const MAC_BYTES = 5
const RANDOM_BITS = 40n
const MAC_BITS = 40n
const TIME_MASK = (1n << 42n) - 1n

/** Signs with the first secret; what any of them signed fits. */
export function createNonces(
  secrets: readonly string[],
  { now, randomBytes }: Surroundings,
  hashes: Hashes = fastest,
): Nonces {
  let derived: Promise<readonly Mac[]> | undefined
  function macs(): Promise<readonly Mac[]> {
    derived ??= Promise.all(secrets.map(async secret => hashes.mac(await deriveKey(secret))))
    return derived
  }
  return {
    async make(quote) {
      const stamp = ((BigInt(now()) & TIME_MASK) << RANDOM_BITS) | numberFrom(randomBytes(RANDOM_BYTES))
      const [mac] = await macs()
      if (mac === undefined) throw new RangeError('a seller needs a secret')
      return uuidFrom((stamp << MAC_BITS) | numberFrom(await sign(mac, stamp, quote)))
    },
    async fits(nonce, quote) {
      if (!FORM.test(nonce)) return false
      const bits = bitsOf(nonce)
      const stamp = bits >> MAC_BITS
      const given = bytesFrom(BigInt.asUintN(Number(MAC_BITS), bits))
      let fitting = 0
      for (const mac of await macs()) fitting += isSame(given, await sign(mac, stamp, quote)) ? 1 : 0
      return fitting > 0
    },
  }
}

/** When a nonce says that it was given out, in Unix milliseconds; null when it is none of ours by its form alone. */
export function issuedAtOf(nonce: string): number | null {
  return FORM.test(nonce) ? Number(bitsOf(nonce) >> (RANDOM_BITS + MAC_BITS)) : null
}

const KEY_LABEL = 'batua pay-per-call nonce v1'
const KEY_BITS = 256

/** The secret is a credential besides, so it never signs itself: what leaks of a MAC leaks of a derived key. */
async function deriveKey(secret: string) {
  const text = new TextEncoder()
  const base = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, ['deriveBits'])
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: text.encode(KEY_LABEL) }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, base, KEY_BITS))
}

async function sign(mac: Mac, stamp: bigint, quote: Quote): Promise<Uint8Array> {
  const { method, path, amountPaise, payTo, ttlMs, usedAt } = quote
  // As JSON no two quotes are written alike, wherever a text ends and the next begins.
  const amount = amountPaise.toString()
  const signed = JSON.stringify([stamp.toString(), method, path, amount, payTo, ttlMs, usedAt])
  const whole = await mac(new TextEncoder().encode(signed))
  return whole.subarray(0, MAC_BYTES)
}

/** Takes as long for a near miss as for any other. */
function isSame(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0)
  return difference === 0
}

/** 122 bits around the version, 8, and the variant, binary 10. */
function uuidFrom(bits: bigint): string {
  const high = (bits >> 74n) << 80n
  const middle = BigInt.asUintN(12, bits >> 62n) << 64n
  const uuid = high | (8n << 76n) | middle | (2n << 62n) | BigInt.asUintN(62, bits)
  const hex = uuid.toString(16).padStart(32, '0')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function bitsOf(nonce: string): bigint {
  const uuid = BigInt(`0x${nonce.replaceAll('-', '')}`)
  const middle = BigInt.asUintN(12, uuid >> 64n) << 62n
  return ((uuid >> 80n) << 74n) | middle | BigInt.asUintN(62, uuid)
}

function numberFrom(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
}

function bytesFrom(number: bigint): Uint8Array {
  return Uint8Array.from({ length: MAC_BYTES }, (_, index) =>
    Number(BigInt.asUintN(8, number >> BigInt(8 * (MAC_BYTES - 1 - index)))),
  )
}
