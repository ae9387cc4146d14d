import { ESCROW_AUTO_ACTIONS } from '@batua/contract'
import { assert } from '../../kernel/assert.ts'
import { ZERO_PAISE } from '../../kernel/money.ts'
import type { Approval, ApprovalRequest } from '../approvals/index.ts'
import { type HoldIntent, meantFor } from './escrow.ts'

/** What an approval keeps of a hold beside the amount and its reference. */
interface StoredTerms {
  readonly to_agent_id: string | null
  readonly attestor_agent_id: string | null
  readonly timeout_ms: number | null
  readonly auto_action: 'refund' | 'release' | null
}

/** The part of a request for approval that is peculiar to holds: no fee, no note, no unique reference. */
export function storedTerms(
  intent: HoldIntent,
): Pick<ApprovalRequest, 'payeeId' | 'feePaise' | 'note' | 'uniqueReference' | 'terms'> {
  const terms: StoredTerms = {
    to_agent_id: intent.toAgentId,
    attestor_agent_id: intent.attestorId,
    timeout_ms: intent.timeoutMs,
    auto_action: intent.autoAction,
  }
  return { payeeId: meantFor(intent), feePaise: ZERO_PAISE, note: null, uniqueReference: false, terms }
}

/** The hold that an approval was asked for. Its timeout runs from the hold, whenever that is. */
export function intentOf(approval: Approval): HoldIntent {
  const { agentId: payerId, amountPaise, reference, idempotencyKey, terms } = approval
  assert(isStoredTerms(terms), 'an approval of a hold holds its terms')
  return {
    ...{ payerId, amountPaise, reference, idempotencyKey },
    toAgentId: terms.to_agent_id,
    attestorId: terms.attestor_agent_id,
    timeoutMs: terms.timeout_ms,
    autoAction: terms.auto_action,
  }
}

function isStoredTerms(terms: unknown): terms is StoredTerms {
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
