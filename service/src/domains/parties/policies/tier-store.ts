import { TIERS, type Tier } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { lockGenuine, type RowVersion, writeMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { lockForChange } from '../../../ledger/index.ts'
import {
  actorOfRow,
  recordPolicyVersions,
  selectTierLimits,
  TIER_COLUMNS,
  TIER_ROWS,
  type TierLimits,
  tierValues,
} from '../../limits/index.ts'
import type { Announcer } from './context.ts'

/** Lower than every id: announced to no agent yet. */
const NOBODY: Uuid = '00000000-0000-0000-0000-000000000000'

/** All tiers, lowest first. */
export async function selectTiers(db: Queryable): Promise<TierLimits[]> {
  const rows = await db.query<TierLimits>(`select ${selectTierLimits('d')} from tier_defaults d`)
  return rows.toSorted((left, right) => TIERS.indexOf(left.tier) - TIERS.indexOf(right.tier))
}

export async function lockTier(tx: Queryable, vault: Vault, tier: Tier): Promise<TierLimits | null> {
  await lockGenuine(tx, vault, TIER_ROWS, [tier])
  const [row] = await tx.query<TierLimits>(
    `select ${selectTierLimits('d')} from tier_defaults d where d.tier = $1 for no key update`,
    [tier],
  )
  return row ?? null
}

/** Writes a tier's limits. They are not announced to any agent yet. */
export async function updateTier(tx: Queryable, vault: Vault, limits: TierLimits): Promise<RowVersion[]> {
  await tx.query(
    `update tier_defaults set announced_through = $2,
       ${TIER_COLUMNS.map((column, index) => `${column} = $${3 + index}`).join(', ')}
     where tier = $1`,
    [limits.tier, NOBODY, ...tierValues(limits)],
  )
  return writeMacs(tx, vault, TIER_ROWS, [limits.tier])
}

const AGENTS_AT_ONCE = 500

/**
 * Announces changed limits to another batch of a tier's agents, by raising the version that every payment compares.
 * Returns the number of agents. Agents created later read the new limits anyway. It locks the tier's row, so that nodes
 * take turns; a newer change starts again from the first agent. The new limits decide from then on, so each agent gets a
 * new version of its policy.
 */
export function announceTier({ database, clock, vault }: Announcer, tier: Tier): Promise<number> {
  return database.inTransaction(async tx => {
    const [row] = await tx.query<{ announced_through: Uuid | null }>(
      `select announced_through from tier_defaults where tier = $1 for no key update`,
      [tier],
    )
    const through = row?.announced_through ?? null
    if (through === null) return 0
    const agents = await tx.query<{ id: Uuid }>(
      `select id from agents where tier = $1 and id > $2 order by id limit $3`,
      [tier, through, AGENTS_AT_ONCE],
    )
    const ids = agents.map(({ id }) => id)
    await lockForChange(tx, ids)
    const actor = await actorOfRow(tx, `tier_defaults/${tier}`)
    await recordPolicyVersions(tx, ids, { vault, now: clock.now(), actor })
    const last = ids.length < AGENTS_AT_ONCE ? null : (ids.at(-1) ?? null)
    await tx.query(`update tier_defaults set announced_through = $2 where tier = $1`, [tier, last])
    return ids.length
  })
}

export const TIERS_UNANNOUNCED = 'exists (select from tier_defaults where announced_through is not null)'

/** Tiers whose change is not announced to all their agents. */
export async function selectUnannounced(db: Queryable): Promise<Tier[]> {
  const rows = await db.query<{ tier: Tier }>(
    `select tier from tier_defaults where announced_through is not null`,
  )
  return rows.map(({ tier }) => tier)
}
