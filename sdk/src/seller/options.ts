import type { VerifyFailure } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import type { Rupees } from '../protocol/amount.ts'
import type { NonceStore } from './nonce-store.ts'

/** A price, or a function of the request; 0 is free. INR, at most two decimals. */
export type Price<Request> = Rupees | ((request: Request) => Rupees | Promise<Rupees>)

export interface SellerOptions<Request> {
  /** A client with the payee's agent key. */
  readonly client: Client
  /** The payee in the challenge: the agent's handle or id. */
  readonly payTo: string
  readonly amount: Price<Request>
  /** A short description for the body of the 402 and its page. */
  readonly description?: string
  /** The store of used nonces. Absent: the service, which consumes each nonce when it verifies it (`consume`). */
  readonly nonces?: NonceStore
  /**
   * What happens to a payment after a response with 5xx, 408, 425 or 429: it is refunded (`refund`, the default), or
   * its nonce stays valid for a repeated request (`keep`).
   */
  readonly onFailure?: 'refund' | 'keep'
  /** How long a challenge can be paid; 10 minutes by default. */
  readonly nonceTtlMs?: number
  /**
   * Signs nonces; all processes that sell the same thing need the same. By default derived from the client's agent
   * key. Several during a replacement: the first signs.
   */
  readonly secret?: string | readonly string[]
  /** How long one request may wait for the service, retries included; 5,000 ms by default. */
  readonly verifyTimeoutMs?: number
  /**
   * The client's address, instead of the framework's: needed behind a proxy that the framework does not trust, and
   * with hono. It limits how many wrong proofs of one client are checked.
   */
  readonly clientAddress?: (request: Request) => string | null
  /**
   * Called with errors that the buyer does not see: the service cannot be reached, a refund failed. Absent: a warning
   * of the process, or on the console.
   */
  readonly onError?: (error: unknown) => void
}

/** The parts of a request that the core needs. */
export interface SellerRequest {
  readonly method: string
  /** The requested path and query: `/weather?city=Pune`. */
  readonly path: string
  /** A header's value by its lower-case name; null if absent. Repeated headers are joined by a comma. */
  header(name: string): string | null
  /** The client's IP address; null or absent if unknown. */
  readonly address?: string | null
}

/** A response that an adapter sends unchanged. */
export interface SellerAnswer {
  readonly status: 402 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The payment of a served request. */
export interface AcceptedPayment {
  readonly paymentId: string
  /** The payer's id. */
  readonly from: string
  /** The amount paid, INR, a decimal string. */
  readonly amount: string
  readonly nonce: string
}

export type Acceptance =
  | { readonly kind: 'free' }
  | { readonly kind: 'refused'; readonly answer: SellerAnswer }
  | {
      readonly kind: 'accepted'
      readonly payment: AcceptedPayment
      /** To be called once with the handler's status. Handles a failure as configured; never throws. */
      finish(status: number): Promise<void>
    }

/** Why a proof was refused: the service's reasons, and the seller's own. */
export type RefusalReason =
  | VerifyFailure
  | 'invalid_payment_header'
  | 'nonce_not_ours'
  | 'nonce_expired'
  | 'receipt_not_genuine'
