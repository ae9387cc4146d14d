import type { Evidence } from '@batua/contract'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { eventNamed } from '../../../operations/event.ts'
import type { Actor, Fact, FactData } from '../../../operations/facts.ts'
import { jsonOf } from '../context.ts'
import { type Approval, contextOf, madeBy, madeFields } from './approval.ts'

/** An approval was requested, approved or rejected, or has expired: an entry with everything that the owner decides about. */
export function approvalFact(actor: Actor, approval: Approval, evidence: Evidence | null = null): Fact {
  const { id, agentId, kind, payeeId, rule, layer, reference, rejectionReason } = approval
  const outcome = approval.status === 'pending_approval' ? 'requested' : approval.status
  const terms = {
    kind,
    to: payeeId === null ? null : formatId('agt', payeeId),
    amount: rupees(approval.amountPaise),
    fee: rupees(approval.feePaise),
    expires_at: approval.expiresAt.toISOString(),
  }
  const event = {
    ...terms,
    approval_id: formatId('apr', id),
    agent_id: formatId('agt', agentId),
    reference,
    ...madeFields(approval),
  }
  return {
    agentId,
    actor,
    action: `approval.${outcome}`,
    target: event.approval_id,
    data: {
      ...{ ...terms, rule, layer, ...contextData(approval), ...madeOf(approval), ...reasonOf(approval) },
      ...(evidence === null ? {} : { evidence: { ...evidence } }),
    },
    events: [
      outcome === 'rejected'
        ? eventNamed('agent.approval.rejected', { agentId }, { ...event, rejection_reason: rejectionReason })
        : eventNamed(`agent.approval.${outcome}`, { agentId }, event),
    ],
  }
}

function contextData({ terms }: Approval): FactData {
  const context = contextOf(terms)
  return context === null ? {} : { context: jsonOf(context) }
}

function reasonOf({ rejectionReason }: Approval): FactData {
  return rejectionReason === null ? {} : { rejection_reason: rejectionReason }
}

function madeOf({ kind, madeId }: Approval): FactData {
  return madeId === null ? {} : madeBy(kind, madeId)
}
