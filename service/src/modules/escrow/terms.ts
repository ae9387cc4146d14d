import { assert } from '../../kernel/assert.ts'
import { ZERO_PAISE } from '../../kernel/money.ts'
import { type Approval, type ApprovalRequest, type HoldTerms, holdTerms } from '../approvals/index.ts'
import { type HoldIntent, meantFor } from './escrow.ts'

/** The part of a request for approval that is peculiar to holds: no fee, no note, no unique reference. */
export function storedTerms(
  intent: HoldIntent,
): Pick<ApprovalRequest, 'payeeId' | 'feePaise' | 'note' | 'uniqueReference' | 'terms'> {
  const terms: HoldTerms = {
    to_agent_id: intent.toAgentId,
    attestor_agent_id: intent.attestorId,
    timeout_ms: intent.timeoutMs,
    auto_action: intent.autoAction,
  }
  return { payeeId: meantFor(intent), feePaise: ZERO_PAISE, note: null, uniqueReference: false, terms }
}

/** The hold that an approval was asked for. Its timeout runs from the hold, whenever that is. */
export function intentOf(approval: Approval): HoldIntent {
  const { agentId: payerId, amountPaise, reference, idempotencyKey } = approval
  const terms = holdTerms(approval.terms)
  assert(terms !== null, 'an approval of a hold holds its terms')
  return {
    ...{ payerId, amountPaise, reference, idempotencyKey },
    toAgentId: terms.to_agent_id,
    attestorId: terms.attestor_agent_id,
    timeoutMs: terms.timeout_ms,
    autoAction: terms.auto_action,
  }
}
