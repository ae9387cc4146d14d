import type { Queryable } from '../../../db/database.ts'

/** Counts one event of a subject on an IST day. Returns the number on that day, this one included. */
export async function countOfDay(tx: Queryable, subject: string, istDay: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `insert into daily_counts as c (subject, ist_day, count) values ($1, $2, 1)
     on conflict (subject) do update set ist_day = excluded.ist_day,
       count = case when c.ist_day = excluded.ist_day then c.count + 1 else 1 end
     returning count`,
    [subject, istDay],
  )
  return row?.count ?? 1
}
