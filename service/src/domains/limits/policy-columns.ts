import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { SpendPolicy } from './spend-policy.ts'

/** The columns of the ten controls, the same in `agents` and `owner_policies`. */
export interface PolicyColumns {
  spend_limit_per_tx_paise: Paise | null
  spend_limit_hourly_paise: Paise | null
  spend_limit_daily_paise: Paise | null
  spend_limit_monthly_paise: Paise | null
  per_counterparty_daily_limit_paise: Paise | null
  max_counterparties_per_hour: number | null
  require_escrow_above_paise: Paise | null
  require_human_approval_above_paise: Paise | null
  allowed_payees: string[]
  blocked_payee_agents: Uuid[]
}

/** In the order of `policyValues`. */
export const POLICY_COLUMNS: readonly (keyof PolicyColumns)[] = [
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

/** The policy columns, prefixed with the alias of their table. */
export function policyColumnsOf(table: string): string {
  return POLICY_COLUMNS.map(column => `${table}.${column}`).join(', ')
}

export function policyFromColumns(row: PolicyColumns): SpendPolicy {
  return {
    spendLimitPerTxPaise: row.spend_limit_per_tx_paise,
    spendLimitHourlyPaise: row.spend_limit_hourly_paise,
    spendLimitDailyPaise: row.spend_limit_daily_paise,
    spendLimitMonthlyPaise: row.spend_limit_monthly_paise,
    allowedPayees: row.allowed_payees,
    blockedPayeeAgents: row.blocked_payee_agents,
    perCounterpartyDailyLimitPaise: row.per_counterparty_daily_limit_paise,
    maxCounterpartiesPerHour: row.max_counterparties_per_hour,
    requireEscrowAbovePaise: row.require_escrow_above_paise,
    requireHumanApprovalAbovePaise: row.require_human_approval_above_paise,
  }
}

export function policyValues(policy: SpendPolicy): unknown[] {
  return [
    policy.spendLimitPerTxPaise,
    policy.spendLimitHourlyPaise,
    policy.spendLimitDailyPaise,
    policy.spendLimitMonthlyPaise,
    policy.perCounterpartyDailyLimitPaise,
    policy.maxCounterpartiesPerHour,
    policy.requireEscrowAbovePaise,
    policy.requireHumanApprovalAbovePaise,
    policy.allowedPayees,
    policy.blockedPayeeAgents,
  ]
}
