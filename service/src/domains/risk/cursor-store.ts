import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Waiting } from './pace.ts'

/** What waits between the cursor and a bound, without holding the cursor: how a run finds out whether it is due. */
export async function selectWaiting(db: Queryable, below: Uuid, crowd: number): Promise<Waiting | null> {
  const [row] = await db.query<Waiting>(
    `select n.id as next, d.id as crowd
     from risk_cursor c
     cross join lateral (select id from transfers where id > c.position and id < $1 order by id limit 1) n
     left join lateral (
       select id from transfers where id > c.position and id < $1 order by id offset $2 limit 1) d on true
     where c.name = 'transfers'`,
    [below, crowd],
  )
  return row ?? null
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
