import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Actor } from '../../../operations/act.ts'
import { recordFacts } from '../../../operations/record.ts'
import { countWithBalance, deactivateAgents, selectLivingOfPlatform } from '../agents/group-store.ts'
import { platformNotFound } from './access.ts'
import { platformAct } from './acts.ts'
import type { PlatformsContext } from './context.ts'
import { lockPlatform, type Platform, selectPlatform, updatePlatform } from './store.ts'

/**
 * Ends a platform that holds nobody's money, in escrow and under way included, and its agents with it. What is refused
 * is refused before any lock. The agents of a large platform end in batches, so that nobody waits for all of them; the
 * last batch and the platform end in one commit. Should money arrive in between, the deletion is refused at that batch
 * and may be repeated: the agents that have ended had nothing, and new ones can be created.
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
  /** Agents up to this one have ended. */
  readonly after: Uuid | null
}

/**
 * Ends some agents, and with the last of them the platform. The locks are taken from the general to the particular,
 * platform, then accounts in order, as everywhere: so a payment, a funding or a new agent comes either before, and its
 * balance counts, or after, and finds no agent that takes it.
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
      // One that was created meanwhile may have an id before those: clocks differ. From here on none is created.
      if (after !== null && !(await hasEnded(tx, platformId))) return { deleted: null, last: null }
      await requireNoMoney(context, tx, platformId)
      if (platform.status === 'deleted') return { deleted: platform, last: null }
      const deleted: Platform = { ...platform, status: 'deleted' }
      const versions = await updatePlatform(tx, vault, deleted)
      const act = platformAct(actor, 'platform.deleted', platformId)
      await recordFacts(tx, vault, recording.now, [act], versions)
      return { deleted, last: null }
    },
    { turns: [platformId] },
  )
}

async function hasEnded(tx: Queryable, platformId: Uuid): Promise<boolean> {
  return (await selectLivingOfPlatform(tx, platformId, null)).ids.length === 0
}

/** Money elsewhere is counted first: when it arrives it is in a balance, and those are counted afterwards. */
async function requireNoMoney(
  { countMoneyElsewhere }: PlatformsContext,
  db: Queryable,
  platformId: Uuid,
): Promise<void> {
  const { withEscrow, withPayout } = await countMoneyElsewhere(db, platformId)
  const withBalance = await countWithBalance(db, platformId)
  if (withBalance > 0) throw hasBalances(withBalance)
  if (withEscrow > 0) throw hasEscrow(withEscrow)
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

function hasPayouts(agents: number): AppError {
  return new AppError('conflict', `${someOf(agents)} money on its way to a bank; wait until it has arrived`, {
    details: { agents_with_payout: agents },
  })
}

function someOf(agents: number): string {
  return agents === 1 ? 'One agent of this platform has' : `${agents} agents of this platform have`
}
