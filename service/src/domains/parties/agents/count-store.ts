import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

/**
 * Whether an owner has `max` agents that have not ended, or more. Exact while the owner's row is locked, as it is in
 * every creation.
 */
export async function ownerIsFull(tx: Queryable, ownerId: Uuid, max: number): Promise<boolean> {
  const [row] = await tx.query<{ count: bigint }>(
    `select count(*) as count from (
       select from agents where owner_id = $1 and status <> 'deactivated' limit $2) living`,
    [ownerId, max],
  )
  return Number(row?.count ?? 0) >= max
}

/**
 * Counts one more agent of a platform; false when it has `max` already. The last statement of a creation: whoever
 * counts next waits until the commit, and no longer.
 */
export async function countAgentIn(tx: Queryable, platformId: Uuid, max: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into platform_agent_counts as c (platform_id, living) values ($1, 1)
     on conflict (platform_id) do update set living = c.living + 1 where c.living < $2 returning living`,
    [platformId, max],
  )
  return rows.length === 1
}

/** Counts agents of a platform that have ended. The last statement, as above. */
export async function countAgentsOut(tx: Queryable, platformId: Uuid, ended: number): Promise<void> {
  if (ended === 0) return
  await tx.query(
    `update platform_agent_counts set living = greatest(living - $2::int8, 0) where platform_id = $1`,
    [platformId, ended],
  )
}
