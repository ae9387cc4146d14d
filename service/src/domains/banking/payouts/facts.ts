import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { eventNamed, type NewEvent } from '../../../operations/event.ts'
import { type Actor, type Fact, type FactData, service } from '../../../operations/facts.ts'
import type { Transition } from './decide.ts'
import type { Payout } from './payout.ts'

const PROVIDER = service('payout provider')

/** The statement line of a payout. */
export function transactionIdOf({ id }: Pick<Payout, 'id'>): string {
  return formatId('txn', id)
}

/** Money was debited from a wallet for a payout. */
export function requestedFact(actor: Actor, payout: Payout): Fact {
  return payoutFact(actor, 'payout.requested', payout)
}

/** The change of a payout by a step; null: nothing changed. The provider's reason is recorded nowhere. */
export function stepFact(payout: Payout, step: Transition['step']): Fact | null {
  const { agentId, kind } = payout
  const event = {
    agent_id: formatId('agt', agentId),
    amount: rupees(payout.amountPaise),
    transaction_id: transactionIdOf(payout),
  }
  const returned = (status: 'failed' | 'reversed'): NewEvent => ({
    name: 'agent.withdrawal.failed',
    agentId,
    data: { ...event, type: kind, status },
  })
  switch (step.kind) {
    case 'wait':
      return null
    case 'complete': {
      const { utr } = step
      const name = kind === 'settlement' ? 'agent.settlement.completed' : 'agent.withdrawal.completed'
      return payoutFact(PROVIDER, 'payout.completed', payout, { utr }, [
        eventNamed(name, { agentId }, { ...event, utr }),
      ])
    }
    case 'fail':
      return payoutFact(PROVIDER, 'payout.failed', payout, {}, [returned('failed')])
    case 'reverse':
      return payoutFact(PROVIDER, 'payout.reversed', payout, {}, [returned('reversed')])
  }
}

function payoutFact(
  actor: Actor,
  action: 'payout.requested' | 'payout.completed' | 'payout.failed' | 'payout.reversed',
  payout: Payout,
  more: FactData = {},
  events: readonly NewEvent[] = [],
): Fact {
  const { agentId, kind, amountPaise, bankAccountLast4 } = payout
  const transactionId = transactionIdOf(payout)
  const data = {
    kind,
    amount: rupees(amountPaise),
    transaction_id: transactionId,
    bank_account_last4: bankAccountLast4,
    ...more,
  }
  return { agentId, actor, action, target: transactionId, data, events }
}
