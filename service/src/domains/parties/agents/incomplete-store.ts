import type { AgentStatus, Tier } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { AgentIdentity } from './identity-mac.ts'
import { IDENTITY_COLUMNS } from './proven-store.ts'

export interface AgentWithoutMac extends AgentIdentity {
  readonly name: string
  readonly status: AgentStatus
  readonly tier: Tier
}

/**
 * Agents without a MAC. The audit log is as old as these MACs, so it records the creation of every agent with a MAC.
 * Someone who removes a MAC to get a new one would have to remove that entry too.
 */
const WITHOUT_MAC = `a.seal is null and not exists (select from audit_entries e
  where e.agent_id = a.id and e.action in ('agent.created', 'agent.sealed'))`

export async function selectIdsWithoutMac(db: Queryable, after: Uuid | null, limit: number): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(
    `select a.id from agents a where ${WITHOUT_MAC} and ($1::uuid is null or a.id > $1) order by a.id limit $2`,
    [after, limit],
  )
  return rows.map(({ id }) => id)
}

export async function selectWithoutMac(tx: Queryable, ids: readonly Uuid[]): Promise<AgentWithoutMac[]> {
  return tx.query<AgentWithoutMac>(
    `select ${IDENTITY_COLUMNS}, a.name, a.status, a.tier
     from agents a where ${WITHOUT_MAC} and a.id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
}

export async function updateIdentityMacs(
  tx: Queryable,
  macs: readonly { readonly id: Uuid; readonly mac: Buffer }[],
): Promise<void> {
  await tx.query(
    `update agents a set seal = decode(v.mac, 'hex') from unnest($1::uuid[], $2::text[]) v(id, mac) where a.id = v.id`,
    [arrayLiteral(macs.map(({ id }) => id)), textArrayLiteral(macs.map(({ mac }) => mac.toString('hex')))],
  )
}
