import type { Queryable } from '../../db/database.ts'
import { type CoveredTable, lockGenuine } from '../../db/row-mac.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { lockForChange } from '../../ledger/index.ts'
import { POLICY_COLUMNS } from './controls.ts'

/** The controls that are as old as the MACs, in the order that every stored MAC covers. It never changes. */
const FIRST_CONTROLS = [
  'spend_limit_per_tx_paise',
  'spend_limit_hourly_paise',
  'spend_limit_daily_paise',
  'spend_limit_monthly_paise',
  'per_counterparty_daily_limit_paise',
  'max_counterparties_per_hour',
  'require_escrow_above_paise',
  'require_human_approval_above_paise',
  'allowed_payees',
  'blocked_payee_agents',
]

/** When and for how long the agent was stopped: authorizations close by it. */
const STOPS = ['paused_at', 'blocked_at', 'blocked_ms']

const LATER_CONTROLS = POLICY_COLUMNS.filter(column => !FIRST_CONTROLS.includes(column))

/** The MAC of a policy's row covers the pending changes of that policy. */
function pendingRows(id: string): string {
  return `(select coalesce(jsonb_agg(jsonb_build_array(c.subject_kind, c.control, c.value, extract(epoch from c.effective_at)::text)
      order by c.control), '[]') from pending_policy_changes c where c.subject = ${id})`
}

/**
 * The origins where an agent sells, as one more element; none without origins, so that MACs older than origins verify.
 */
function originRows(id: string): string {
  return `(select coalesce(jsonb_agg(to_jsonb(n.origins)), '[]') from agent_origins n where n.agent_id = ${id})`
}

/**
 * Agents with their pending policy changes, their membership and their origins: everything that decides about their
 * money except their balance.
 */
export const AGENT_ROWS: CoveredTable = {
  table: 'agents',
  id: 'id',
  columns: [
    'platform_id',
    'owner_id',
    'handle',
    'status',
    'was_paused',
    'was_quarantined',
    'held_as',
    'deactivated_at',
    'tier',
    'key_hash',
    'budget_limit_paise',
    'pending_budget_paise',
    'pending_budget_effective_at',
    ...FIRST_CONTROLS,
  ],
  laterColumns: [...LATER_CONTROLS, ...STOPS],
  rows: alias => `jsonb_build_array(${pendingRows(`${alias}.id`)},
    (select coalesce(jsonb_agg(jsonb_build_array(m.org_id, m.role)), '[]') from org_members m where m.agent_id = ${alias}.id)) || ${originRows(`${alias}.id`)}`,
  uncovered: {
    name: 'is only shown',
    key_last4: 'is only shown',
    public_key: 'is covered by the MAC of the agent’s identity',
    private_key: 'is encrypted for its row, and signs no movement of money',
    created_at: 'is covered by the MAC of the agent’s identity',
    seal: 'is a MAC itself',
  },
}

/** The policies of owners, with their pending changes. */
export const OWNER_POLICY_ROWS: CoveredTable = {
  table: 'owner_policies',
  id: 'owner_id',
  columns: FIRST_CONTROLS,
  laterColumns: LATER_CONTROLS,
  rows: alias => pendingRows(`${alias}.owner_id`),
  uncovered: { announced_through: 'says for which agents the policy caches were renewed' },
}

export const TIER_ROWS: CoveredTable = {
  table: 'tier_defaults',
  id: 'tier',
  columns: ['per_tx_paise', 'daily_paise', 'monthly_paise', 'escrow_above_paise', 'approval_above_paise'],
  uncovered: { announced_through: 'says for which agents the policy caches were renewed' },
}

/**
 * Every change of agents begins here: it locks their accounts and then proves their rows. After the change, `writeMacs`
 * makes the new MACs.
 */
export async function lockAgentsForChange(tx: Queryable, vault: Vault, ids: readonly Uuid[]): Promise<void> {
  await lockForChange(tx, ids)
  await lockGenuine(tx, vault, AGENT_ROWS, ids)
}
