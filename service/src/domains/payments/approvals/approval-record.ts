import { hash } from 'node:crypto'
import type { Approval as ApprovalRecord, approve, BodyOf } from '@batua/contract'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { canonicalJson } from '../../../kernel/signing.ts'
import {
  type Approval,
  appOf,
  authorizationTerms,
  contextOf,
  type HoldTerms,
  holdTerms,
  madeFields,
  policyVersionOf,
} from './approval.ts'
import { statusAt } from './decide.ts'
import type { DecisionFacts } from './decision-facts.ts'
import type { ApprovalView } from './store.ts'

/** What a record shows besides the approval: what the owner decides by, and the proof of her passkey. */
export type ShownFacts = DecisionFacts & Pick<ApprovalRecord, 'evidence'>

export function approvalRecord(view: ApprovalView, facts: ShownFacts, now: Date): ApprovalRecord {
  const approval = statusAt(view, now.getTime())
  return {
    approval_id: formatId('apr', approval.id),
    agent_id: formatId('agt', approval.agentId),
    agent_name: approval.agentName,
    kind: approval.kind,
    to: approval.payeeId === null ? null : formatId('agt', approval.payeeId),
    to_name: approval.toName,
    amount: rupees(approval.amountPaise),
    fee: rupees(approval.feePaise),
    reference: approval.reference,
    note: approval.note,
    ...shownTerms(approval),
    context: contextOf(approval.terms),
    app: shownApp(approval),
    ...facts,
    rule: approval.rule,
    policy_version: policyVersionOf(approval.terms),
    status: approval.status,
    created_at: approval.createdAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    ...madeFields(approval),
    rejection_reason: approval.rejectionReason,
  }
}

/** What the owner must know of a hold or an authorization before approving it; nulls for the others. */
function shownTerms({
  terms,
}: ApprovalView): Pick<ApprovalRecord, 'timeout_hours' | 'auto_action' | 'attestor_agent_id' | 'expires_in'> {
  const hold = holdTerms(terms)
  const { timeout_ms: timeoutMs, attestor_agent_id: attestor, auto_action } = hold ?? NO_TERMS
  return {
    timeout_hours: timeoutMs === null ? null : timeoutMs / HOUR_MS,
    auto_action,
    attestor_agent_id: attestor === null ? null : formatId('agt', attestor),
    expires_in: authorizationTerms(terms)?.expires_in ?? null,
  }
}

function shownApp({ terms }: ApprovalView): ApprovalRecord['app'] {
  const app = appOf(terms)
  return app === null ? null : { app_id: formatId('app', app.id), name: app.name }
}

const NO_TERMS: HoldTerms = {
  to_agent_id: null,
  attestor_agent_id: null,
  timeout_ms: null,
  auto_action: null,
}

/** What the passkey of an owner signs who approves, with the allowance that she gives beside it (contract section 12). */
export function approvalDocument(
  { id, agentId, kind, payeeId, amountPaise, feePaise, reference, terms, expiresAt }: Approval,
  allow: BodyOf<typeof approve>['allow'] | null,
): object {
  const context = contextOf(terms)
  return {
    approval_id: formatId('apr', id),
    agent_id: formatId('agt', agentId),
    kind,
    to: payeeId === null ? null : formatId('agt', payeeId),
    amount: rupees(amountPaise),
    fee: rupees(feePaise),
    currency: 'INR',
    reference,
    context_sha256: context === null ? null : hash('sha256', canonicalJson(context), 'hex'),
    expires_at: expiresAt.toISOString(),
    allow: allow ?? null,
  }
}
