import * as v from 'valibot'
import { offset } from '../api/search.ts'

/** One of these values, or none; a wrong one is ignored, so that every address opens. */
function oneOf<const Values extends readonly string[]>(values: Values) {
  return v.fallback(v.optional(v.picklist(values)), undefined)
}

const text = v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64))), undefined)

export const OWNER_STATES = ['active', 'frozen'] as const
export const KYC_STATES = ['none', 'pending', 'verified', 'failed'] as const
export const TIERS = ['sandbox', 'tier1', 'tier2', 'tier3'] as const
export const AGENT_STATES = ['active', 'paused', 'quarantined', 'frozen', 'deactivated'] as const
export const ALERT_STATES = ['open', 'confirmed', 'dismissed'] as const
export const SEVERITIES = ['low', 'medium', 'high'] as const
export const RULES = [
  'velocity_spike',
  'structuring',
  'circular_flow',
  'new_payees',
  'repeated_refusals',
  'failed_authentication',
  'login_guessing',
  'pass_through',
] as const
export const DIFFERENCES = [
  'payment_not_credited',
  'credited_not_paid',
  'amount_differs',
  'fee_differs',
  'payment_unknown_here',
  'refund_not_made',
  'refund_status_differs',
  'chargeback_not_posted',
  'chargeback_unknown_there',
  'payout_status_differs',
  'payout_amount_differs',
  'payout_utr_differs',
  'payout_unknown_there',
  'settlement_amount_differs',
  'unchecked',
] as const
export const SKIP_REASONS = [
  'no_verified_bank_account',
  'agent_frozen',
  'agent_quarantined',
  'below_minimum',
] as const

export const pageSearch = v.object({ offset })
export const ownersSearch = v.object({
  status: oneOf(OWNER_STATES),
  kyc_status: oneOf(KYC_STATES),
  tier: oneOf(TIERS),
  offset,
})
/** As many agents as an address names without being too long for browsers and proxies. */
export const MOST_SELECTED = 200
/** Ids of agents, with commas between them. */
const agentIds = v.fallback(
  v.optional(v.pipe(v.string(), v.regex(/^agt_[0-9a-z]{26}(?:,agt_[0-9a-z]{26}){0,199}$/))),
  undefined,
)
export const networkSearch = v.object({
  status: oneOf(AGENT_STATES),
  owner_id: text,
  handle: text,
  selected: agentIds,
  offset,
})
export const alertsSearch = v.object({
  status: oneOf(ALERT_STATES),
  rule: oneOf(RULES),
  severity: oneOf(SEVERITIES),
  agent_id: text,
  offset,
})
export const differencesSearch = v.object({ kind: oneOf(DIFFERENCES), offset })
export const skipsSearch = v.object({ reason: oneOf(SKIP_REASONS), offset })
export const deliveriesSearch = v.object({ platform_id: text, offset })

/** A search without the filters that are not set. */
export function given<Search extends object>(search: Search): Given<Search> {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined),
  ) as Given<Search>
}

type Given<Search> = { [Name in keyof Search]?: Exclude<Search[Name], undefined> }
