import type { AgentStatus, Tier } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { writeMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Recording, recordFacts } from '../../../operations/facts.ts'
import { AGENT_ROWS, lockAgentsForChange, recordPolicyVersions } from '../../limits/index.ts'
import { subtractFromAgentCount } from './count-store.ts'
import { endDependents } from './end-agents.ts'
import { agentFact, deactivatedFact } from './facts.ts'
import { requestRenewals } from './renewal-store.ts'
import { blockedAtDeactivation } from './store.ts'

/**
 * Moves the agents of a verified owner from the sandbox tier to tier1. The caller holds the lock of the owner's row, so
 * that no agent is created meanwhile; the accounts are locked for the reason given at lockAgent.
 */
export async function raiseAgentsToTier1(tx: Queryable, ownerId: Uuid, recording: Recording): Promise<void> {
  const agents = await tx.query<{ id: Uuid }>(
    `select id from agents where owner_id = $1 and status <> 'deactivated' and tier = 'sandbox'`,
    [ownerId],
  )
  await moveToTier(
    tx,
    agents.map(agent => agent.id),
    { to: 'tier1', onlyFrom: 'sandbox' },
    recording,
  )
}

/**
 * The agents of an owner that are not deactivated, and deactivated ones whose money is still blocked. The caller holds
 * the lock of the owner's row, so that no agent is created meanwhile.
 */
export async function selectAgentIdsOfOwner(tx: Queryable, ownerId: Uuid): Promise<Uuid[]> {
  const agents = await tx.query<{ id: Uuid }>(
    `select id from agents where owner_id = $1 and (status <> 'deactivated' or held_as is not null)`,
    [ownerId],
  )
  return agents.map(agent => agent.id)
}

/** Moves the agents of an owner to a tier, whose limits apply from their next payment on. Locks as above. */
export async function setAgentsTier(
  tx: Queryable,
  ownerId: Uuid,
  tier: Tier,
  recording: Recording,
): Promise<void> {
  const agents = await tx.query<{ id: Uuid }>(
    `select id from agents where owner_id = $1 and status <> 'deactivated' and tier <> $2`,
    [ownerId, tier],
  )
  await moveToTier(
    tx,
    agents.map(({ id }) => id),
    { to: tier, onlyFrom: null },
    recording,
  )
}

async function moveToTier(
  tx: Queryable,
  ids: readonly Uuid[],
  { to, onlyFrom }: { readonly to: Tier; readonly onlyFrom: Tier | null },
  { actor, vault, now }: Recording,
): Promise<void> {
  await lockAgentsForChange(tx, vault, ids)
  const moved = await tx.query<{ id: Uuid; from: Tier }>(
    `update agents a set tier = $2 from agents before
     where a.id = any($1::uuid[]) and before.id = a.id and a.tier <> $2 and ($3::text is null or a.tier = $3)
       and a.status <> 'deactivated'
     returning a.id, before.tier as "from"`,
    [ids, to, onlyFrom],
  )
  const facts = moved.map(({ id, from }) => agentFact(actor, 'agent.tier_changed', { id }, { from, to }))
  const movedIds = moved.map(({ id }) => id)
  const versions = await writeMacs(tx, vault, AGENT_ROWS, movedIds)
  await recordFacts(tx, vault, now, facts, versions)
  await recordPolicyVersions(tx, movedIds, { vault, now, actor })
  await requestRenewals(tx, movedIds, now)
}

/** How many agents of a platform have money left, or owe money and are not deactivated. Takes no locks. */
export async function countWithBalance(db: Queryable, platformId: Uuid): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from accounts a join agents g on g.id = a.id
     where g.platform_id = $1 and (a.balance_paise > 0 or a.balance_paise < 0 and g.status <> 'deactivated')`,
    [platformId],
  )
  return Number(row?.count ?? 0)
}

const AGENTS_AT_ONCE = 500

/** A bounded number of agents of a platform behind `after`, in the order of their ids, without deactivated ones. */
export async function selectLivingOfPlatform(
  tx: Queryable,
  platformId: Uuid,
  after: Uuid | null,
): Promise<{ readonly ids: readonly Uuid[]; readonly areAll: boolean }> {
  const agents = await tx.query<{ id: Uuid }>(
    `select id from agents
     where platform_id = $1 and status <> 'deactivated' and ($2::uuid is null or id > $2) order by id limit $3`,
    [platformId, after, AGENTS_AT_ONCE + 1],
  )
  const ids = agents.map(({ id }) => id).slice(0, AGENTS_AT_ONCE)
  return { ids, areAll: agents.length <= AGENTS_AT_ONCE }
}

/**
 * Deactivates these agents of a platform, unless any has money left or owes money: then nothing changes and the result
 * says how many do. A debt of a deactivated agent cannot be paid any more. The caller holds the lock of the platform's
 * row. Under the accounts' locks no payment or funding is in flight, and the next one finds its agent deactivated.
 */
export async function deactivateAgents(
  tx: Queryable,
  platformId: Uuid,
  ids: readonly Uuid[],
  recording: Recording,
): Promise<{ readonly withBalance: number }> {
  await lockAgentsForChange(tx, recording.vault, ids)
  const [row] = await tx.query<{ count: bigint }>(
    `select count(*) as count from accounts where id = any($1::uuid[]) and balance_paise <> 0`,
    [ids],
  )
  const withBalance = Number(row?.count ?? 0)
  if (withBalance > 0) return { withBalance }
  const ended = await tx.query<{ id: Uuid; from: AgentStatus }>(
    `update agents a set status = 'deactivated', key_hash = '', deactivated_at = coalesce(a.deactivated_at, $2),
       held_as = ${blockedAtDeactivation('a')}
     from agents before where a.id = any($1::uuid[]) and before.id = a.id and a.status <> 'deactivated'
     returning a.id, before.status as "from"`,
    [ids, recording.now],
  )
  const endedIds = ended.map(({ id }) => id)
  const { facts, versions } = await endDependents(tx, endedIds, recording)
  const deactivated = ended.map(({ id, from }) => deactivatedFact(recording.actor, id, from))
  await recordFacts(tx, recording.vault, recording.now, [...deactivated, ...facts], versions)
  await recordPolicyVersions(tx, endedIds, recording)
  await subtractFromAgentCount(tx, platformId, ended.length)
  return { withBalance }
}
