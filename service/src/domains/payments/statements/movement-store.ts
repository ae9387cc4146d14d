import type { TransactionStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

/** How the movement with an id stands, of whatever kind it is; null when there is none. */
export async function selectMovementStatus(db: Queryable, id: Uuid): Promise<TransactionStatus | null> {
  // A funding and a payout share their id with a transfer of theirs, which does not tell what became of them.
  const [row] = await db.query<{ status: TransactionStatus }>(
    `select coalesce(
       (select status from fundings where id = $1 limit 1),
       (select status from payouts where id = $1 limit 1),
       (select 'completed' from transfers where id = $1 limit 1)
     ) as status`,
    [id],
  )
  return row?.status ?? null
}
