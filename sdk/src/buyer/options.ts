import type { Client } from '../client/client.ts'
import type { Rupees } from '../protocol/amount.ts'
import type { Journal } from './journal.ts'

/** The most that may be spent within a sliding window. */
export interface Budget {
  /** INR, without fees. */
  readonly amount: Rupees
  readonly per: 'hour' | 'day'
  /**
   * `api.example.com`: this host alone, on every port; `api.example.com:8443`: on this port; `*`: each host by itself,
   * whatever its port; absent: all hosts together. A host is a name or an address, without `https://` and path.
   */
  readonly host?: string
}

export interface PayingFetchOptions {
  /** A client with the paying agent's key. */
  readonly client: Client
  /** The most that one call may cost, INR, without the fee. */
  readonly maxAmount: Rupees
  readonly budgets?: readonly Budget[]
  /**
   * The allowed payees: handles or agent ids as the seller names them. Absent: any payee, within the amounts. Either way
   * a payee that names origins is paid only there, and a host whose payee names none is paid to the same one from the
   * first time on; `any` turns both off.
   */
  readonly payees?: readonly string[] | 'any'
  /**
   * What to do when the agent's owner must approve: `wait` (the default) until she decides, or `return` the seller's 402,
   * of which `paymentOf` tells the approval. The same call made again goes on with the same payment.
   */
  readonly approval?: 'wait' | 'return'
  /** How long one call waits for an approval; an hour unless said. The same call made again goes on waiting. */
  readonly approvalTimeoutMs?: number
  /** Pays sellers without https too: for development. */
  readonly allowHttp?: boolean
  /**
   * Where purchases are written down; in memory unless said, so that a restarted process does not know them. Budgets are
   * of all who share it. What an agent began, it alone goes on with, as long as it has the same key.
   */
  readonly journal?: Journal
}

/** What was paid for a response. */
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
