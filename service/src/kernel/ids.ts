import { randomFillSync } from 'node:crypto'
import { assert } from './assert.ts'

/** A UUID in its text form, the shape of every key in the database. */
export type Uuid = string

/** The lower and upper bounds of all ids, for ranges. */
export const FIRST_UUID: Uuid = '00000000-0000-0000-0000-000000000000'
export const LAST_UUID: Uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const VALUE_OF = new Int8Array(128).fill(-1)
for (let value = 0; value < ALPHABET.length; value++) VALUE_OF[ALPHABET.charCodeAt(value)] = value
/** Two digits for every ten bits. */
const PAIRS = Array.from(
  { length: 1024 },
  (_, bits) => ALPHABET.charAt(bits >>> 5) + ALPHABET.charAt(bits & 31),
)

const NIBBLES = new Uint8Array(128)
for (let value = 0; value < 16; value++) NIBBLES[value.toString(16).charCodeAt(0)] = value

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const TYPEID_SUFFIX_LENGTH = 26

/** `prefix_` + the TypeID suffix of a UUID: 26 characters of Crockford base32, most significant first. */
export function formatId(prefix: string, uuid: Uuid): string {
  return `${prefix}_${typeidSuffix(uuid)}`
}

/** The suffix alone, for records that share one UUID: a payment, its receipt, its statement lines. */
export function typeidSuffix(uuid: Uuid): string {
  // Written out, because every payment makes four: slicing and parsing numbers takes twice as long.
  const a = (hexValue(uuid, 0) << 16) | hexValue(uuid, 4)
  const b = (hexValue(uuid, 9) << 16) | hexValue(uuid, 14)
  const c = (hexValue(uuid, 19) << 16) | hexValue(uuid, 24)
  const d = (hexValue(uuid, 28) << 16) | hexValue(uuid, 32)
  // Four words of 32 bits behind two zero bits make 13 pairs of 10 bits. Words are crossed at pairs 3, 6 and 9.
  return (
    pair(a >>> 24) +
    pair(a >>> 14) +
    pair(a >>> 4) +
    pair(((a & 0xf) << 6) | (b >>> 26)) +
    pair(b >>> 16) +
    pair(b >>> 6) +
    pair(((b & 0x3f) << 4) | (c >>> 28)) +
    pair(c >>> 18) +
    pair(c >>> 8) +
    pair(((c & 0xff) << 2) | (d >>> 30)) +
    pair(d >>> 20) +
    pair(d >>> 10) +
    pair(d)
  )
}

function pair(bits: number): string {
  return PAIRS[bits & 0x3ff] ?? ''
}

/** Four hex digits. */
function hexValue(text: string, at: number): number {
  return (
    (nibble(text, at) << 12) |
    (nibble(text, at + 1) << 8) |
    (nibble(text, at + 2) << 4) |
    nibble(text, at + 3)
  )
}

function nibble(text: string, at: number): number {
  return NIBBLES[text.charCodeAt(at)] ?? 0
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
