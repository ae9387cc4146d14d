import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Actor, recordFacts } from '../../../operations/facts.ts'
import { countWithBalance, deactivateAgents, selectLivingOfPlatform } from '../agents/group-store.ts'
import { platformNotFound } from './access.ts'
import type { PlatformsContext } from './context.ts'
import { platformFact } from './facts.ts'
import { lockPlatform, type Platform, selectPlatform, updatePlatform } from './store.ts'

/**
 * Deletes a platform without any money, also in escrow and in pending payouts, and deactivates its agents. A refusal
 * comes before any lock. The agents of a large platform are deactivated in batches, so that no transaction holds all
 * their locks; the last batch and the platform share one commit. If money arrives in between, the deletion is refused
 * at that batch and may be repeated: the agents deactivated so far had no money, and new ones can be created.
 */
export async function deletePlatform(
  context: PlatformsContext,
  actor: Actor,
  platformId: Uuid,
): Promise<Platform> {
  const { database } = context
  const found = await selectPlatform(database, platformId)
  if (found === null) throw platformNotFound()
  await requireNoMoney(context, database, platformId)
  let after: Uuid | null = null
  for (;;) {
    const { deleted, last } = await deleteSome(context, { actor, platformId, after })
    if (deleted !== null) return deleted
    after = last
  }
}

interface Batch {
  readonly actor: Actor
  readonly platformId: Uuid
  /** Agents up to this one are deactivated. */
  readonly after: Uuid | null
}

/**
 * Deactivates a batch of agents, and deletes the platform with the last batch. Lock order: the platform, then accounts
 * in the order of their ids. So a payment, a funding or a new agent either commits before and its balance counts, or
 * comes after and finds a deactivated agent.
 */
function deleteSome(
  context: PlatformsContext,
  { actor, platformId, after }: Batch,
): Promise<{ readonly deleted: Platform | null; readonly last: Uuid | null }> {
  const { database, clock, vault } = context
  const recording = { actor, vault, now: clock.now() }
  return database.inTransaction(
    async tx => {
      const platform = await lockPlatform(tx, vault, platformId)
      if (platform === null) throw platformNotFound()
      const { ids, areAll } = await selectLivingOfPlatform(tx, platformId, after)
      const { withBalance } = await deactivateAgents(tx, platformId, ids, recording)
      if (withBalance > 0) throw hasBalances(withBalance)
      if (!areAll) return { deleted: null, last: ids.at(-1) ?? null }
      // An agent created meanwhile may have a lower id, because clocks differ. From here on none can be created.
      if (after !== null && !(await hasEnded(tx, platformId))) return { deleted: null, last: null }
      await requireNoMoney(context, tx, platformId)
      if (platform.status === 'deleted') return { deleted: platform, last: null }
      const deleted: Platform = { ...platform, status: 'deleted' }
      const versions = await updatePlatform(tx, vault, deleted)
      const fact = platformFact(actor, 'platform.deleted', platformId)
      await recordFacts(tx, vault, recording.now, [fact], versions)
      return { deleted, last: null }
    },
    { turns: [platformId] },
  )
}

async function hasEnded(tx: Queryable, platformId: Uuid): Promise<boolean> {
  return (await selectLivingOfPlatform(tx, platformId, null)).ids.length === 0
}

/** Money elsewhere is counted before balances: if it arrives in between, it is then in a balance. */
async function requireNoMoney(
  { countMoneyElsewhere }: PlatformsContext,
  db: Queryable,
  platformId: Uuid,
): Promise<void> {
  const { withEscrow, withAuthorization, withPayout } = await countMoneyElsewhere(db, platformId)
  const withBalance = await countWithBalance(db, platformId)
  if (withBalance > 0) throw hasBalances(withBalance)
  if (withEscrow > 0) throw hasEscrow(withEscrow)
  if (withAuthorization > 0) throw hasAuthorizations(withAuthorization)
  if (withPayout > 0) throw hasPayouts(withPayout)
}

function hasBalances(agents: number): AppError {
  return new AppError('conflict', `${someOf(agents)} a balance; withdraw it first, or fund what is owed`, {
    details: { agents_with_balance: agents },
  })
}

function hasEscrow(agents: number): AppError {
  return new AppError('conflict', `${someOf(agents)} money in escrow; release or refund it first`, {
    details: { agents_with_escrow: agents },
  })
}

function hasAuthorizations(agents: number): AppError {
  return new AppError(
    'conflict',
    `${someOf(agents)} open authorizations; close them and wait until they end`,
    {
      details: { agents_with_authorization: agents },
    },
  )
}

function hasPayouts(agents: number): AppError {
  return new AppError('conflict', `${someOf(agents)} money on its way to a bank; wait until it has arrived`, {
    details: { agents_with_payout: agents },
  })
}

function someOf(agents: number): string {
  return agents === 1 ? 'One agent of this platform has' : `${agents} agents of this platform have`
}
