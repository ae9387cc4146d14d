import type { AgentApprovalRequested } from '@batua/contract'
import { unreachable } from '../../../kernel/assert.ts'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { LedgerBatch } from '../../../ledger/index.ts'
import { emit } from '../../../operations/record-events.ts'
import type { Approval } from './approval.ts'
import { madeBy } from './approval-record.ts'

/** Tells the agent's platform how an approval stands now. */
export function notifyOfApproval(batch: LedgerBatch, approval: Approval): void {
  const told = { agentId: approval.agentId, data: dataOf(approval) }
  switch (approval.status) {
    case 'pending_approval':
      return emit(batch, { name: 'agent.approval.requested', ...told })
    case 'approved':
      return emit(batch, { name: 'agent.approval.approved', ...told })
    case 'rejected':
      return emit(batch, { name: 'agent.approval.rejected', ...told })
    case 'expired':
      return emit(batch, { name: 'agent.approval.expired', ...told })
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
