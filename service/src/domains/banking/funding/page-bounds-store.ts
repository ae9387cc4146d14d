import type { Queryable } from '../../../db/database.ts'
import type { FundingKey } from './funding.ts'

/**
 * Claims the right to query the gateway if no call has claimed it after `before`; true for one of all concurrent calls.
 */
export async function claimPageQuery(
  db: Queryable,
  key: FundingKey,
  now: Date,
  before: Date,
): Promise<boolean> {
  const rows = await db.query(
    `update fundings set page_asked_at = $3
     where agent_id = $1 and id = $2 and (page_asked_at is null or page_asked_at <= $4)
     returning id`,
    [key.agentId, key.id, now, before],
  )
  return rows.length > 0
}

/** The same for a UPI collect, whose number in a session is limited. */
export async function claimCollect(
  db: Queryable,
  key: FundingKey,
  now: Date,
  before: Date,
  most: number,
): Promise<boolean> {
  const rows = await db.query(
    `update fundings set page_asked_at = $3, collects = collects + 1
     where agent_id = $1 and id = $2 and collects < $5 and (page_asked_at is null or page_asked_at <= $4)
     returning id`,
    [key.agentId, key.id, now, before, most],
  )
  return rows.length > 0
}

/** Releases the claim. */
export async function releasePageQuery(db: Queryable, key: FundingKey): Promise<void> {
  await db.query('update fundings set page_asked_at = null where agent_id = $1 and id = $2', [
    key.agentId,
    key.id,
  ])
}

/** How many UPI collects a session has had. */
export async function selectCollects(db: Queryable, key: FundingKey): Promise<number> {
  const [row] = await db.query<{ collects: number }>(
    'select collects::int4 as collects from fundings where agent_id = $1 and id = $2',
    [key.agentId, key.id],
  )
  return row?.collects ?? 0
}
