import { ESCROW_AUTO_ACTIONS } from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'

/** The terms of a hold that its approval stores besides the amount and the reference, in JSON. */
export interface HoldTerms {
  readonly to_agent_id: Uuid | null
  readonly attestor_agent_id: Uuid | null
  readonly timeout_ms: number | null
  readonly auto_action: 'refund' | 'release' | null
}

/** The terms of a hold; null where the JSON is of another kind, or missing. */
export function holdTerms(terms: unknown): HoldTerms | null {
  return isHoldTerms(terms) ? terms : null
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
