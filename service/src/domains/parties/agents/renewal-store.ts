import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'

/** Requests a new default certificate for agents whose name or tier this transaction changes. */
export async function requestRenewals(tx: Queryable, agentIds: readonly Uuid[], now: Date): Promise<void> {
  if (agentIds.length === 0) return
  await tx.query(
    `insert into certificate_renewals (agent_id, requested_at)
     select id, $2 from unnest($1::uuid[]) v(id) on conflict (agent_id) do nothing`,
    [arrayLiteral(agentIds), now],
  )
}

/** The `due` of the job that makes these renewals. */
export const RENEWALS_WAIT = 'exists (select from certificate_renewals)'

/** The oldest requests, without those of unknown agents. */
export async function selectRenewals(db: Queryable, limit: number): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(
    `select r.agent_id as id from certificate_renewals r join agents a on a.id = r.agent_id
     order by r.requested_at, r.agent_id limit $1`,
    [limit],
  )
  return rows.map(({ id }) => id)
}

export async function deleteRenewals(tx: Queryable, agentIds: readonly Uuid[]): Promise<void> {
  await tx.query(`delete from certificate_renewals where agent_id = any($1::uuid[])`, [
    arrayLiteral(agentIds),
  ])
}
