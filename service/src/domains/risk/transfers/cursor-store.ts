import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { UnreadTransfers } from './next-stretch.ts'

/** The first transfers between the cursor and a bound, read without a lock. Shows whether an evaluation is due. */
export async function selectUnread(
  db: Queryable,
  below: Uuid,
  heavyLoadTransfers: number,
): Promise<UnreadTransfers | null> {
  const [row] = await db.query<UnreadTransfers>(
    `select n.id as next, d.id as "heavyLoadId"
     from risk_cursor c
     cross join lateral (select id from transfers where id > c.position and id < $1 order by id limit 1) n
     left join lateral (
       select id from transfers where id > c.position and id < $1 order by id offset $2 limit 1) d on true
     where c.name = 'transfers'`,
    [below, heavyLoadTransfers],
  )
  return row ?? null
}

/** Locks the cursor until the commit; null while another node has locked it. */
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
