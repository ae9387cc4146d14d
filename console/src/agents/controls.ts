import type { Agent } from '@batua/sdk'

/** The limits of an agent that are one number, in the order of the form. The last is a number of payees, not of rupees. */
export const NUMBER_CONTROLS = [
  'spend_limit_per_tx',
  'spend_limit_hourly',
  'spend_limit_daily',
  'spend_limit_monthly',
  'per_counterparty_daily_limit',
  'require_human_approval_above',
  'require_escrow_above',
  'max_counterparties_per_hour',
] as const

export type NumberControl = (typeof NUMBER_CONTROLS)[number]

/** What the form sends for each control that was changed; null clears it. */
export type PolicyChange = Partial<Record<NumberControl, number | null>>

export function isCount(control: NumberControl): boolean {
  return control === 'max_counterparties_per_hour'
}

/** A change of an agent's own policy that waits for the cooldown. */
export interface PendingLimit {
  readonly control: NumberControl
  readonly value: number | null
  readonly effectiveAt: string
}

export function pendingLimits({ pending_policy }: Agent): PendingLimit[] {
  return NUMBER_CONTROLS.flatMap(control => {
    const pending = pending_policy[control]
    return pending === undefined ? [] : [{ control, value: pending.value, effectiveAt: pending.effective_at }]
  })
}
