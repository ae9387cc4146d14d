import type { Paise } from '../protocol/amount.ts'

/** One challenge that is being paid, or was. */
export interface Purchase {
  readonly id: string
  /** Tells the same request of the same payer again: SHA-256 of its key, method, address and body, in hex. */
  readonly requestKey: string
  /** The seller's host, port included. */
  readonly host: string
  readonly payTo: string
  /** The payee's agent id, to be pinned to the host once it is paid; absent: it is not pinned. */
  readonly payeeId?: string | null
  readonly amountPaise: Paise
  readonly nonce: string
  /** Unix milliseconds. */
  readonly startedAt: number
  /** When its payment was last tried, Unix milliseconds; absent: at most once, as it began. */
  readonly triedAt?: number | null
  /**
   * `paying`: the payment may or may not have happened. `paid`: it has, and the resource was not seen yet.
   * `served`: done. `refused`: the seller did not take the payment. `refunded`: nor did it keep the money. `lost`: the
   * payment was not found for so long that it is given up. `unpaid`: it is certain that nothing was paid.
   */
  readonly state: 'paying' | 'paid' | 'served' | 'refused' | 'refunded' | 'lost' | 'unpaid'
  readonly paymentId: string | null
  /** The approval that the payment waits for, or waited for. */
  readonly approvalId?: string | null
}

/** What becomes of a purchase. */
export type PurchaseChange = Pick<Purchase, 'state'> &
  Partial<Pick<Purchase, 'triedAt' | 'paymentId' | 'approvalId'>>

/** A budget that a purchase must fit into. */
export interface BudgetLimit {
  readonly limitPaise: Paise
  readonly windowMs: number
  /** null: over all hosts. */
  readonly host: string | null
}

/**
 * Where purchases are written down before money moves, so that a restarted buyer finds what it paid for and budgets
 * hold across restarts. Steps take effect one at a time, and are kept before they are answered: a step that failed may
 * have been kept all the same.
 */
export interface Journal {
  /** Hands out an unfinished purchase of this request, the oldest, to one caller at a time; null when there is none. */
  resume(requestKey: string): Promise<Purchase | null>
  /**
   * Writes a purchase down, held by the caller, unless it exceeds a budget; then answers that budget. What began
   * within a window before this one counts, and this one too; unpaid and refunded ones do not.
   */
  begin(purchase: Purchase, limits: readonly BudgetLimit[]): Promise<BudgetLimit | null>
  /** Notes how a purchase stands. What the change does not name stays. */
  update(id: string, change: PurchaseChange): Promise<void>
  /** Ends a caller's hold of a purchase, finished or not. */
  release(id: string): Promise<void>
  /** The payee that was pinned last for a host; null: none yet. A journal without both of these pins in memory only. */
  payeeOf?(host: string): Promise<string | null>
  pin?(host: string, payeeId: string): Promise<void>
}
