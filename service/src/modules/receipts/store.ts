import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Transfer } from '../../ledger/index.ts'

/** A transfer as it lies in the book, with the seal that it got when it was posted. */
export interface SealedTransfer {
  readonly transfer: Transfer
  readonly seal: Buffer
}

/** All rows with this id; there is one at the most unless somebody has written to the book by hand. */
export async function selectSealed(db: Queryable, id: Uuid): Promise<SealedTransfer[]> {
  const rows = await db.query<Transfer & { seal: Buffer }>(
    `select id, kind, debit_account as "debitAccount", credit_account as "creditAccount",
       amount_paise as "amountPaise", fee_paise as "feePaise", debit_balance_paise as "debitBalancePaise",
       credit_balance_paise as "creditBalancePaise", debit_sequence as "debitSequence",
       credit_sequence as "creditSequence", posted_at as "postedAt", linked_id as "linkedId",
       idempotency_key as "idempotencyKey", reference, note, seal
     from transfers where id = $1`,
    [id],
  )
  return rows.map(({ seal, ...transfer }) => ({ transfer, seal }))
}

/** One side of a payment: its name, and whose it is. */
export interface Party {
  readonly id: Uuid
  readonly handle: string
  readonly platformId: Uuid
  readonly ownerId: Uuid
}

export async function selectParties(db: Queryable, ids: readonly Uuid[]): Promise<Party[]> {
  return db.query<Party>(
    `select id, handle, platform_id as "platformId", owner_id as "ownerId" from agents where id = any($1::uuid[])`,
    [ids],
  )
}
