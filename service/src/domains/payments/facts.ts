import { formatId, type Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees } from '../../kernel/money.ts'
import type { Transfer } from '../../ledger/index.ts'
import type { Actor, Fact } from '../../operations/facts.ts'
import { memberFact } from '../parties/index.ts'
import type { PaymentRow } from './store.ts'

/** The treasury of an organization, as the payer, gave money to a member. */
export function allocatedFact(actor: Actor, orgId: Uuid, transfer: Transfer): Fact {
  const { id, debitAccount, creditAccount, amountPaise } = transfer
  return memberFact(
    actor,
    'org.allocated',
    { orgId, agentId: debitAccount },
    {
      to_agent_id: formatId('agt', creditAccount),
      amount: rupees(amountPaise),
      transaction_id: formatId('txn', id),
    },
  )
}

/**
 * The payee of a payment gave money back. A platform that has both sides gets one event, for the agent that was refunded.
 */
export function refundedFact(
  actor: Actor,
  { id, amountPaise }: Transfer,
  { id: paymentId, payer, payee }: PaymentRow,
  refundedTotalPaise: Paise,
  onePlatform: boolean,
): Fact {
  const refund = { payment_id: formatId('pay', paymentId), amount: rupees(amountPaise) }
  const to = formatId('agt', payer)
  const event = {
    ...refund,
    refund_id: formatId('rfd', id),
    refunded_total: rupees(refundedTotalPaise),
    from: formatId('agt', payee),
    to,
  }
  return {
    agentId: payee,
    actor,
    action: 'payment.refunded',
    target: event.refund_id,
    data: { ...refund, to, transaction_id: formatId('txn', id) },
    events: (onePlatform ? [payer] : [payee, payer]).map(agentId => ({
      name: 'agent.payment.refunded',
      agentId,
      data: { agent_id: formatId('agt', agentId), ...event },
    })),
  }
}
