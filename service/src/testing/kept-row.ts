import type { Queryable } from '../db/database.ts'
import type { Uuid } from '../kernel/ids.ts'

/** Saves a row with its MAC; returns a function that restores it. */
export async function keepRow(db: Queryable, table: string, id: Uuid): Promise<() => Promise<void>> {
  const [row] = await db.query<{ kept: string }>(
    `select row_to_json(r)::text as kept from ${table} r where r.id = $1`,
    [id],
  )
  return async () => {
    await db.query(`delete from ${table} where id = $1`, [id])
    await db.query(`insert into ${table} select * from json_populate_record(null::${table}, $1::json)`, [
      row?.kept,
    ])
  }
}
