import { randomFillSync } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const PREFIX = 'req_'
const TIME_DIGITS = 10
const RANDOM_DIGITS = 16
const POOL_BYTES = RANDOM_DIGITS * 512

/**
 * The id of a request in its response, its errors and its log line: `req_` and the TypeID form of a UUIDv7. Every request
 * makes one, so it is written digit by digit instead of through a uuid (0.3 µs instead of 1.7 µs).
 * None is accepted from a client, because a forged one would mislead readers of the log.
 */
export function requestIds(clock: Clock): () => string {
  const pool = Buffer.allocUnsafe(POOL_BYTES)
  let offset = POOL_BYTES
  let timeMs = -1
  let prefix = ''
  return () => {
    const nowMs = clock.now().getTime()
    if (nowMs !== timeMs) {
      timeMs = nowMs
      prefix = PREFIX + timeDigits(nowMs)
    }
    if (offset >= POOL_BYTES) {
      randomFillSync(pool)
      offset = 0
    }
    const start = offset
    offset += RANDOM_DIGITS
    return prefix + randomDigits(pool, start)
  }
}

/** When the request with this id arrived, in Unix milliseconds. */
export function timeOfRequestId(id: string): number {
  let time = 0
  for (let index = 0; index < TIME_DIGITS; index++) {
    time = time * 32 + ALPHABET.indexOf(id.charAt(PREFIX.length + index))
  }
  return time
}

function timeDigits(timeMs: number): string {
  let text = ''
  let rest = timeMs
  for (let index = 0; index < TIME_DIGITS; index++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** 80 bits in 16 digits of 5; the four version bits (7) and the two variant bits stand where RFC 9562 wants them. */
function randomDigits(pool: Buffer, start: number): string {
  let text = ALPHABET.charAt(14 | ((pool[start] ?? 0) & 1))
  for (let index = 1; index < RANDOM_DIGITS; index++) {
    const five = (pool[start + index] ?? 0) & 31
    text += ALPHABET.charAt(index === 3 ? (five & 0b10011) | 0b01000 : five)
  }
  return text
}
