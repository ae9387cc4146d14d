import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import { refundedOf } from '../../ledger/index.ts'
import type { NonceUse } from './decide-verification.ts'

/**
 * Uses a nonce of a payee up; false when it was used before, or when this very use was undone. Of any number at once
 * exactly one gets true.
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
  // Apart, because "on conflict do update" locks the row, and commits, also where a use is refused.
  const again = await db.query(
    `update consumed_nonces set payment_id = $3, consume_id = $4, consumed_at = $5
     where payee = $1 and nonce = $2 and consumed_at is null and array_position(undone_consume_ids, $4) is null
     returning nonce`,
    values,
  )
  return again.length === 1
}

/** How many undone uses of one nonce are remembered: none is late behind so many others. */
const MAX_UNDONE = 16

/**
 * Makes the nonce of exactly this use good again; false when there is none such. Of any number at once exactly one gets
 * true. A use without a name of its own equals none.
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

/** What was given back of a payment so far. */
export async function selectRefunded(db: Queryable, paymentId: Uuid): Promise<Paise> {
  const [row] = await db.query<{ refunded: Paise }>(`select ${refundedOf('$1')} as refunded`, [paymentId])
  return row?.refunded ?? (0n as Paise)
}
