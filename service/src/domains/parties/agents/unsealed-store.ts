import type { AgentStatus, Tier } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { AgentIdentity } from './agent-seal.ts'
import { IDENTITY_COLUMNS } from './sealed-store.ts'

export interface UnsealedAgent extends AgentIdentity {
  readonly name: string
  readonly status: AgentStatus
  readonly tier: Tier
}

/**
 * The log began with the seals: it tells of every agent with a seal where that comes from. Who takes a seal away, so as
 * to get another, would have to take that out of the log too.
 */
const UNSEALED = `a.seal is null and not exists (select from audit_entries e
  where e.agent_id = a.id and e.action in ('agent.created', 'agent.sealed'))`

export async function selectUnsealedIds(db: Queryable, after: Uuid | null, limit: number): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(
    `select a.id from agents a where ${UNSEALED} and ($1::uuid is null or a.id > $1) order by a.id limit $2`,
    [after, limit],
  )
  return rows.map(({ id }) => id)
}

export async function selectUnsealed(tx: Queryable, ids: readonly Uuid[]): Promise<UnsealedAgent[]> {
  return tx.query<UnsealedAgent>(
    `select ${IDENTITY_COLUMNS}, a.name, a.status, a.tier
     from agents a where ${UNSEALED} and a.id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
}

export async function updateSeals(
  tx: Queryable,
  seals: readonly { readonly id: Uuid; readonly seal: Buffer }[],
): Promise<void> {
  await tx.query(
    `update agents a set seal = decode(v.seal, 'hex') from unnest($1::uuid[], $2::text[]) v(id, seal) where a.id = v.id`,
    [
      arrayLiteral(seals.map(({ id }) => id)),
      textArrayLiteral(seals.map(({ seal }) => seal.toString('hex'))),
    ],
  )
}
