import type { Tier } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { lockForChange } from '../../ledger/index.ts'
import { HELD_AT_END } from './store.ts'

/**
 * Moves the agents of a verified owner out of the sandbox tier. The owner's row must be locked, so that no agent is
 * created meanwhile; the accounts are locked for the reason given at lockAgent.
 */
export async function raiseAgentsToTier1(tx: Queryable, ownerId: Uuid): Promise<void> {
  const agents = await tx.query<{ id: Uuid }>(`select id from agents where owner_id = $1`, [ownerId])
  const ids = agents.map(agent => agent.id)
  await lockForChange(tx, ids)
  await tx.query(
    `update agents set tier = 'tier1' where id = any($1::uuid[]) and tier = 'sandbox' and status <> 'deactivated'`,
    [ids],
  )
}

/** The agents of an owner that have not ended, and those whose money is held beyond their end. The owner's row must be locked, so that none is created meanwhile. */
export async function selectAgentIdsOfOwner(tx: Queryable, ownerId: Uuid): Promise<Uuid[]> {
  const agents = await tx.query<{ id: Uuid }>(
    `select id from agents where owner_id = $1 and (status <> 'deactivated' or held_as is not null)`,
    [ownerId],
  )
  return agents.map(agent => agent.id)
}

/** Moves the agents of an owner to a tier, whose limits hold from their next payment on. Locks as above. */
export async function setAgentsTier(tx: Queryable, ownerId: Uuid, tier: Tier): Promise<void> {
  const ids = await selectAgentIdsOfOwner(tx, ownerId)
  await lockForChange(tx, ids)
  await tx.query(
    `update agents set tier = $2 where id = any($1::uuid[]) and tier <> $2 and status <> 'deactivated'`,
    [ids, tier],
  )
}

/**
 * Ends all agents of a platform, unless one has money left or still could pay what it owes: then nothing is done and the
 * answer says how many have. What an ended agent owes nobody can pay any more.
 * The platform's row must be locked, so that no agent is created meanwhile. Under the accounts' locks no payment or
 * funding is in flight, and the next one finds its agent deactivated.
 */
export async function deactivateAgentsOfPlatform(
  tx: Queryable,
  platformId: Uuid,
  clock: Clock,
): Promise<{ readonly withBalance: number }> {
  const agents = await tx.query<{ id: Uuid }>(`select id from agents where platform_id = $1`, [platformId])
  const ids = agents.map(agent => agent.id)
  await lockForChange(tx, ids)
  const [row] = await tx.query<{ count: bigint }>(
    `select count(*) as count from accounts a join agents g on g.id = a.id
     where a.id = any($1::uuid[]) and (a.balance_paise > 0 or a.balance_paise < 0 and g.status <> 'deactivated')`,
    [ids],
  )
  const withBalance = Number(row?.count ?? 0)
  if (withBalance > 0) return { withBalance }
  await tx.query(
    `update agents set status = 'deactivated', key_hash = '', deactivated_at = coalesce(deactivated_at, $2),
       held_as = ${HELD_AT_END}
     where id = any($1::uuid[])`,
    [ids, clock.now()],
  )
  return { withBalance }
}
