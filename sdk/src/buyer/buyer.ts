import type { Client } from '../client/client.ts'
import { wait, within } from '../client/patience.ts'
import type { BuyerJournal } from './buyer-journal.ts'
import type { Terms } from './terms.ts'

/** Time and waiting, handed in. */
export interface Time {
  /** Unix milliseconds. */
  now(): number
  /** An abort ends it at once with its reason. */
  wait(delayMs: number, signal: AbortSignal | undefined): Promise<void>
}

/** The clock and timers of this machine. */
export const REAL_TIME: Time = { now: Date.now, wait }

/** Whoever buys: what every step of a purchase needs. */
export interface Buyer {
  readonly client: Client
  readonly terms: Terms
  readonly journal: BuyerJournal
  readonly time: Time
  /** The paying agent's id, asked for once. */
  agentId(signal: AbortSignal | undefined): Promise<string>
}

/** Asks once and keeps the answer; a failure is not kept. Each caller waits for it no longer than her signal allows. */
export function remembered<T>(ask: () => Promise<T>): (signal: AbortSignal | undefined) => Promise<T> {
  let known: Promise<T> | null = null
  return signal => {
    known ??= ask().catch((error: unknown) => {
      known = null
      throw error
    })
    const answer = known
    return signal === undefined ? answer : within(Number.POSITIVE_INFINITY, signal, () => answer)
  }
}
