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
   * Whether a seller that asks who buys is shown the agent's membership proof, with its platform and organization, for
   * the price of a known buyer: `true`, or a function of the seller's origin. It is sent over https only, in a local
   * sandbox also to this machine, and to no other origin. By default nobody is shown it.
   */
  readonly identity?: boolean | ((origin: string) => boolean)
  /**
   * Pays sellers that take vouchers from authorizations, if that is cheaper: then a call needs neither the service nor
   * a fee of its own. Other sellers are paid as without it.
   */
  readonly tab?: TabOptions
  /** The origin at which sellers of x402 know the service; by default the client's, and what the service calls itself. */
  readonly service?: string
  /**
   * Sent with each payment. With a `key` all calls of this fetch, and of others with the same key, make one payment
   * together, because the service takes each key once; a second payment is refused with `idempotency_error`.
   */
  readonly payment?: {
    readonly key?: string
    /** Why the agent pays; its owner reads it before approving. */
    readonly context?: NonNullable<PayInput['context']>
    /**
     * What the keys of vouchers are made of for sellers that take nothing else (MPP’s `session`): the same call goes on
     * with the same key. Absent: the client’s agent key, which is the same in all programs of the agent.
     */
    readonly voucherSecret?: string
  }
}

/** What a buyer sets aside for vouchers. */
export interface TabOptions {
  /** The amount of one authorization, INR: the most that one seller can capture. It counts against budgets. */
  readonly amount: Rupees
  /** The most authorizations at one host that are open, or wait for approval, at once; 2 by default. */
  readonly perHost?: number
  /** After this time without a call an authorization is closed; 60,000 ms by default. */
  readonly idleMs?: number
}

/** The payment of a response. */
export interface CallPayment {
  readonly status: 'completed' | 'pending_approval'
  /** null while it waits for approval; of a voucher the authorization, `ath_…`. */
  readonly paymentId: string | null
  readonly approvalId: string | null
  readonly payTo: string
  /** INR, a decimal string. */
  readonly amount: string
  readonly nonce: string
}
