import type { Approval, ApprovalKind } from '@batua/contract'
import { formatId } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import { standingAt } from './decide.ts'
import type { ApprovalView } from './store.ts'

export function approvalRecord(view: ApprovalView, now: Date): Approval {
  const approval = standingAt(view, now.getTime())
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
    rule: approval.rule,
    status: approval.status,
    created_at: approval.createdAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    payment_id: madeBy(approval, 'payment', 'pay'),
    escrow_id: madeBy(approval, 'escrow_hold', 'esc'),
  }
}

function madeBy({ kind, madeId }: ApprovalView, wanted: ApprovalKind, prefix: string): string | null {
  return kind === wanted && madeId !== null ? formatId(prefix, madeId) : null
}
