import { createHmac, timingSafeEqual } from 'node:crypto'

const PERIOD_S = 30
const DIGITS = 6
/** One step to either side, for a clock that runs ahead or behind and for the time that typing takes. */
const WINDOW_STEPS = 1
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BASE32 = /^[A-Z2-7]+$/

/** A secret in the one form in which it is compared, without spaces or padding; null when it is no base32. */
export function normaliseTotpSecret(text: string): string | null {
  const secret = text.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase()
  return BASE32.test(secret) ? secret : null
}

/** How many bytes a base32 secret holds. */
export function totpSecretBytes(secret: string): number {
  return Math.floor((secret.length * 5) / 8)
}

/**
 * The 30-second step that a code of RFC 6238 belongs to (HMAC-SHA-1, six digits, as authenticator apps make them), or
 * null when it is none of this step and its neighbours. All of them are compared, each in constant time.
 */
export function totpStep(secret: string, code: string, nowMs: number): number | null {
  const key = bytesOf(secret)
  const given = Buffer.from(code)
  const current = Math.floor(nowMs / 1_000 / PERIOD_S)
  let found: number | null = null
  for (let step = current - WINDOW_STEPS; step <= current + WINDOW_STEPS; step++) {
    const expected = Buffer.from(codeOf(key, step))
    if (given.length === expected.length && timingSafeEqual(given, expected)) found = step
  }
  return found
}

/** The code of an authenticator app at a moment. */
export function totpAt(secret: string, nowMs: number): string {
  return codeOf(bytesOf(secret), Math.floor(nowMs / 1_000 / PERIOD_S))
}

/** RFC 4226, section 5.3: a step's HMAC, of which four bytes, at the place that its last half-byte names, are the code. */
function codeOf(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(step))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** RFC 4648, section 6; bits that fill no byte are dropped. */
function bytesOf(secret: string): Buffer {
  const bits = Array.from(secret, letter => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(
    Array.from({ length: totpSecretBytes(secret) }, (_, at) =>
      Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2),
    ),
  )
}
