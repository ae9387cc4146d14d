import type { LimitLayer, PolicyLayer, Tier } from '@batua/contract'
import type { Database, Queryable } from '../../db/database.ts'
import { writeMacs } from '../../db/row-mac.ts'
import { OWNER_POLICY_ROWS, TIER_ROWS } from '../../domains/limits/covered-tables.ts'
import { OWNER_ROWS } from '../../domains/parties/owners/store.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { lockForChange } from '../../ledger/index.ts'
import { beginVersions, type ControlColumns, changeAgent } from '../builders.ts'
import { TEST_VAULT } from '../database.ts'

/** The default tier of the tests: no limits. */
export const BOUNDLESS = 10n ** 15n

/** The column of a tier for each control. */
const TIER_COLUMNS = {
  per_tx_paise: 'spend_limit_per_tx_paise',
  daily_paise: 'spend_limit_daily_paise',
  monthly_paise: 'spend_limit_monthly_paise',
  escrow_above_paise: 'require_escrow_above_paise',
  approval_above_paise: 'require_human_approval_above_paise',
} as const

/** The controls that a layer can have; every other one is the agent's or the owner's alone. */
export const CONTROLS_OF: Record<LimitLayer, readonly (keyof ControlColumns)[]> = {
  tier: Object.values(TIER_COLUMNS),
  org: ['spend_limit_monthly_paise'],
  owner: everyControl(),
  agent: everyControl(),
  app: ['spend_limit_per_tx_paise', 'spend_limit_daily_paise'],
}

function everyControl(): (keyof ControlColumns)[] {
  return [
    ...Object.values(TIER_COLUMNS),
    'spend_limit_hourly_paise',
    'per_counterparty_daily_limit_paise',
    'max_counterparties_per_hour',
    'allowed_payees',
    'blocked_payee_agents',
  ]
}

/** Replaces all controls of a layer for an agent of the builders, from its next payment on. */
export async function setLayer(
  database: Database,
  agentId: Uuid,
  layer: PolicyLayer,
  controls: ControlColumns,
): Promise<void> {
  if (layer === 'tier') return setTier(database, 'tier3', controls, [agentId])
  if (layer === 'owner') return setOwnerPolicy(database, agentId, controls)
  if (layer === 'org') {
    await changeAgent(database, agentId, { budget_limit_paise: controls.spend_limit_monthly_paise ?? null })
    return
  }
  await changeAgent(database, agentId, { ...NOTHING_SET, ...controls })
}

const NOTHING_SET: ControlColumns = {
  spend_limit_per_tx_paise: null,
  spend_limit_hourly_paise: null,
  spend_limit_daily_paise: null,
  spend_limit_monthly_paise: null,
  per_counterparty_daily_limit_paise: null,
  max_counterparties_per_hour: null,
  require_escrow_above_paise: null,
  require_human_approval_above_paise: null,
  allowed_payees: ['network'],
  blocked_payee_agents: [],
}

/** The columns of a tier with these controls: it sets each of its limits. */
export function wholeTier(controls: ControlColumns): ControlColumns {
  return Object.fromEntries(
    Object.values(TIER_COLUMNS).map(control => [control, controls[control] ?? BOUNDLESS]),
  )
}

/** Sets a tier, and raises the versions of these agents only: other tests' agents are no longer used. */
export async function setTier(
  database: Database,
  tier: Tier,
  controls: ControlColumns,
  agents: readonly Uuid[],
): Promise<void> {
  const whole = wholeTier(controls)
  await database.inTransaction(async tx => {
    for (const [column, control] of Object.entries(TIER_COLUMNS)) {
      await tx.query(`update tier_defaults set ${column} = $2 where tier = $1`, [tier, whole[control]])
    }
    await writeMacs(tx, TEST_VAULT, TIER_ROWS, [tier])
    await lockForChange(tx, agents)
    await beginVersions(tx, agents)
  })
}

/** The owner of an agent of the builders has the agent's id. */
async function setOwnerPolicy(database: Database, ownerId: Uuid, controls: ControlColumns): Promise<void> {
  const columns = Object.entries({ ...NOTHING_SET, ...controls })
  await database.inTransaction(async tx => {
    await lockForChange(tx, [ownerId])
    await tx.query(`delete from owner_policies where owner_id = $1`, [ownerId])
    await tx.query(
      `insert into owner_policies (owner_id, ${columns.map(([column]) => column).join(', ')})
       values ($1, ${columns.map((_, index) => `$${index + 2}`).join(', ')})`,
      [ownerId, ...columns.map(([, value]) => value)],
    )
    await writeMacs(tx, TEST_VAULT, OWNER_POLICY_ROWS, [ownerId])
    await beginVersions(tx, [ownerId])
  })
}

/** Inserts an owner for an agent of the builders, for code that reads it. */
export async function addOwner(db: Queryable, agentId: Uuid, now: Date): Promise<void> {
  await db.query(
    `insert into owners (id, platform_id, name, phone, phone_index, pan, pan_index, created_at)
     values ($1, $1, 'Asha Rao', '', $2, '', $2, $3)`,
    [agentId, Buffer.from(agentId), now],
  )
  await writeMacs(db, TEST_VAULT, OWNER_ROWS, [agentId])
}
