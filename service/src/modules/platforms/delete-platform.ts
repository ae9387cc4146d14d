import { AppError } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { deactivateAgentsOfPlatform } from '../agents/index.ts'
import { type Actor, recordActs } from '../audit/index.ts'
import { countHeldOfPlatform } from '../escrow/index.ts'
import { countPendingOfPlatform } from '../payouts/index.ts'
import { platformNotFound } from './access.ts'
import { platformAct } from './acts.ts'
import type { PlatformsContext } from './context.ts'
import { lockPlatform, type Platform, updatePlatform } from './store.ts'

/**
 * Ends a platform that holds nobody's money, in escrow and under way included, and its agents with it. The locks are taken from the general to the
 * particular, platform, then accounts in order, as everywhere: so a payment, a funding or a new agent comes either
 * before, and its balance counts, or after, and finds no agent that takes it.
 */
export async function deletePlatform(
  { database, clock, vault }: PlatformsContext,
  actor: Actor,
  platformId: Uuid,
): Promise<Platform> {
  const recording = { actor, vault, now: clock.now() }
  return database.inTransaction(async tx => {
    const platform = await lockPlatform(tx, platformId)
    if (platform === null) throw platformNotFound()
    const { withBalance } = await deactivateAgentsOfPlatform(tx, platformId, recording)
    if (withBalance > 0) throw hasBalances(withBalance)
    const withEscrow = await countHeldOfPlatform(tx, platformId)
    if (withEscrow > 0) throw hasEscrow(withEscrow)
    const withPayout = await countPendingOfPlatform(tx, platformId)
    if (withPayout > 0) throw hasPayouts(withPayout)
    const deleted: Platform = { ...platform, status: 'deleted' }
    await updatePlatform(tx, deleted)
    if (platform.status !== 'deleted') {
      await recordActs(tx, vault, recording.now, [platformAct(actor, 'platform.deleted', platformId)])
    }
    return deleted
  })
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
