import type { VerifyFailure } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import type { Rupees } from '../protocol/amount.ts'
import type { BuyerDemand } from '../protocol/messages.ts'
import type { Network, Scheme } from '../protocol/x402.ts'
import type { KnownBuyer } from './known-buyers.ts'
import type { NonceStore } from './nonce-store.ts'
import type { TabStore } from './tab-store.ts'
import type { Reserve } from './x402-seller.ts'

/**
 * A price, or a function of the request and of who asks; 0 is free. INR, at most two decimals. A buyer is known only
 * with the option `buyers`, and is as yet unproved: a price for it is paid by itself. So it is never 0 for a known buyer
 * if it is more for others.
 */
export type Price<Request> = Rupees | ((request: Request, facts: PriceFacts) => Rupees | Promise<Rupees>)

/** What a price may depend on besides the request. */
export interface PriceFacts {
  /** null: the buyer does not say who it is, or is not asked. */
  readonly buyer: KnownBuyer | null
}

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
  /** Refuses proofs without a receipt, so that no invented proof costs the service a request; false by default. */
  readonly receiptRequired?: boolean
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
   * Reads who buys, for the price function, and sells only to agents with at least this `tier` and this `kyc`; `{}`: to
   * everybody. Absent: nobody is asked.
   */
  readonly buyers?: BuyerDemand
  /**
   * Also sells to clients of x402: the same 402 has their price, and their payment is taken like a proof. With
   * `setAside()` or `setAside('upto')` of `@batua/sdk/x402` they set the price aside, and it is captured after the request.
   */
  readonly x402?: boolean | X402Scheme
  /** Also takes vouchers of authorizations: a call is then paid without the service, and without a fee of its own. */
  readonly tab?: TabOptions
  /** For x402: `batua:inr`, or `batua:inr-sandbox` if the service is a sandbox; by default one without https is. */
  readonly network?: Network
  /** For x402: the origin at which buyers know the service; by default the client's. */
  readonly service?: string
  /**
   * Called with errors that the buyer does not see: the service cannot be reached, a refund failed. Absent: a warning
   * of the process, or on the console.
   */
  readonly onError?: (error: unknown) => void
}

/** A scheme whose price is set aside before the request: what `setAside` of `@batua/sdk/x402` returns. */
export interface X402Scheme {
  readonly scheme: Scheme
  readonly reserve: Reserve
}

/** How a seller takes vouchers and captures them. */
export interface TabOptions {
  /** The most that one buyer may owe before it is captured, INR, above 1; 10 by default. Dearer calls are paid singly. */
  readonly maxOutstanding?: Rupees
  /** How often each buyer is captured from, if it owes at least 1 INR; 60,000 ms by default. */
  readonly captureEveryMs?: number
  /** From which amount on a buyer is captured from at once, INR; 5 by default. */
  readonly captureAbove?: Rupees
  /** Where vouchers are kept: the same for all sellers of one payee. */
  readonly store: TabStore
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
export interface SellerResponse {
  readonly status: 402 | 403 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The payment of a served request. */
export interface AcceptedPayment {
  /** The payment, `pay_…`; of a voucher its authorization, `ath_…`. */
  readonly paymentId: string
  /** The payer's id. */
  readonly from: string
  /** The amount paid, INR, a decimal string. */
  readonly amount: string
  readonly nonce: string
}

export type Acceptance =
  | { readonly kind: 'free' }
  | { readonly kind: 'refused'; readonly response: SellerResponse }
  | (Accepted & { readonly kind: 'accepted' })

/** A request that may be served. */
export interface Accepted {
  readonly payment: AcceptedPayment
  /**
   * The headers of a response with this status; empty for most. To be called when its head is written: a voucher is
   * counted by it.
   */
  head(status: number): Readonly<Record<string, string>>
  /**
   * To be called after `head` if it exists: nothing of the response may be sent before it returns null, which says that
   * a crash would not lose the price. Otherwise what it returns is sent in place of the response. Never rejects.
   */
  stored?(): Promise<SellerResponse | null>
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
  | 'vouchers_not_taken'
  | 'authorization_not_genuine'
  | 'authorization_not_open'
  | 'voucher_not_genuine'
