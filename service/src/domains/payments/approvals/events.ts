import type { AgentApprovalRequested } from '@batua/contract'
import { unreachable } from '../../../kernel/assert.ts'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { LedgerBatch } from '../../../ledger/index.ts'
import { emit } from '../../../operations/record-events.ts'
import type { Approval } from './approval.ts'
import { madeBy } from './approval-record.ts'

/** Notifies the agent's platform of the approval's status. */
export function notifyOfApproval(batch: LedgerBatch, approval: Approval): void {
  const event = { agentId: approval.agentId, data: dataOf(approval) }
  switch (approval.status) {
    case 'pending_approval':
      return emit(batch, { name: 'agent.approval.requested', ...event })
    case 'approved':
      return emit(batch, { name: 'agent.approval.approved', ...event })
    case 'rejected':
      return emit(batch, { name: 'agent.approval.rejected', ...event })
    case 'expired':
      return emit(batch, { name: 'agent.approval.expired', ...event })
    default:
      return unreachable(approval.status)
  }
}

function dataOf(approval: Approval): AgentApprovalRequested {
  const { id, agentId, kind, payeeId, amountPaise, feePaise, reference, expiresAt } = approval
  return {
    approval_id: formatId('apr', id),
    agent_id: formatId('agt', agentId),
    kind,
    to: payeeId === null ? null : formatId('agt', payeeId),
    amount: rupees(amountPaise),
    fee: rupees(feePaise),
    reference,
    expires_at: expiresAt.toISOString(),
    payment_id: madeBy(approval, 'payment', 'pay'),
    escrow_id: madeBy(approval, 'escrow_hold', 'esc'),
  }
}
