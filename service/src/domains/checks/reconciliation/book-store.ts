import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { TransferKind } from '../../../ledger/index.ts'
import type { PageBounds } from './page-bounds.ts'

/** A transfer between the wallets and what lies outside, and the row that it must belong to. */
export interface OutsideTransfer {
  readonly id: Uuid
  readonly kind: TransferKind
  readonly rowId: Uuid
  readonly debitAccount: Uuid
  readonly creditAccount: Uuid
  readonly amountPaise: Paise
  readonly feePaise: Paise
  readonly postedAt: Date
}

const SELECT = `
  select id, kind, coalesce(linked_id, id) as "rowId", debit_account as "debitAccount",
    credit_account as "creditAccount", amount_paise as "amountPaise", fee_paise as "feePaise",
    posted_at as "postedAt" from transfers`

const DEBITED = `${SELECT} where debit_account = $1 and id > $2 and id < $3 order by id limit $4`
const CREDITED = `${SELECT} where credit_account = $1 and id > $2 and id < $3 order by id limit $4`

/** A page of the transfers that one system account stands on that side of. */
export function readTransferPage(
  db: Queryable,
  account: Uuid,
  side: 'debit' | 'credit',
  { after, before, limit }: PageBounds,
): Promise<OutsideTransfer[]> {
  return db.query<OutsideTransfer>(side === 'debit' ? DEBITED : CREDITED, [account, after, before, limit])
}

/** The transfers of one row. */
export function readTransfersOf(db: Queryable, rowId: Uuid): Promise<OutsideTransfer[]> {
  return db.query<OutsideTransfer>(`${SELECT} where (id = $1 or linked_id = $1) order by id`, [rowId])
}

/** Which of these are fundings or payouts. */
export async function knownRows(db: Queryable, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set()
  const rows = await db.query<{ id: Uuid }>(
    `select id from fundings where id = any($1::uuid[]) union all select id from payouts where id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
  return new Set(rows.map(row => row.id))
}
