import { formatId } from '../../../kernel/ids.ts'
import { type Paise, rupees } from '../../../kernel/money.ts'
import type { NewEvent } from '../../../operations/event.ts'
import type { Transition } from './decide.ts'
import type { Funding } from './funding.ts'

/**
 * The webhook event for a transition, with the funding as it is after it; null: none. The platform never learnt of a
 * session that failed to open, so it gets no event for its end.
 */
export function fundingEvent(
  { id, agentId, amountPaise, feePaise, failureReason }: Funding,
  step: Transition['step']['kind'],
  balancePaise: Paise,
): NewEvent | null {
  const funding = { agent_id: formatId('agt', agentId), funding_id: formatId('fund', id) }
  const amount = rupees(amountPaise)
  const fee = feePaise ?? 0n
  const netAmount = rupees(amountPaise - fee)
  switch (step) {
    case 'wait':
      return null
    case 'complete': {
      const data = { ...funding, amount, fee: rupees(fee), net_amount: netAmount }
      return { name: 'agent.funded', agentId, data }
    }
    case 'fail': {
      if (failureReason === null || failureReason === 'gateway_refused') return null
      return { name: 'agent.funding.failed', agentId, data: { ...funding, amount, reason: failureReason } }
    }
    case 'reverse': {
      const data = { ...funding, amount, net_amount: netAmount, balance: rupees(balancePaise) }
      return { name: 'agent.funding.reversed', agentId, data }
    }
  }
}
