import { randomFillSync } from 'node:crypto'
import { assert } from './assert.ts'

/** A UUID in its text form, the shape of every key in the database. */
export type Uuid = string

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const VALUE_OF = new Int8Array(128).fill(-1)
for (let value = 0; value < ALPHABET.length; value++) VALUE_OF[ALPHABET.charCodeAt(value)] = value

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const TYPEID_SUFFIX_LENGTH = 26

/** `prefix_` + the TypeID suffix of a UUID: 26 characters of Crockford base32, most significant first. */
export function formatId(prefix: string, uuid: Uuid): string {
  const high = BigInt(`0x${uuid.slice(0, 8)}${uuid.slice(9, 13)}`)
  return `${prefix}_${base32(high, uuid)}`
}

function base32(high48: bigint, uuid: Uuid): string {
  // 128 bits are 26 digits of 5 bits with two zero bits in front. Doubles hold 48 + 40 + 40 bits exactly.
  const top = Number(high48)
  const middle = Number.parseInt(uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24, 26), 16)
  const low = Number.parseInt(uuid.slice(26, 36), 16)
  return digits(top, 10) + digits(middle, 8) + digits(low, 8)
}

function digits(value: number, count: number): string {
  let text = ''
  let rest = value
  for (let index = 0; index < count; index++) {
    const digit = rest % 32
    text = ALPHABET.charAt(digit) + text
    rest = (rest - digit) / 32
  }
  return text
}

/** The UUID of an id with this prefix, or null when it is not one. */
export function parseId(prefix: string, id: string): Uuid | null {
  if (id.length !== prefix.length + 1 + TYPEID_SUFFIX_LENGTH) return null
  if (!id.startsWith(prefix) || id.charCodeAt(prefix.length) !== 0x5f) return null
  const start = prefix.length + 1
  const top = readDigits(id, start, 10)
  const middle = readDigits(id, start + 10, 8)
  const low = readDigits(id, start + 18, 8)
  if (top === null || middle === null || low === null || top >= 2 ** 48) return null
  const high = top.toString(16).padStart(12, '0')
  const mid = middle.toString(16).padStart(10, '0')
  const end = low.toString(16).padStart(10, '0')
  return `${high.slice(0, 8)}-${high.slice(8)}-${mid.slice(0, 4)}-${mid.slice(4, 8)}-${mid.slice(8)}${end}`
}

function readDigits(text: string, start: number, count: number): number | null {
  let value = 0
  for (let index = start; index < start + count; index++) {
    const digit = VALUE_OF[text.charCodeAt(index)] ?? -1
    if (digit < 0) return null
    value = value * 32 + digit
  }
  return value
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
