import assert from 'node:assert/strict'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

/** The UPI id of a collect request by its keyed hash, and the owner whose agent is funded. */
export interface CollectParties {
  readonly upiIndex: Buffer
  readonly ownerId: Uuid
}

/** The owner of an agent. */
export async function selectOwnerId(db: Queryable, agentId: Uuid): Promise<Uuid> {
  const [agent] = await db.query<{ ownerId: Uuid }>(
    `select owner_id as "ownerId" from agents where id = $1`,
    [agentId],
  )
  assert(agent !== undefined, 'agents are never deleted')
  return agent.ownerId
}

/** Lets requests of one UPI id or one owner be counted one after the other until the commit, on all nodes. */
export async function lockCollects(tx: Queryable, { upiIndex, ownerId }: CollectParties): Promise<void> {
  const keys = [upiIndex.toString('hex'), ownerId].toSorted()
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended('upi_collects ' || key, 0)) from unnest($1::text[]) key`,
    [keys],
  )
}

/** An earlier request that was sent to the same UPI id, or for the same owner. */
export interface SentCollect {
  readonly sentAt: Date
  readonly isSameUpiId: boolean
  readonly isSameOwner: boolean
}

/** The earlier requests since a moment whose fundings were not paid, oldest first. */
export async function selectUnpaidCollects(
  db: Queryable,
  { upiIndex, ownerId }: CollectParties,
  since: Date,
): Promise<SentCollect[]> {
  return db.query<SentCollect>(
    `select c.sent_at as "sentAt", c.upi_index = $1 as "isSameUpiId", c.owner_id = $2 as "isSameOwner"
     from upi_collects c
     where (c.upi_index = $1 or c.owner_id = $2) and c.sent_at > $3
       and not exists (select from fundings f where f.id = c.funding_id and f.status = 'completed')
     order by c.sent_at`,
    [upiIndex, ownerId, since],
  )
}

export async function insertCollect(
  tx: Queryable,
  { upiIndex, ownerId }: CollectParties,
  { id, fundingId, sentAt }: { readonly id: Uuid; readonly fundingId: Uuid; readonly sentAt: Date },
): Promise<void> {
  await tx.query(
    `insert into upi_collects (id, upi_index, owner_id, funding_id, sent_at) values ($1, $2, $3, $4, $5)`,
    [id, upiIndex, ownerId, fundingId, sentAt],
  )
}

export async function deleteCollect(db: Queryable, id: Uuid): Promise<void> {
  await db.query(`delete from upi_collects where id = $1`, [id])
}

/** Deletes a bounded batch of requests that were sent before a moment. Returns the number deleted. */
export async function deleteCollectsBefore(db: Queryable, moment: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from upi_collects where id in (
       select id from upi_collects where sent_at <= $1 order by sent_at limit $2 for update skip locked)
     returning id`,
    [moment, limit],
  )
  return rows.length
}
