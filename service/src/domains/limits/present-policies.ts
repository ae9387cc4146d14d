import { type AgentStatus, eachControl, type PolicyControl } from '@batua/contract'
import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { AlteredRow, auditedVersionOf, type MacRow, macColumns, requireGenuine } from '../../db/row-mac.ts'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import {
  POLICY_COLUMNS,
  type SpendPolicy,
  selectControls,
  selectTierLimits,
  type TierLimits,
} from './controls.ts'
import { AGENT_ROWS, OWNER_POLICY_ROWS, TIER_ROWS } from './covered-tables.ts'
import { type EffectiveVersion, effectiveVersion, type PolicyParts } from './effective-policy.ts'
import { requireGenuineVersion, type StoredVersionRow, versionColumns } from './history/version-rows.ts'

/** What an agent's layers set at this moment, and the newest version in its history. */
export interface PresentPolicy {
  readonly ownerId: Uuid
  readonly createdAt: Date
  readonly parts: PolicyParts
  readonly version: EffectiveVersion
  /** null: the history of the agent has not begun. */
  readonly newest: StoredVersionRow | null
}

/**
 * The agent's own columns, those of its owner's policy under the prefix `o_`, those of its newest version under `v_`, and
 * its tier's.
 */
export interface AgentRow
  extends SpendPolicy,
    OwnerPolicy,
    TierLimits,
    MacRow,
    OwnerMac,
    TierMac,
    NewestVersion {
  owner_id: Uuid
  id: Uuid
  platform_id: Uuid
  status: AgentStatus
  held_as: 'frozen' | 'quarantined' | null
  paused_at: Date | null
  blocked_at: Date | null
  blocked_ms: bigint | null
  deactivated_at: Date | null
  key_hash: Buffer
  budget_limit_paise: Paise | null
  has_owner_policy: boolean
  created_at: Date
}

type OwnerMac = { [Column in keyof MacRow as `o_${Column}`]: MacRow[Column] }
type TierMac = { [Column in keyof MacRow as `t_${Column}`]: MacRow[Column] }

type NewestVersion = { [Column in keyof StoredVersionRow as `v_${Column}`]: StoredVersionRow[Column] | null }

type OwnerPolicy = { [Control in PolicyControl as `o_${Control}`]: SpendPolicy[Control] }

// Lateral with a limit, so that no plan reads the policies of all owners.
const SELECT = `
  select a.id, a.platform_id, a.owner_id, a.tier, a.status, a.held_as, a.paused_at, a.blocked_at, a.blocked_ms,
    a.deactivated_at, a.key_hash, a.budget_limit_paise, a.created_at,
    ${selectControls('a')},
    v.*,
    o.owner_id is not null as has_owner_policy, ${selectControls('o', 'o_')},
    t.*, ${macColumns(AGENT_ROWS, 'a')},
    o."o_macText", o."o_mac", o."o_macVersion", ${auditedVersionOf(OWNER_POLICY_ROWS, 'a.owner_id')} as "o_auditedVersion"
  from agents a
  cross join lateral (
    select ${selectTierLimits('d')},
      ${macColumns(TIER_ROWS, 'd', 't_')}
    from tier_defaults d where d.tier = a.tier limit 1) t
  left join lateral (
    select p.owner_id, ${POLICY_COLUMNS.join(', ')}, ${macColumns(OWNER_POLICY_ROWS, 'p', 'o_')} from owner_policies p where p.owner_id = a.owner_id limit 1) o on true
  left join lateral (
    select ${versionColumns('n', 'v_')} from policy_versions n where n.agent_id = a.id order by n.id desc limit 1) v on true
  where a.id = any($1::uuid[])`

/** Reads these agents with everything that their layers set, not proven. */
export function selectAgentRows(tx: Queryable, ids: readonly Uuid[]): Promise<AgentRow[]> {
  return tx.query<AgentRow>(SELECT, [arrayLiteral(ids)])
}

/**
 * What the layers of these agents set. The caller holds the locks of their accounts. An agent with an altered row is left
 * out: it decides nothing.
 */
export async function selectPresentPolicies(
  tx: Queryable,
  vault: Vault,
  ids: readonly Uuid[],
): Promise<Map<Uuid, PresentPolicy>> {
  const present = new Map<Uuid, PresentPolicy>()
  for (const row of await selectAgentRows(tx, ids)) {
    if (!areGenuine(vault, row)) continue
    const parts = partsOfRow(row)
    const { owner_id: ownerId, created_at: createdAt } = row
    const version = effectiveVersion(vault, parts)
    present.set(row.id, { ownerId, createdAt, parts, version, newest: newestIn(row) })
  }
  return present
}

function areGenuine(vault: Vault, row: AgentRow): boolean {
  try {
    proveRows(vault, row)
    return true
  } catch (error) {
    if (error instanceof AlteredRow) return false
    throw error
  }
}

/** Proves the rows of the agent, of its newest version, of its owner's policy and of its tier by their MACs. */
export function proveRows(vault: Vault, row: AgentRow): void {
  requireGenuine(vault, AGENT_ROWS, row.id, row)
  const newest = newestIn(row)
  if (newest !== null) requireGenuineVersion(vault, newest)
  requireGenuine(vault, TIER_ROWS, row.tier, {
    macText: row.t_macText,
    mac: row.t_mac,
    macVersion: row.t_macVersion,
    auditedVersion: row.t_auditedVersion,
  })
  if (!row.has_owner_policy && row.o_auditedVersion === null) return
  requireGenuine(vault, OWNER_POLICY_ROWS, row.owner_id, {
    macText: row.o_macText,
    mac: row.o_mac,
    macVersion: row.o_macVersion,
    auditedVersion: row.o_auditedVersion,
  })
}

export function partsOfRow(row: AgentRow): PolicyParts {
  return {
    tier: row,
    owner: row.has_owner_policy ? eachControl<SpendPolicy>(control => row[`o_${control}`]) : null,
    budgetPaise: row.budget_limit_paise,
    agent: row,
  }
}

/** The newest version of the agent; null: its history has not begun. */
export function newestIn(row: AgentRow): StoredVersionRow | null {
  const { v_agentId: agentId, v_id: id, v_version: version, v_tierLayer: tierLayer, v_mac: mac } = row
  const { v_actorType: actorType, v_actorId: actorId } = row
  if (agentId === null) return null
  const isWhole = id !== null && version !== null && tierLayer !== null
  assert(isWhole && actorType !== null && actorId !== null, 'no column of a version but these may be null')
  const { v_ownerLayer: ownerLayer, v_orgLayer: orgLayer, v_agentLayer: agentLayer } = row
  return { agentId, id, version, tierLayer, ownerLayer, orgLayer, agentLayer, actorType, actorId, mac }
}
