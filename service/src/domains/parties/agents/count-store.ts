import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

/**
 * Whether an owner has `max` agents or more, without deactivated ones. Exact while the owner's row is locked, as every
 * creation does.
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
 * Counts one more agent of a platform; false if it has `max` already. It is the last statement of a creation, so that
 * concurrent creations wait for the row as briefly as possible.
 */
export async function addToAgentCount(tx: Queryable, platformId: Uuid, max: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into platform_agent_counts as c (platform_id, living) values ($1, 1)
     on conflict (platform_id) do update set living = c.living + 1 where c.living < $2 returning living`,
    [platformId, max],
  )
  return rows.length === 1
}

/** Subtracts deactivated agents from the count of a platform. It is the last statement, as above. */
export async function subtractFromAgentCount(
  tx: Queryable,
  platformId: Uuid,
  deactivated: number,
): Promise<void> {
  if (deactivated === 0) return
  await tx.query(
    `update platform_agent_counts set living = greatest(living - $2::int8, 0) where platform_id = $1`,
    [platformId, deactivated],
  )
}
