import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupees } from '../../../kernel/money.ts'
import type { NewEvent } from '../../../operations/event.ts'
import { type Actor, type Fact, type FactData, service } from '../../../operations/facts.ts'
import type { Transition } from './decide.ts'
import type { Funding, OwedRefund } from './funding.ts'

const GATEWAY = service('payment gateway')

export function openedFact(actor: Actor, funding: Funding): Fact {
  return fundingFact(actor, 'funding.opened', funding, { expires_at: funding.expiresAt.toISOString() })
}

/** The change of a funding by a step, with the funding as it is after it; null: nothing changed. */
export function stepFact(funding: Funding, step: Transition['step'], balancePaise: Paise): Fact | null {
  const { id, agentId, amountPaise } = funding
  const feePaise = funding.feePaise ?? 0n
  const money = { fee: rupees(feePaise), net_amount: rupees(amountPaise - feePaise) }
  const event = {
    agent_id: formatId('agt', agentId),
    funding_id: formatId('fund', id),
    amount: rupees(amountPaise),
  }
  switch (step.kind) {
    case 'wait':
      return null
    case 'complete':
      return fundingFact(GATEWAY, 'funding.completed', funding, money, [
        { name: 'agent.funded', agentId, data: { ...event, ...money } },
      ])
    case 'fail': {
      const { reason } = step
      const failed: NewEvent = { name: 'agent.funding.failed', agentId, data: { ...event, reason } }
      // The platform never learnt of a session that failed to open, so it gets no event for its end.
      const events = reason === 'gateway_refused' ? [] : [failed]
      return fundingFact(GATEWAY, 'funding.failed', funding, { reason }, events)
    }
    case 'reverse': {
      const data = { ...event, net_amount: money.net_amount, balance: rupees(balancePaise) }
      return fundingFact(GATEWAY, 'funding.reversed', funding, money, [
        { name: 'agent.funding.reversed', agentId, data },
      ])
    }
  }
}

function fundingFact(
  actor: Actor,
  action: 'funding.opened' | 'funding.completed' | 'funding.failed' | 'funding.reversed',
  { id, agentId, amountPaise, method, paidMethod }: Funding,
  more: FactData,
  events: readonly NewEvent[] = [],
): Fact {
  const data = { amount: rupees(amountPaise), method: paidMethod ?? method, ...more }
  return { agentId, actor, action, target: formatId('fund', id), data, events }
}

/** `agentId`: the agent whose wallet the money was meant for; null where the order was never opened here. */
export function refundFact(refund: OwedRefund, status: 'done' | 'failed', agentId: Uuid | null): Fact {
  const { id, orderId, amountPaise, currency, reason } = refund
  return {
    agentId,
    actor: GATEWAY,
    action: status === 'done' ? 'funding.refunded' : 'funding.refund_failed',
    target: formatId('refund', id),
    data: { funding_id: orderId, amount: rupees(amountPaise), currency, reason },
  }
}
