import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { eventNamed } from '../../../operations/event.ts'
import type { Actor, Fact } from '../../../operations/facts.ts'
import { type Escrow, payeeOf } from './escrow.ts'

/**
 * The fact that an escrow was held, released or refunded: an audit entry of the payer, and an event for the platform
 * of each agent in `notified`.
 */
export function escrowFact(escrow: Escrow, actor: Actor, notified: readonly Uuid[] = [escrow.agentId]): Fact {
  const { id, agentId, status, reference } = escrow
  const payee = payeeOf(escrow)
  const to = payee === null ? null : formatId('agt', payee)
  const amount = rupees(escrow.amountPaise)
  const transactionId = formatId('txn', id)
  const event = { escrow_id: formatId('esc', id), from: formatId('agt', agentId), to, amount, reference }
  return {
    agentId,
    actor,
    action: `escrow.${status}`,
    target: event.escrow_id,
    data: { to_agent_id: to, amount, transaction_id: transactionId, reference },
    events: notified.map(each =>
      eventNamed(`agent.escrow.${status}`, { agentId: each }, { agent_id: formatId('agt', each), ...event }),
    ),
  }
}
