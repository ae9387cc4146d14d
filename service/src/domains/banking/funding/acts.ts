import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { LedgerBatch } from '../../../ledger/index.ts'
import { type Act, type Actor, type Facts, service } from '../../../operations/act.ts'
import { record } from '../../../operations/record.ts'
import type { Transition } from './decide.ts'
import type { Funding, OwedRefund } from './funding.ts'

export function openedAct(actor: Actor, funding: Funding): Act {
  return fundingAct(actor, 'funding.opened', funding, { expires_at: funding.expiresAt.toISOString() })
}

/** Records a status change of a funding, with the funding as it is after the change. */
export function recordStep(batch: LedgerBatch, funding: Funding, step: Transition['step']): void {
  const actor = service('payment gateway')
  switch (step.kind) {
    case 'wait':
      return
    case 'complete':
      return record(batch, fundingAct(actor, 'funding.completed', funding, moneyOf(funding)))
    case 'fail':
      return record(batch, fundingAct(actor, 'funding.failed', funding, { reason: step.reason }))
    case 'reverse':
      return record(batch, fundingAct(actor, 'funding.reversed', funding, moneyOf(funding)))
  }
}

function fundingAct(
  actor: Actor,
  action: 'funding.opened' | 'funding.completed' | 'funding.failed' | 'funding.reversed',
  { id, agentId, amountPaise, method, paidMethod }: Funding,
  more: Facts,
): Act {
  const data = { amount: rupees(amountPaise), method: paidMethod ?? method, ...more }
  return { agentId, actor, action, target: formatId('fund', id), data }
}

function moneyOf({ amountPaise, feePaise }: Funding): Facts {
  const fee = feePaise ?? 0n
  return { fee: rupees(fee), net_amount: rupees(amountPaise - fee) }
}

/** `agentId`: the agent whose wallet the money was meant for; null where the order was never opened here. */
export function refundAct(refund: OwedRefund, status: 'done' | 'failed', agentId: Uuid | null): Act {
  const { id, orderId, amountPaise, currency, reason } = refund
  return {
    agentId,
    actor: service('payment gateway'),
    action: status === 'done' ? 'funding.refunded' : 'funding.refund_failed',
    target: formatId('refund', id),
    data: { funding_id: orderId, amount: rupees(amountPaise), currency, reason },
  }
}
