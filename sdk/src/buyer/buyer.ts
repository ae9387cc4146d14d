import type { Client } from '../client/client.ts'
import { wait } from '../client/timeouts.ts'
import type { BuyerJournal } from './buyer-journal.ts'
import type { FindPayee } from './check-seller.ts'
import type { BuyerIdentity } from './known-buyer.ts'
import type { BuyerTabs } from './tabs.ts'
import type { Terms } from './terms.ts'

/** Time and waiting, passed in. */
export interface Time {
  /** Unix milliseconds. */
  now(): number
  /** An abort ends it at once with its reason. */
  wait(delayMs: number, signal: AbortSignal | undefined): Promise<void>
}

/** The clock and timers of this machine. */
export const REAL_TIME: Time = { now: Date.now, wait }

/** A buyer, with what every step of a purchase needs. */
export interface Buyer {
  readonly client: Client
  /** The client's key: a purchase is continued only with the key that it was started with. */
  readonly agentKey: string
  readonly terms: Terms
  readonly journal: BuyerJournal
  readonly time: Time
  readonly findPayee: FindPayee
  /** null: the buyer shows no seller who it is. */
  readonly identity: BuyerIdentity | null
  /** null: it pays each call. */
  readonly tabs: BuyerTabs | null
  /** The paying agent's id, requested once. */
  agentId(signal: AbortSignal | undefined): Promise<string>
}
