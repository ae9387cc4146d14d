import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'

/** A payment as the rules read it from the book. */
export interface NewPayment {
  readonly id: Uuid
  readonly payer: Uuid
  readonly payee: Uuid
  readonly amountPaise: Paise
}

/** The first transfer behind the cursor, without holding it: how a run finds out that there is nothing to do. */
export async function selectNext(db: Queryable): Promise<Uuid | null> {
  const [row] = await db.query<{ id: Uuid }>(
    `select t.id from risk_cursor c cross join lateral (
       select id from transfers where id > c.position order by id limit 1) t
     where c.name = 'transfers'`,
    [],
  )
  return row?.id ?? null
}

/** Takes the cursor until the commit; null while another node has it. */
export async function lockCursor(tx: Queryable): Promise<Uuid | null> {
  const [row] = await tx.query<{ position: Uuid }>(
    `select position from risk_cursor where name = 'transfers' for update skip locked`,
    [],
  )
  return row?.position ?? null
}

export async function moveCursor(tx: Queryable, position: Uuid): Promise<void> {
  await tx.query(`update risk_cursor set position = $1 where name = 'transfers'`, [position])
}

/** Transfers of all kinds behind a position and below a bound, oldest first: a stretch of the one index by id. */
export function selectTransfers(
  tx: Queryable,
  after: Uuid,
  below: Uuid,
  atMost: number,
): Promise<(NewPayment & { readonly kind: string })[]> {
  return tx.query(
    `select id, debit_account as payer, credit_account as payee, amount_paise as "amountPaise", kind
     from transfers where id > $1 and id < $2 order by id limit $3`,
    [after, below, atMost],
  )
}
