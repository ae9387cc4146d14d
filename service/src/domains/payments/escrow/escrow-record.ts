import type { Escrow as EscrowRecord, EscrowWaiting } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { type Approval, policyVersionOf } from '../approvals/approval.ts'
import { type Escrow, meantFor, type Named, payeeOf, type Terms } from './escrow.ts'

export function escrowRecord(escrow: Escrow, policyVersion: string | null): EscrowRecord {
  return {
    escrow_id: formatId('esc', escrow.id),
    agent_id: formatId('agt', escrow.agentId),
    to_agent_id: agentOrNull(payeeOf(escrow)),
    attestor_agent_id: agentOrNull(escrow.attestorId),
    amount: rupees(escrow.amountPaise),
    reference: escrow.reference,
    status: escrow.status,
    auto_action: escrow.autoAction,
    expires_at: escrow.expiresAt?.toISOString() ?? null,
    created_at: escrow.createdAt.toISOString(),
    resolved_at: escrow.resolvedAt?.toISOString() ?? null,
    transaction_id: formatId('txn', escrow.id),
    policy_version: policyVersion,
  }
}

/** The response to a hold that needs the owner's approval: the timeout does not run yet. */
export function waitingRecord(approval: Approval, terms: Named & Terms): EscrowWaiting {
  return {
    escrow_id: null,
    agent_id: formatId('agt', approval.agentId),
    to_agent_id: agentOrNull(meantFor(terms)),
    attestor_agent_id: agentOrNull(terms.attestorId),
    amount: rupees(approval.amountPaise),
    reference: approval.reference,
    status: 'pending_approval',
    auto_action: terms.autoAction,
    expires_at: null,
    created_at: approval.createdAt.toISOString(),
    resolved_at: null,
    transaction_id: null,
    policy_version: policyVersionOf(approval.terms),
    approval_id: formatId('apr', approval.id),
  }
}

function agentOrNull(id: Uuid | null): string | null {
  return id === null ? null : formatId('agt', id)
}
