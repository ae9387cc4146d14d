import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { LedgerBatch } from '../../../ledger/index.ts'
import type { Actor, Facts } from '../../../operations/act.ts'
import { record } from '../../../operations/record.ts'
import type { Approval } from './approval.ts'

type ApprovalAct = 'approval.requested' | 'approval.approved' | 'approval.rejected' | 'approval.expired'

/** Records the outcome of an approval, with everything that the owner decides about. */
export function recordApproval(
  batch: LedgerBatch,
  actor: Actor,
  action: ApprovalAct,
  approval: Approval,
): void {
  const { id, agentId, kind, payeeId, amountPaise, feePaise, rule, layer, expiresAt } = approval
  record(batch, {
    agentId,
    actor,
    action,
    target: formatId('apr', id),
    data: {
      kind,
      to: payeeId === null ? null : formatId('agt', payeeId),
      amount: rupees(amountPaise),
      fee: rupees(feePaise),
      rule,
      layer,
      expires_at: expiresAt.toISOString(),
      ...madeOf(approval),
    },
  })
}

function madeOf({ kind, madeId }: Approval): Facts {
  if (madeId === null) return {}
  return kind === 'payment' ? { payment_id: formatId('pay', madeId) } : { escrow_id: formatId('esc', madeId) }
}
