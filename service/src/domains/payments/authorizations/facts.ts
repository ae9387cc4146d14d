import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { LedgerBatch, Transfer } from '../../../ledger/index.ts'
import { eventNamed } from '../../../operations/event.ts'
import { type Actor, agentActor, type Fact, type FactData, record } from '../../../operations/facts.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import type { Authorization } from './authorization.ts'

/** Money was set aside. */
export function recordCreated(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  authorization: Authorization,
  actor: Actor,
): void {
  const { expiresAt, voucherKey } = authorization
  const expires = { expires_at: expiresAt.toISOString() }
  record(batch, {
    ...factOf(authorization, actor, 'authorization.created', {
      ...expires,
      fee_reserved: rupees(authorization.feeReservedPaise),
      voucher_key: voucherKey,
    }),
    events: notified(batch, agents, authorization, (subject, terms) =>
      eventNamed('agent.authorization.created', subject, { ...terms, ...expires }),
    ),
  })
}

/** The payee captured. */
export function recordCaptured(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  authorization: Authorization,
  { id, amountPaise }: Transfer,
): void {
  const captured = {
    payment_id: formatId('pay', id),
    receipt_id: formatId('rcp', id),
    captured_now: rupees(amountPaise),
    captured: rupees(authorization.capturedPaise),
  }
  record(batch, {
    ...factOf(authorization, agentActor(authorization.payeeId), 'authorization.captured', captured),
    events: notified(batch, agents, authorization, (subject, terms) =>
      eventNamed('agent.authorization.captured', subject, { ...terms, ...captured }),
    ),
  })
}

/** The closing has begun. `closesMs`: when it ends; null while the grace is paused. */
export function recordClosing(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  authorization: Authorization,
  { actor, closesMs }: { readonly actor: Actor; readonly closesMs: number | null },
): void {
  const closes = { closes_at: closesMs === null ? null : new Date(closesMs).toISOString() }
  record(batch, {
    ...factOf(authorization, actor, 'authorization.closing', closes),
    events: notified(batch, agents, authorization, (subject, terms) =>
      eventNamed('agent.authorization.closing', subject, { ...terms, ...closes }),
    ),
  })
}

/** It has ended. */
export function recordEnded(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  authorization: Authorization & { readonly status: 'closed' | 'expired' | 'voided' },
  actor: Actor,
): void {
  const { status } = authorization
  const outcome = {
    status,
    captured: rupees(authorization.capturedPaise),
    fee: rupees(authorization.feePaise),
  }
  const action = status === 'voided' ? 'authorization.voided' : 'authorization.closed'
  record(batch, {
    ...factOf(authorization, actor, action, outcome),
    events: notified(batch, agents, authorization, (subject, terms) =>
      eventNamed('agent.authorization.closed', subject, { ...terms, ...outcome }),
    ),
  })
}

/** An audit entry of the payer. */
function factOf(
  { id, agentId, payeeId, amountPaise, reference }: Authorization,
  actor: Actor,
  action: Fact['action'],
  data: FactData,
): Fact {
  return {
    ...{ agentId, actor, action },
    target: formatId('ath', id),
    data: {
      to: formatId('agt', payeeId),
      amount: rupees(amountPaise),
      transaction_id: formatId('txn', id),
      reference,
      ...data,
    },
  }
}

type Events = NonNullable<Fact['events']>

/** One event for the platform of each side; a platform that has both is notified once, for the payer. */
function notified(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  { id, agentId, payeeId, amountPaise, reference }: Authorization,
  eventFor: (subject: { readonly agentId: Uuid }, terms: Terms) => Events[number],
): Events {
  const onePlatform = agents.facts(batch, payeeId)?.platformId === agents.facts(batch, agentId)?.platformId
  return (onePlatform ? [agentId] : [agentId, payeeId]).map(each =>
    eventFor(
      { agentId: each },
      {
        agent_id: formatId('agt', each),
        authorization_id: formatId('ath', id),
        from: formatId('agt', agentId),
        to: formatId('agt', payeeId),
        amount: rupees(amountPaise),
        reference,
      },
    ),
  )
}

interface Terms {
  readonly agent_id: string
  readonly authorization_id: string
  readonly from: string
  readonly to: string
  readonly amount: number
  readonly reference: string | null
}
