import type { Paise } from '../protocol/amount.ts'
import { hexFromBytes } from '../protocol/base64.ts'
import { hashes as fastest, type Hashes, type Mac } from '../protocol/hashes.ts'

/**
 * Nonces that need no storage: UUIDs of version 8 (RFC 9562, section 5.8) whose 122 free bits contain their time, and
 * prove that this seller issued them for a request at a price.
 *
 *     42 bits  Unix milliseconds, until the year 2109; first, so that nonces sort by time
 *     40 bits  random
 *     40 bits  HMAC-SHA-256, truncated, over the 82 bits before and over the quote
 *
 * Collisions: two challenges for the same request in the same millisecond are equal with probability 2^-40. A seller
 * that issues 1,000 a second continuously has half a pair in a millisecond and 1.6 · 10^10 pairs in a year, so 0.014
 * equal nonces a year, one in seventy years. Of those two buyers the slower one would be refused.
 *
 * Forgery: a guess is right with probability 2^-40, and only this seller can check it, by a request for each; at 1,000
 * guesses a second that takes 35 years. A forged nonce is worth little, because the payment must name it and have the
 * price that it proves. An attacker could guess a path for which a payment of one paisa would count as quoted: while
 * its nonce is valid, that is ten minutes or 600,000 guesses, which succeeds once in 1.8 million times and buys one
 * response.
 */
export interface Nonces {
  /** A new nonce, valid for this quote only. */
  make(quote: Quote): Promise<string>
  /** Whether a nonce was issued for exactly this quote. */
  fits(nonce: string, quote: Quote): Promise<boolean>
}

/** What a nonce is valid for. */
export interface Quote {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly amountPaise: Paise
  readonly payTo: string
  /**
   * How long it is valid. Signed, because a use is forgotten after this time: a longer one would make it valid again.
   */
  readonly ttlMs: number
  /** Where its use is stored. Signed, because a use that is stored in one place is unknown in the other. */
  readonly usedAt: 'service' | 'store'
  /** The known buyer that it is for: only its payment is taken. Absent: anybody's is. */
  readonly payer?: string | undefined
}

/** The time in Unix milliseconds, and random bytes. */
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

/** Signs with the first secret; accepts what any of them signed. */
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

/** When a nonce was issued, in Unix milliseconds; null if it does not have our format. */
export function issuedAtOf(nonce: string): number | null {
  return FORM.test(nonce) ? Number(bitsOf(nonce) >> (RANDOM_BITS + MAC_BITS)) : null
}

const KEY_LABEL = 'batua pay-per-call nonce v1'
const KEY_BITS = 256

/** The secret may also be a credential, so a derived key signs: MACs then reveal nothing about the secret. */
async function deriveKey(secret: string) {
  const text = new TextEncoder()
  const base = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, ['deriveBits'])
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: text.encode(KEY_LABEL) }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, base, KEY_BITS))
}

async function sign(mac: Mac, stamp: bigint, quote: Quote): Promise<Uint8Array> {
  const { method, path, amountPaise, payTo, ttlMs, usedAt, payer } = quote
  // As JSON, different quotes always have different texts.
  const fields = [stamp.toString(), method, path, amountPaise.toString(), payTo, ttlMs, usedAt]
  const signed = JSON.stringify(payer === undefined ? fields : [...fields, payer])
  const whole = await mac(new TextEncoder().encode(signed))
  return whole.subarray(0, MAC_BYTES)
}

/** Compares in constant time. */
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

/** The nonce of a response to a voucher: a UUID of version 4, so that none is taken for a nonce of a 402. Not the platform's: see `newClaimId`. */
export function newVoucherNonce(bytes: Uint8Array<ArrayBuffer>): string {
  const hex = hexFromBytes(bytes)
  const variant = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant.toString(16)}${hex.slice(18, 20)}-${hex.slice(20)}`
}
