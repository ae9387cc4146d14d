import type { Queryable } from '../../db/database.ts'
import { type KeyedRead, rowOf } from '../../db/gathered.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import { refundedOf } from '../../ledger/index.ts'
import type { NonceUse } from './decide-verification.ts'

/**
 * Consumes a payee's nonce. Returns false when it was consumed before, or when this very use was undone. Of any
 * number of concurrent calls exactly one gets true.
 */
export async function takeUse(
  db: Queryable,
  payee: Uuid,
  nonce: string,
  { paymentId, consumeId }: NonceUse,
  now: Date,
): Promise<boolean> {
  const values = [payee, nonce, paymentId, consumeId, now]
  const first = await db.query(
    `insert into consumed_nonces (payee, nonce, payment_id, consume_id, consumed_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning nonce`,
    values,
  )
  if (first.length === 1) return true
  // A separate statement, because "on conflict do update" locks the row, and commits, also where a use is refused.
  const again = await db.query(
    `update consumed_nonces set payment_id = $3, consume_id = $4, consumed_at = $5
     where payee = $1 and nonce = $2 and consumed_at is null and array_position(undone_consume_ids, $4) is null
     returning nonce`,
    values,
  )
  return again.length === 1
}

/** The number of undone uses that are remembered for one nonce. No delayed request is behind so many others. */
const MAX_UNDONE = 16

/**
 * Restores the nonce of exactly this use; returns false when there is no such use. Of any number of concurrent calls
 * exactly one gets true. A use without a `consume_id` equals none.
 */
export async function undoUse(
  db: Queryable,
  payee: Uuid,
  nonce: string,
  { paymentId, consumeId }: NonceUse,
): Promise<boolean> {
  const rows = await db.query(
    `update consumed_nonces
     set consumed_at = null, undone_consume_ids = (array_prepend(consume_id, undone_consume_ids))[1:${MAX_UNDONE}]
     where payee = $1 and nonce = $2 and payment_id = $3 and consume_id = $4 and consumed_at is not null
     returning nonce`,
    [payee, nonce, paymentId, consumeId],
  )
  return rows.length === 1
}

export async function selectUse(db: Queryable, payee: Uuid, nonce: string): Promise<NonceUse | null> {
  const [row] = await db.query<NonceUse>(
    `select payment_id as "paymentId", consume_id as "consumeId" from consumed_nonces
     where payee = $1 and nonce = $2 and consumed_at is not null`,
    [payee, nonce],
  )
  return row ?? null
}

/** The amount of a payment that was refunded so far. */
const REFUNDED: KeyedRead<{ id: Uuid; refunded: Paise }> = {
  text: `select payment.id, ${refundedOf('payment.id')} as refunded from unnest($1::uuid[]) payment(id)`,
  keyOf: ({ id }) => id,
}

export async function selectRefunded(db: Queryable, paymentId: Uuid): Promise<Paise> {
  const row = await rowOf(db, REFUNDED, paymentId)
  return row?.refunded ?? (0n as Paise)
}
