import type { Paise } from '../protocol/amount.ts'

/** One challenge that is being paid or was paid. */
export interface Purchase {
  readonly id: string
  /** Identifies the same request of the same payer: SHA-256 of its key, method, address and body, in hex. */
  readonly requestKey: string
  /** The seller's host, port included. */
  readonly host: string
  readonly payTo: string
  /** The payee's agent id, which is pinned to the host once it is paid; absent: it is not pinned. */
  readonly payeeId?: string | null
  readonly amountPaise: Paise
  readonly nonce: string
  /** Unix milliseconds. */
  readonly startedAt: number
  /** When its payment was last tried, Unix milliseconds; absent: at most once, at the start. */
  readonly triedAt?: number | null
  /**
   * `paying`: the payment may or may not have happened. `paid`: it has, and the resource was not received yet.
   * `served`: done. `refused`: the seller refused the proof. `refunded`: it also refunded the payment. `lost`: the
   * payment was not found for so long that it is abandoned. `unpaid`: it is certain that nothing was paid.
   */
  readonly state: 'paying' | 'paid' | 'served' | 'refused' | 'refunded' | 'lost' | 'unpaid'
  /** The payment; of vouchers the authorization, whose whole amount counts until it is closed. */
  readonly paymentId: string | null
  /** The approval that the payment waits for, or waited for. */
  readonly approvalId?: string | null
  /**
   * For how many seconds the price is set aside, if the seller captures it after the request; `paymentId` is then the
   * authorization. Absent: it is paid before the request.
   */
  readonly setAsideSeconds?: number | null
  /** Whether it is set aside with a key of vouchers, because the seller takes nothing else. Absent: it is not. */
  readonly byVoucher?: boolean | null
  /**
   * Of vouchers: until when more may be spent, and once they are closed, when it was spent last; Unix milliseconds.
   * Absent: all is spent at the start.
   */
  readonly spentUntil?: number | null
}

/** A change of a purchase. */
export type PurchaseChange = Pick<Purchase, 'state'> &
  Partial<Pick<Purchase, 'triedAt' | 'paymentId' | 'approvalId' | 'amountPaise' | 'spentUntil'>>

/** A budget that a purchase must fit into. */
export interface BudgetLimit {
  readonly limitPaise: Paise
  readonly windowMs: number
  /** null: over all hosts. */
  readonly host: string | null
}

/**
 * Records purchases before money moves, so that a restarted buyer finds what it paid for, and budgets last across
 * restarts. Steps take effect one at a time and are stored before they return; a failed step may have been stored.
 */
export interface Journal {
  /** Returns the oldest unfinished purchase of this request, to one caller at a time; null if there is none. */
  resume(requestKey: string): Promise<Purchase | null>
  /**
   * Records a purchase, locked by the caller, unless it exceeds a budget; then returns that budget. Purchases that
   * started within the window before this one count, and this one too; unpaid and refunded ones do not. One with
   * `spentUntil` counts until the window after that has passed.
   */
  begin(purchase: Purchase, limits: readonly BudgetLimit[]): Promise<BudgetLimit | null>
  /** Records a change of a purchase. Other fields stay unchanged. */
  update(id: string, change: PurchaseChange): Promise<void>
  /** Ends a caller's lock of a purchase, finished or not. */
  release(id: string): Promise<void>
  /** The last pinned payee of a host; null: none yet. Without these two functions, pins are kept in memory only. */
  payeeOf?(host: string): Promise<string | null>
  pin?(host: string, payeeId: string): Promise<void>
}
