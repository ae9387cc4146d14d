import { ESCROW_AUTO_ACTIONS, type PaymentContext } from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'

/** The terms of a hold that its approval stores besides the amount and the reference, in JSON. */
export interface HoldTerms {
  readonly to_agent_id: Uuid | null
  readonly attestor_agent_id: Uuid | null
  readonly timeout_ms: number | null
  readonly auto_action: 'refund' | 'release' | null
}

/** What an approval stores besides the columns of every request; null: nothing. */
export function termsOf(hold: HoldTerms | null, context: PaymentContext | null): object | null {
  return hold === null && context === null ? null : { ...hold, ...(context !== null && { context }) }
}

/** The terms of a hold; null where the JSON is of another kind, or missing. */
export function holdTerms(terms: unknown): HoldTerms | null {
  if (!isHoldTerms(terms)) return null
  const { to_agent_id, attestor_agent_id, timeout_ms, auto_action } = terms
  return { to_agent_id, attestor_agent_id, timeout_ms, auto_action }
}

/** The context of the request; null if it had none. */
export function contextOf(terms: unknown): PaymentContext | null {
  if (typeof terms !== 'object' || terms === null || !('context' in terms)) return null
  const { context } = terms
  return typeof context === 'object' && context !== null ? context : null
}

/** What an approval stores, with the version of the policy that requires it. */
export function withPolicyVersion(terms: unknown, policyVersion: string): object {
  return { ...(typeof terms === 'object' ? terms : null), policy_version: policyVersion }
}

/** The version of the policy that requires the approval; null of an approval of an earlier release. */
export function policyVersionOf(terms: unknown): string | null {
  if (typeof terms !== 'object' || terms === null || !('policy_version' in terms)) return null
  return typeof terms.policy_version === 'string' ? terms.policy_version : null
}

function isHoldTerms(terms: unknown): terms is HoldTerms {
  if (typeof terms !== 'object' || terms === null) return false
  const { to_agent_id, attestor_agent_id, timeout_ms, auto_action }: Partial<Record<string, unknown>> = {
    ...terms,
  }
  return (
    isNullOr(to_agent_id, value => typeof value === 'string') &&
    isNullOr(attestor_agent_id, value => typeof value === 'string') &&
    isNullOr(timeout_ms, value => typeof value === 'number') &&
    isNullOr(auto_action, value => ESCROW_AUTO_ACTIONS.some(action => action === value))
  )
}

function isNullOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === null || is(value)
}
