import type { Uuid } from '../../../kernel/ids.ts'
import type { Outcome } from './difference.ts'
import type { Counted } from './totals.ts'

/** What one step of a run came to. */
export interface Page {
  readonly outcomes: readonly Outcome[]
  /** Behind which the phase goes on; null: it is done. */
  readonly next: string | null
  readonly counted: Counted
  /** Open differences that were found gone. */
  readonly closed?: readonly Uuid[]
  /** False: a part of the gateway's records could not be read. */
  readonly listed?: boolean
  /** Movements of settlements. */
  readonly settlements?: readonly SettlementPart[]
}

/** What a page of records adds to what is known of a settlement. */
export interface SettlementPart {
  readonly gateway: string
  readonly id: string
  /** Null: the page does not have its own record. */
  readonly settledAt: Date | null
  readonly settledPaise: bigint
  readonly chargesPaise: bigint
  readonly parts: number
  readonly partsPaise: bigint
}

/** How many subjects one step compares. */
export const PAGE_SIZE = 40

/** The position behind a page of rows; null when it was not full, so that nothing follows. */
export function positionBehind(rows: readonly { readonly id: Uuid }[], limit = PAGE_SIZE): string | null {
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null)
}
