import { randomFillSync } from 'node:crypto'
import { assert } from './assert.ts'

/** A UUID in its text form, the shape of every key in the database. */
export type Uuid = string

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const DIGITS = ALPHABET.split('')
const VALUE_OF = new Int8Array(128).fill(-1)
for (const [value, digit] of DIGITS.entries()) VALUE_OF[digit.charCodeAt(0)] = value

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const TYPEID_SUFFIX_LENGTH = 26

/** `prefix_` + the TypeID suffix of a UUID: 26 characters of Crockford base32, most significant first. */
export function formatId(prefix: string, uuid: Uuid): string {
  return `${prefix}_${typeidSuffix(uuid)}`
}

/** The suffix alone, for what has several ids of one UUID: a payment, its receipt, its statement lines. */
export function typeidSuffix(uuid: Uuid): string {
  const a = Number.parseInt(uuid.slice(0, 8), 16)
  const b = Number.parseInt(uuid.slice(9, 13) + uuid.slice(14, 18), 16)
  const c = Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16)
  const d = Number.parseInt(uuid.slice(28, 36), 16)
  // Four words of 32 bits behind two zero bits make 26 digits of 5 bits. Words are crossed at digits 6, 13 and 19.
  return (
    digit(a >>> 29) +
    fiveDigits(a >>> 4) +
    digit(((a & 0xf) << 1) | (b >>> 31)) +
    fiveDigits(b >>> 6) +
    digit(b >>> 1) +
    digit(((b & 0x1) << 4) | (c >>> 28)) +
    fiveDigits(c >>> 3) +
    digit(((c & 0x7) << 2) | (d >>> 30)) +
    digit(d >>> 25) +
    fiveDigits(d)
  )
}

function digit(bits: number): string {
  return DIGITS[bits & 31] ?? ''
}

function fiveDigits(bits: number): string {
  return digit(bits >>> 20) + digit(bits >>> 15) + digit(bits >>> 10) + digit(bits >>> 5) + digit(bits)
}

/** The UUID of an id with this prefix, or null when it is not one. */
export function parseId(prefix: string, id: string): Uuid | null {
  const start = prefix.length + 1
  if (id.length !== start + TYPEID_SUFFIX_LENGTH || !id.startsWith(prefix) || id[start - 1] !== '_')
    return null
  const at = (index: number) => VALUE_OF[id.charCodeAt(start + index)] ?? -1
  let valid = at(0) < 8 ? 0 : -1
  for (let index = 0; index < TYPEID_SUFFIX_LENGTH; index++) valid |= at(index)
  if (valid < 0) return null
  const run = (from: number, count: number) => {
    let bits = 0
    for (let index = from; index < from + count; index++) bits = (bits << 5) | at(index)
    return bits
  }
  const a = (at(0) << 29) | (run(1, 5) << 4) | (at(6) >>> 1)
  const b = (at(6) << 31) | (run(7, 6) << 1) | (at(13) >>> 4)
  const c = (at(13) << 28) | (run(14, 5) << 3) | (at(19) >>> 2)
  const d = (at(19) << 30) | run(20, 6)
  const middle = hexWord(b)
  const rest = hexWord(c)
  return `${hexWord(a)}-${middle.slice(0, 4)}-${middle.slice(4)}-${rest.slice(0, 4)}-${rest.slice(4)}${hexWord(d)}`
}

function hexWord(word: number): string {
  return hex(word >>> 24) + hex((word >>> 16) & 0xff) + hex((word >>> 8) & 0xff) + hex(word & 0xff)
}

const POOL_BYTES = 16 * 512
const pool = Buffer.allocUnsafe(POOL_BYTES)
let poolOffset = POOL_BYTES
let lastMs = 0
let counter = 0

/**
 * A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, a 12-bit counter that keeps this process's ids in
 * order within one millisecond, 62 random bits. The last bit is always 0: see `otherSide`.
 */
export function newUuid(now: Date): Uuid {
  const ms = now.getTime()
  counter = ms === lastMs ? (counter + 1) & 0xfff : 0
  lastMs = ms
  if (poolOffset >= POOL_BYTES) {
    randomFillSync(pool)
    poolOffset = 0
  }
  const random = pool.subarray(poolOffset, poolOffset + 8)
  poolOffset += 8
  const time = ms.toString(16).padStart(12, '0')
  const sequence = (0x7000 | counter).toString(16)
  const variant = hex(0x80 | (byteAt(random, 0) & 0x3f)) + hex(byteAt(random, 1))
  const tail =
    hex(byteAt(random, 2)) + hex(byteAt(random, 3)) + hex(byteAt(random, 4)) + hex(byteAt(random, 5))
  const last = hex(byteAt(random, 6)) + hex(byteAt(random, 7) & 0xfe)
  return `${time.slice(0, 8)}-${time.slice(8)}-${sequence}-${variant}-${tail}${last}`
}

function hex(byte: number): string {
  return HEX[byte] ?? '00'
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0
}

/**
 * A movement of money has two statement lines: the debited side's carries the movement's own uuid, the
 * credited side's the same uuid with its last bit set. So both are found from either without a table.
 */
export function creditSideOf(uuid: Uuid): Uuid {
  const last = Number.parseInt(uuid.slice(-1), 16)
  assert((last & 1) === 0, 'a movement id ends in an even digit')
  return uuid.slice(0, -1) + (last | 1).toString(16)
}

/** The movement and the side that a statement line's uuid names. */
export function movementOf(line: Uuid): { movement: Uuid; side: 'debit' | 'credit' } {
  const last = Number.parseInt(line.slice(-1), 16)
  if ((last & 1) === 0) return { movement: line, side: 'debit' }
  return { movement: line.slice(0, -1) + (last & 0xe).toString(16), side: 'credit' }
}

/** The smallest UUIDv7 of a moment: the bound of a time range over time-ordered ids. */
export function firstUuidAt(moment: Date): Uuid {
  const time = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** The moment in a UUIDv7: when it was made. */
export function momentOf(uuid: Uuid): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16))
}
