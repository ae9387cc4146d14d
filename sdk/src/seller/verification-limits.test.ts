import { expect, test } from 'vitest'
import { createVerificationLimits, type Guess, TooManyGuesses } from './verification-limits.ts'

const MINUTE_MS = 60_000
const unsigned = (proof: string, address: string | null = '203.0.113.7'): Guess => ({
  proof,
  address,
  isPaid: false,
})

function open() {
  const clock = { ms: 1_000_000 }
  const limits = createVerificationLimits(() => clock.ms)
  /** How many of so many guesses are allowed, if all of them have this result. */
  const asked = (count: number, guess: (index: number) => Guess, isWrong = true) => {
    let began = 0
    for (let index = 0; index < count; index++) {
      try {
        limits.begin(guess(index)).end(isWrong ? 'nonce_mismatch' : null)
        began += 1
      } catch (error) {
        if (!(error instanceof TooManyGuesses)) throw error
      }
    }
    return began
  }
  return { clock, limits, asked }
}

test('valid proofs never count, however many there are', () => {
  const { asked } = open()
  expect(asked(5_000, () => unsigned('same'), false)).toBe(5_000)
})

test('the proofs of one address are verified a hundred times a minute, and do not use up the budget of others', () => {
  const { asked, clock } = open()
  expect(asked(1_000, index => unsigned(`n${index}`))).toBe(100)
  expect(asked(10, index => unsigned(`o${index}`, '203.0.113.8'))).toBe(10)
  clock.ms += MINUTE_MS
  expect(asked(1_000, index => unsigned(`p${index}`))).toBe(100)
})

test('a whole IPv6 /64 is one address, however it is written', () => {
  const { asked } = open()
  expect(asked(500, index => unsigned(`n${index}`, `2001:db8:1:2:${index.toString(16)}::1`))).toBe(100)
  expect(asked(1, () => unsigned('other', '2001:DB8:1:2::'))).toBe(0)
  expect(asked(1, () => unsigned('more', '2001:db8:1:3::1'))).toBe(1)
})

test('unsigned proofs of all addresses together cause at most 400 queries a minute', () => {
  const { asked } = open()
  expect(asked(5_000, index => unsigned(`n${index}`, `203.0.${index >> 8}.${index & 255}`))).toBe(400)
})

test('a paid proof is verified without success at most five times a minute, independent of other proofs', () => {
  const { asked } = open()
  asked(5_000, index => unsigned(`n${index}`, `203.0.${index >> 8}.${index & 255}`))
  const paid = (proof: string): Guess => ({ proof, address: '203.0.113.7', isPaid: true })
  expect(asked(100, () => paid('mine'))).toBe(5)
  expect(asked(100, index => paid(`other ${index}`))).toBe(100)
})

test('a refusal has a Retry-After', () => {
  const { asked, clock, limits } = open()
  asked(5, () => unsigned('n'))
  clock.ms += 20_000
  const refusal = () => limits.begin(unsigned('n'))
  expect(refusal).toThrow(TooManyGuesses)
  expect(refusal).toThrow(expect.objectContaining({ retryAfterMs: 40_000 }))
})

test('a running verification counts until it has ended', () => {
  const { limits } = open()
  const begun = Array.from({ length: 100 }, (_, index) => limits.begin(unsigned(`n${index}`)))
  expect(() => limits.begin(unsigned('one more'))).toThrow(expect.objectContaining({ retryAfterMs: 1_000 }))
  for (const each of begun) each.end(null)
  limits.begin(unsigned('one more')).end(null)
})

test('a counter is dropped after ten thousand others, so memory is bounded', () => {
  const { asked } = open()
  expect(asked(5, () => ({ proof: 'first', address: null, isPaid: true }))).toBe(5)
  expect(asked(10_001, index => ({ proof: `n${index}`, address: null, isPaid: true }))).toBe(10_001)
  expect(asked(1, () => ({ proof: 'first', address: null, isPaid: true }))).toBe(1)
})

test('the result for a proof that failed five times is remembered for the rest of the minute, for that proof only', () => {
  const { asked, clock, limits } = open()
  asked(4, () => unsigned('n'))
  expect(limits.lastReason('n')).toBeNull()
  asked(1, () => unsigned('n'))
  expect(limits.lastReason('n')).toBe('nonce_mismatch')
  expect(limits.lastReason('other')).toBeNull()
  clock.ms += MINUTE_MS
  expect(limits.lastReason('n')).toBeNull()
})
