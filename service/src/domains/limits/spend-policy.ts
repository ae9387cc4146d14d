import { ANY_PAYEE, type Policy, type policyControlsIn } from '@batua/contract'
import type { Static, TObject } from 'typebox'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { type Paise, paiseFromRupees, rupees } from '../../kernel/money.ts'
import type { Controls } from './controls.ts'

/** The ten controls of an agent or owner as they are stored. null: this layer sets no limit; 0: nothing is allowed. */
export interface SpendPolicy {
  readonly spendLimitPerTxPaise: Paise | null
  readonly spendLimitHourlyPaise: Paise | null
  readonly spendLimitDailyPaise: Paise | null
  readonly spendLimitMonthlyPaise: Paise | null
  /** `['network']` alone, or the ids of agents. */
  readonly allowedPayees: readonly string[]
  readonly blockedPayeeAgents: readonly Uuid[]
  readonly perCounterpartyDailyLimitPaise: Paise | null
  readonly maxCounterpartiesPerHour: number | null
  readonly requireEscrowAbovePaise: Paise | null
  readonly requireHumanApprovalAbovePaise: Paise | null
}

/** The controls as a caller sets them: an absent control is unchanged, null clears it. */
export type PolicyChange = Static<TObject<typeof policyControlsIn>>

export const OPEN_POLICY: SpendPolicy = {
  spendLimitPerTxPaise: null,
  spendLimitHourlyPaise: null,
  spendLimitDailyPaise: null,
  spendLimitMonthlyPaise: null,
  allowedPayees: [ANY_PAYEE],
  blockedPayeeAgents: [],
  perCounterpartyDailyLimitPaise: null,
  maxCounterpartiesPerHour: null,
  requireEscrowAbovePaise: null,
  requireHumanApprovalAbovePaise: null,
}

/** The policy after a change. The ids in payee lists need not exist: a list may name future and deactivated agents. */
export function decidePolicy(current: SpendPolicy, change: PolicyChange): Refusal | SpendPolicy {
  const allowed = change.allowed_payees
  const misplaced = allowed && allowed.length > 1 ? allowed.indexOf(ANY_PAYEE) : -1
  if (misplaced >= 0) {
    return refuse('validation_error', `"${ANY_PAYEE}" stands alone: it already allows every agent`, {
      field: `allowed_payees.${misplaced}`,
    })
  }
  return {
    spendLimitPerTxPaise: amount(change.spend_limit_per_tx, current.spendLimitPerTxPaise),
    spendLimitHourlyPaise: amount(change.spend_limit_hourly, current.spendLimitHourlyPaise),
    spendLimitDailyPaise: amount(change.spend_limit_daily, current.spendLimitDailyPaise),
    spendLimitMonthlyPaise: amount(change.spend_limit_monthly, current.spendLimitMonthlyPaise),
    allowedPayees: payees(allowed, current.allowedPayees, OPEN_POLICY.allowedPayees),
    blockedPayeeAgents: payees(change.blocked_payee_agents, current.blockedPayeeAgents, []),
    perCounterpartyDailyLimitPaise: amount(
      change.per_counterparty_daily_limit,
      current.perCounterpartyDailyLimitPaise,
    ),
    maxCounterpartiesPerHour: kept(change.max_counterparties_per_hour, current.maxCounterpartiesPerHour),
    requireEscrowAbovePaise: amount(change.require_escrow_above, current.requireEscrowAbovePaise),
    requireHumanApprovalAbovePaise: amount(
      change.require_human_approval_above,
      current.requireHumanApprovalAbovePaise,
    ),
  }
}

function kept<T>(given: T | undefined, current: T): T {
  return given === undefined ? current : given
}

function amount(given: number | null | undefined, current: Paise | null): Paise | null {
  if (given === undefined || given === null) return kept(given, current)
  const limit = paiseFromRupees(given)
  assert(limit !== null, 'the schema ensures that a limit has at most two decimals')
  return limit
}

function payees(
  given: readonly string[] | null | undefined,
  current: readonly string[],
  cleared: readonly string[],
): readonly string[] {
  if (given === undefined) return current
  return given === null ? cleared : given.map(payee)
}

function payee(written: string): string {
  if (written === ANY_PAYEE) return ANY_PAYEE
  const id = parseId('agt', written)
  assert(id !== null, 'the schema ensures that a payee is an agent id')
  return id
}

/** The controls as a response shows them, amounts in INR. */
export function policyRecord(policy: SpendPolicy): Policy {
  return {
    spend_limit_per_tx: rupeesOrNull(policy.spendLimitPerTxPaise),
    spend_limit_hourly: rupeesOrNull(policy.spendLimitHourlyPaise),
    spend_limit_daily: rupeesOrNull(policy.spendLimitDailyPaise),
    spend_limit_monthly: rupeesOrNull(policy.spendLimitMonthlyPaise),
    allowed_payees: policy.allowedPayees.map(id => (id === ANY_PAYEE ? id : formatId('agt', id))),
    blocked_payee_agents: policy.blockedPayeeAgents.map(id => formatId('agt', id)),
    per_counterparty_daily_limit: rupeesOrNull(policy.perCounterpartyDailyLimitPaise),
    max_counterparties_per_hour: policy.maxCounterpartiesPerHour,
    require_escrow_above: rupeesOrNull(policy.requireEscrowAbovePaise),
    require_human_approval_above: rupeesOrNull(policy.requireHumanApprovalAbovePaise),
  }
}

function rupeesOrNull(limit: Paise | null): number | null {
  return limit === null ? null : rupees(limit)
}

/** The controls as decisions read them: lists as sets; null where every payee is allowed or none is blocked. */
export function controlsOf(policy: SpendPolicy): Controls {
  const { allowedPayees, blockedPayeeAgents } = policy
  return {
    perTxPaise: policy.spendLimitPerTxPaise,
    hourlyPaise: policy.spendLimitHourlyPaise,
    dailyPaise: policy.spendLimitDailyPaise,
    monthlyPaise: policy.spendLimitMonthlyPaise,
    perCounterpartyDailyPaise: policy.perCounterpartyDailyLimitPaise,
    maxCounterpartiesPerHour: policy.maxCounterpartiesPerHour,
    requireEscrowAbovePaise: policy.requireEscrowAbovePaise,
    requireApprovalAbovePaise: policy.requireHumanApprovalAbovePaise,
    allowedPayees: allowedPayees[0] === ANY_PAYEE ? null : new Set(allowedPayees),
    blockedPayees: blockedPayeeAgents.length === 0 ? null : new Set(blockedPayeeAgents),
  }
}
