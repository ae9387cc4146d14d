import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

/** How many agents of a platform have money on its way to a bank. Under the locks of their accounts it grows no more. */
export async function countPendingOfPlatform(tx: Queryable, platformId: Uuid): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int4 as count from agents a where a.platform_id = $1
       and exists (select 1 from payouts p where p.agent_id = a.id and p.status = 'pending')`,
    [platformId],
  )
  return row?.count ?? 0
}
