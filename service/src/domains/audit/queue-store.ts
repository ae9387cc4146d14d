import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'

/** The leaves that one commit queued for the tree. They are not verified. */
export interface QueuedRow {
  readonly id: Uuid
  /** As an array literal, as it was sealed. */
  readonly ids: string
  readonly hashes: Buffer
  readonly seal: Buffer
}

/** How much is read at once. */
export interface QueueLimits {
  readonly rows: number
  /** The row that exceeds it is the last. */
  readonly leaves: number
}

/** The queued rows in the order of their ids. Only the transaction that has locked the tree may remove them. */
export async function selectQueue(tx: Queryable, limits: QueueLimits): Promise<QueuedRow[]> {
  return tx.query<QueuedRow>(
    `select id, ids::text as ids, hashes, seal
     from (
       select q.id, q.ids, q.hashes, q.seal, sum(cardinality(q.ids)) over (order by q.id) - cardinality(q.ids) as before
       from (select id, ids, hashes, seal from audit_queue order by id limit $1) q
     ) counted
     where before < $2 order by id`,
    [limits.rows, limits.leaves],
  )
}

export async function deleteQueued(tx: Queryable, ids: readonly Uuid[]): Promise<void> {
  await tx.query(`delete from audit_queue where id = any($1::uuid[])`, [arrayLiteral(ids)])
}

/** Moves rows that must not be appended to the tree to audit_refused. */
export async function refuseQueued(tx: Queryable, ids: readonly Uuid[], now: Date): Promise<void> {
  await tx.query(
    `with refused as (delete from audit_queue where id = any($1::uuid[]) returning id, ids, hashes, seal)
     insert into audit_refused (id, ids, hashes, seal, refused_at)
     select id, ids, hashes, seal, $2 from refused`,
    [arrayLiteral(ids), now],
  )
}

/** Which of these entries are in the tree already. */
export async function selectIntegrated(db: Queryable, ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>> {
  if (ids.length === 0) return new Set()
  const sorted = ids.toSorted()
  const rows = await db.query<{ id: Uuid }>(
    `select known.id from audit_tiles t, unnest(t.ids) known(id)
     where t.level = 0 and t.max_id >= $1 and t.min_id <= $2 and known.id = any($3::uuid[])`,
    [sorted.at(0), sorted.at(-1), arrayLiteral(sorted)],
  )
  return new Set(rows.map(row => row.id))
}

/** Whether an entry is in the queue. */
export async function isQueued(db: Queryable, id: Uuid): Promise<boolean> {
  const rows = await db.query(`select 1 from audit_queue where ids @> array[$1::uuid]`, [id])
  return rows.length > 0
}
