import type { PayInput } from '../api/types.ts'
import type { Client } from '../client/client.ts'
import type { Rupees } from '../protocol/amount.ts'
import type { Journal } from './journal.ts'

/** The maximum that may be spent within a sliding window. */
export interface Budget {
  /** INR, without fees. */
  readonly amount: Rupees
  readonly per: 'hour' | 'day'
  /**
   * `api.example.com`: this host, on every port; `api.example.com:8443`: on this port; `*`: each host separately, on
   * every port; absent: all hosts together. A host is a name or an address, without `https://` and path.
   */
  readonly host?: string
}

export interface PayingFetchOptions {
  /** A client with the paying agent's key. */
  readonly client: Client
  /** The maximum price of one call, INR, without the fee. */
  readonly maxAmount: Rupees
  readonly budgets?: readonly Budget[]
  /**
   * The allowed payees: handles or agent ids as sellers name them. Absent: any payee, within the amounts. In both
   * cases a payee with origins is paid only there, and a host whose payee has none pays the same payee from the first
   * payment on; `any` disables both.
   */
  readonly payees?: readonly string[] | 'any'
  /**
   * What to do if the agent's owner must approve: `wait` (the default) until she decides, or `return` the seller's
   * 402, whose approval `paymentOf` returns. The same call continues with the same payment.
   */
  readonly approval?: 'wait' | 'return'
  /** How long one call waits for an approval; an hour by default. The same call continues to wait. */
  readonly approvalTimeoutMs?: number
  /** Pays sellers without https too: for development. */
  readonly allowHttp?: boolean
  /**
   * Where purchases are recorded; in memory by default, so a restarted process does not know them. All buyers that
   * share it share its budgets. Only the agent that started a purchase continues it, while it has the same key.
   */
  readonly journal?: Journal
  /**
   * Sent with each payment. With a `key` all calls of this fetch, and of others with the same key, make one payment
   * together, because the service takes each key once; a second payment is refused with `idempotency_error`.
   */
  readonly payment?: {
    readonly key?: string
    /** Why the agent pays; its owner reads it before approving. */
    readonly context?: NonNullable<PayInput['context']>
  }
}

/** The payment of a response. */
export interface CallPayment {
  readonly status: 'completed' | 'pending_approval'
  /** null while it waits for approval. */
  readonly paymentId: string | null
  readonly approvalId: string | null
  readonly payTo: string
  /** INR, a decimal string. */
  readonly amount: string
  readonly nonce: string
}
