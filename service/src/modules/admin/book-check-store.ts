import type { Queryable } from '../../db/database.ts'

/** When the book was last checked and what came of it; nulls before the first time. */
export interface BookCheck {
  readonly checkedAt: Date | null
  readonly balanced: boolean | null
}

export async function readBookCheck(db: Queryable): Promise<BookCheck> {
  const [row] = await db.query<BookCheck>(`select checked_at as "checkedAt", balanced from book_check`, [])
  return row ?? { checkedAt: null, balanced: null }
}

/** Takes the next check, unless somebody has taken one since `dueBefore`. */
export async function claimBookCheck(db: Queryable, now: Date, dueBefore: Date): Promise<boolean> {
  const rows = await db.query(
    `update book_check set claimed_at = $1 where claimed_at is null or claimed_at < $2 returning only_row`,
    [now, dueBefore],
  )
  return rows.length === 1
}

export async function keepBookCheck(db: Queryable, checkedAt: Date, balanced: boolean): Promise<void> {
  await db.query(`update book_check set checked_at = $1, balanced = $2`, [checkedAt, balanced])
}
