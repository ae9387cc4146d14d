import {
  type BodyOf,
  eachTierLimit,
  type listTiers as listTiersRoute,
  type ResponseOf,
  TIERS,
  type Tier,
  type TierDefaults,
  type updateTier as updateTierRoute,
} from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { requirePaise } from '../../../kernel/money.ts'
import { type Actor, recordFacts } from '../../../operations/facts.ts'
import type { TierLimits } from '../../limits/index.ts'
import { countOwners } from '../owners/list-store.ts'
import type { Announcer } from './context.ts'
import { amountsOf, tierChangedFact } from './facts.ts'
import { announceTier, lockTier, selectTiers, selectUnannounced, updateTier } from './tier-store.ts'

/** The tiers, and how many owners have each. */
export async function listTiers(database: Database): Promise<ResponseOf<typeof listTiersRoute>> {
  const listed = (await selectTiers(database)).map(async limits => {
    const owners = await countOwners(database, { ...ANY_OWNER, tier: limits.tier })
    return { ...tierRecord(limits), owners }
  })
  return { tiers: await Promise.all(listed) }
}

const ANY_OWNER = { platformId: null, status: null, kycStatus: null }

/**
 * Changes the limits of a tier. They apply to the next payment of every agent in it once this returns. The change is
 * announced to the agents' accounts in transactions of a few hundred, so that no payment waits long. If this process
 * stops in between, a job continues.
 */
export async function changeTier(
  context: Announcer,
  actor: Actor,
  name: string,
  change: BodyOf<typeof updateTierRoute>,
): Promise<TierDefaults> {
  const tier = TIERS.find(each => each === name)
  if (tier === undefined) {
    throw new AppError('not_found', `There is no such tier; the tiers are ${TIERS.join(', ')}`)
  }
  const { database, clock, vault } = context
  const changed = await database.inTransaction(async tx => {
    const limits = await lockTier(tx, vault, tier)
    if (limits === null) throw new Error(`assertion failed: the tier ${tier} is in the database`)
    const next = decideTier(limits, change)
    const fact = tierChangedFact(actor, limits, next)
    if (fact === null) return limits
    const versions = await updateTier(tx, vault, next)
    await recordFacts(tx, vault, clock.now(), [fact], versions)
    return next
  })
  await announce(context, tier)
  return tierRecord(changed)
}

function decideTier(limits: TierLimits, change: BodyOf<typeof updateTierRoute>): TierLimits {
  const changed = eachTierLimit((_, name) => {
    const value = change[name]
    return value === undefined ? limits[name] : requirePaise(value, name)
  })
  return { ...changed, tier: limits.tier }
}

async function announce(context: Announcer, tier: Tier): Promise<void> {
  while ((await announceTier(context, tier)) > 0);
}

/** Continues announcements that a stopped process left unfinished. Returns the number of agents announced to. */
export async function announceTiers(context: Announcer): Promise<number> {
  let announced = 0
  for (const tier of await selectUnannounced(context.database)) announced += await announceTier(context, tier)
  return announced
}

function tierRecord(limits: TierLimits): TierDefaults {
  return { tier: limits.tier, ...amountsOf(limits) }
}
