import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { OurEvent, OurFunding, OurPayout, OurRecords } from './our-records.ts'

const MONEY_EVENTS = [
  'agent.funded',
  'agent.funding.failed',
  'agent.funding.reversed',
  'agent.settlement.completed',
  'agent.withdrawal.completed',
  'agent.withdrawal.failed',
]

/** Platforms have one event for every end of a funding and of a payout, and no other. */
export function checkEvents(ours: OurRecords): string[] {
  const sent = counted(ours.events.filter(({ name }) => MONEY_EVENTS.includes(name)).map(textOf))
  const due = counted([...ours.fundings.flatMap(ofFunding), ...ours.payouts.flatMap(ofPayout)])
  const all = new Set([...sent.keys(), ...due.keys()])
  return [...all].flatMap(text => {
    const [times, right] = [sent.get(text) ?? 0, due.get(text) ?? 0]
    return times === right ? [] : [`${text}: sent ${times} times instead of ${right}`]
  })
}

function textOf({ name, agentId, data }: OurEvent): string {
  return `${name} ${agentId} ${data.funding_id ?? data.transaction_id} ${data.amount}`
}

function ofFunding({ id, agentId, amountPaise, status, failureReason }: OurFunding): string[] {
  const facts = `${agentId} ${formatId('fund', id)} ${rupees(amountPaise)}`
  switch (status) {
    case 'pending':
      return []
    case 'failed':
      // A session that was never opened has no event.
      return failureReason === 'gateway_refused' ? [] : [`agent.funding.failed ${facts}`]
    case 'completed':
      return [`agent.funded ${facts}`]
    case 'reversed':
      return [`agent.funded ${facts}`, `agent.funding.reversed ${facts}`]
  }
}

function ofPayout({ id, agentId, amountPaise, status, kind }: OurPayout): string[] {
  const facts = `${agentId} ${formatId('txn', id)} ${rupees(amountPaise)}`
  const arrived =
    kind === 'settlement' ? `agent.settlement.completed ${facts}` : `agent.withdrawal.completed ${facts}`
  switch (status) {
    case 'pending':
      return []
    case 'completed':
      return [arrived]
    case 'failed':
      return [`agent.withdrawal.failed ${facts}`]
    case 'reversed':
      return [arrived, `agent.withdrawal.failed ${facts}`]
  }
}

function counted(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
