import type { Queryable } from '../../../db/database.ts'

/*
 * A day never goes back: after midnight, an event of a node whose clock is still before midnight counts for the new day.
 */

/** Counts one event of a subject on an IST day. Returns the number on that day, this one included. */
export async function countOfDay(tx: Queryable, subject: string, istDay: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `insert into daily_counts as c (subject, ist_day, count) values ($1, $2, 1)
     on conflict (subject) do update set ist_day = greatest(c.ist_day, excluded.ist_day),
       count = case when c.ist_day >= excluded.ist_day then c.count + 1 else 1 end
     returning count`,
    [subject, istDay],
  )
  return row?.count ?? 1
}

/** The number of events of a subject on an IST day. */
export async function readCountOfDay(tx: Queryable, subject: string, istDay: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count from daily_counts where subject = $1 and ist_day >= $2`,
    [subject, istDay],
  )
  return row?.count ?? 0
}

/** The number of events of a subject on an IST day, which no other transaction changes until the commit. */
export async function lockCountOfDay(tx: Queryable, subject: string, istDay: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `insert into daily_counts as c (subject, ist_day, count) values ($1, $2, 0)
     on conflict (subject) do update set ist_day = c.ist_day
     returning case when ist_day >= $2 then count else 0 end::int4 as count`,
    [subject, istDay],
  )
  return row?.count ?? 0
}
