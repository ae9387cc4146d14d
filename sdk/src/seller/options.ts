import type { VerifyFailure } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import type { Rupees } from '../protocol/amount.ts'
import type { NonceStore } from './nonce-store.ts'

/** A price, or how it follows from the request; 0 is free. INR, at most two decimals. */
export type Price<Request> = Rupees | ((request: Request) => Rupees | Promise<Rupees>)

export interface SellerOptions<Request> {
  /** A client with the key of the agent that is paid. */
  readonly client: Client
  /** The payee as buyers see it: the agent's handle or id. */
  readonly payTo: string
  readonly amount: Price<Request>
  /** What is sold, in a few words, for the body of the 402 and its page. */
  readonly description?: string
  /** Where used nonces are kept. Absent: at the service, which uses each up as it verifies it (`consume`). */
  readonly nonces?: NonceStore
  /**
   * What becomes of a payment whose request was then answered 5xx, 408, 425 or 429: it is given back (`refund`, the default), or its nonce
   * stays good for a repeat of the request (`keep`).
   */
  readonly onFailure?: 'refund' | 'keep'
  /** How long a challenge can be answered; 10 minutes unless said. */
  readonly nonceTtlMs?: number
  /** Signs nonces; all processes that sell the same need the same. Made of the client's agent key unless said. Several while it is changed: the first signs. */
  readonly secret?: string | readonly string[]
  /** How long one request may wait for the service, repetitions included; 5,000 ms unless said. */
  readonly verifyTimeoutMs?: number
  /**
   * Where a request comes from, in place of what the framework says: behind a proxy that the framework does not know,
   * and with hono, which has no word for it. It bounds how many wrong proofs of one client are looked into.
   */
  readonly clientAddress?: (request: Request) => string | null
  /**
   * Called with errors behind a response: the service not reached, a refund that failed. Absent: a warning of the
   * process, or of the console where there is none.
   */
  readonly onError?: (error: unknown) => void
}

/** What the core needs to know of a request. */
export interface SellerRequest {
  readonly method: string
  /** The path and query as they were asked for: `/weather?city=Pune`. */
  readonly path: string
  /** A header's value by its lower-case name; null when absent. One that came twice is joined by a comma. */
  header(name: string): string | null
  /** Where it comes from, an IP address; null or absent when that is not known. */
  readonly address?: string | null
}

/** An answer that an adapter sends as it is. */
export interface SellerAnswer {
  readonly status: 402 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A payment that a request was served for. */
export interface AcceptedPayment {
  readonly paymentId: string
  /** The payer's id. */
  readonly from: string
  /** What was paid, INR, a decimal string. */
  readonly amount: string
  readonly nonce: string
}

export type Acceptance =
  | { readonly kind: 'free' }
  | { readonly kind: 'refused'; readonly answer: SellerAnswer }
  | {
      readonly kind: 'accepted'
      readonly payment: AcceptedPayment
      /** To be called once with the status that the handler answered. Settles a failure as configured; never throws. */
      finish(status: number): Promise<void>
    }

/** Why a proof was not taken: the service's reasons, and the seller's own. */
export type RefusalReason =
  | VerifyFailure
  | 'invalid_payment_header'
  | 'nonce_not_ours'
  | 'nonce_expired'
  | 'receipt_not_genuine'
