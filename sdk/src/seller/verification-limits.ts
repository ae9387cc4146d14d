import type { RefusalReason } from './options.ts'

/** Too many proofs like this one were wrong recently, so the service is not asked about it. */
export class TooManyGuesses extends Error {
  override readonly name = 'TooManyGuesses'
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('Too many proofs did not verify in the last minute; the service is not asked about more of them')
    this.retryAfterMs = retryAfterMs
  }
}

/** The keys by which a proof is counted. */
export interface Guess {
  /** The whole proof: its nonce, payment and payer. */
  readonly proof: string
  /** The client's address; null if unknown. */
  readonly address: string | null
  /** Whether it has a genuine receipt: then it was paid for. */
  readonly isPaid: boolean
}

/**
 * Limits how many invalid proofs the service is asked about in a minute. An honest buyer's proof is valid, so it does
 * not count; invented proofs use the budget of their address, or at most that of unsigned proofs.
 */
export interface VerificationLimits {
  /** Why the service refused this proof five times within a minute: it is not asked again meanwhile. */
  lastReason(proof: string): RefusalReason | null
  /** Throws `TooManyGuesses` if a budget is used up. The caller ends what it started, with the reason of a failure. */
  begin(guess: Guess): { end(reason: RefusalReason | null): void }
}

const WINDOW_MS = 60_000
const PER_PROOF = 5
const PER_ADDRESS = 100
/**
 * All proofs without a genuine receipt: less than half of the failed verifications that the service allows a seller.
 */
const UNSIGNED = 400
const SOON_MS = 1_000
/** Each takes about 200 bytes. */
const MAX_TALLIES = 10_000

interface Tally {
  since: number
  wrong: number
  running: number
  reason: RefusalReason | null
}

export function createVerificationLimits(now: () => number): VerificationLimits {
  const tallies = new Map<string, Tally>()

  /** Moved to the end, so that the first in the map is the one unused for the longest time. */
  function tallyOf(key: string): Tally {
    const known = tallies.get(key)
    const tally = known ?? { since: now(), wrong: 0, running: 0, reason: null }
    if (Math.abs(now() - tally.since) >= WINDOW_MS) Object.assign(tally, { since: now(), wrong: 0 })
    tallies.delete(key)
    tallies.set(key, tally)
    return tally
  }
  function dropEldest(): void {
    for (const [key, { running }] of tallies) {
      if (tallies.size <= MAX_TALLIES) return
      if (running === 0) tallies.delete(key)
    }
  }
  return {
    lastReason(proof) {
      const key = keyOf(proof)
      const { wrong, reason } = tallies.has(key) ? tallyOf(key) : { wrong: 0, reason: null }
      return wrong >= PER_PROOF ? reason : null
    },
    begin(guess) {
      const counted = budgetsOf(guess).map(({ key, max }) => ({ tally: tallyOf(key), max }))
      dropEldest()
      const full = counted.find(({ tally, max }) => tally.wrong + tally.running >= max)
      if (full !== undefined) {
        const { since, wrong } = full.tally
        throw new TooManyGuesses(wrong >= full.max ? since + WINDOW_MS - now() : SOON_MS)
      }
      for (const { tally } of counted) tally.running += 1
      return {
        end(reason) {
          for (const { tally } of counted) {
            tally.running -= 1
            if (reason !== null) Object.assign(tally, { wrong: tally.wrong + 1, reason })
          }
        },
      }
    },
  }
}

function keyOf(proof: string): string {
  return `proof ${proof}`
}

function budgetsOf({ proof, address, isPaid }: Guess): { readonly key: string; readonly max: number }[] {
  // One at a time, so that the number in progress never exceeds the number that may be wrong.
  const ofProof = { key: keyOf(proof), max: PER_PROOF }
  if (isPaid) return [ofProof]
  const ofAddress = address === null ? [] : [{ key: `address ${networkOf(address)}`, max: PER_ADDRESS }]
  return [ofProof, ...ofAddress, { key: 'unsigned', max: UNSIGNED }]
}

const MAX_ADDRESS_CHARACTERS = 64

/** A host with one IPv6 address usually has its whole /64. */
function networkOf(address: string): string {
  const text = address.slice(0, MAX_ADDRESS_CHARACTERS).toLowerCase()
  const [head = '', tail] = text.split('::')
  if (!text.includes(':') || text.includes('.')) return text
  const groups = head === '' ? [] : head.split(':')
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [
    ...groups,
    ...Array.from({ length: Math.max(0, zeros) }, () => '0'),
    ...(tail ?? '').split(':'),
  ]
  return all.slice(0, 4).join(':')
}
