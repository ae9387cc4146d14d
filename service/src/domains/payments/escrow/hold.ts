import type { EscrowHold } from '@batua/contract'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { ZERO_PAISE } from '../../../kernel/money.ts'
import { type Command, type LedgerBatch, SYSTEM } from '../../../ledger/index.ts'
import type { Actor } from '../../../operations/act.ts'
import { insert } from '../../../operations/entity.ts'
import { record } from '../../../operations/record.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import type { Approval, ApprovalRequest, Executor } from '../approvals/approval.ts'
import { type HoldTerms, holdTerms } from '../approvals/hold-terms.ts'
import { type Spending, spendApproved, spendCommand } from '../spend.ts'
import type { Use } from '../uses.ts'
import { decideHold, type HoldFacts, type NamedAgent } from './decide.ts'
import { type Escrow, type HoldIntent, meantFor } from './escrow.ts'
import { escrowRecord, waitingRecord } from './escrow-record.ts'
import { escrowFact } from './facts.ts'
import { escrows } from './store.ts'

/** Holds money in escrow, or requests the owner's approval. */
export function holdCommand(agents: AgentPolicyCache, intent: HoldIntent, actor: Actor): Command<EscrowHold> {
  return spendCommand<Escrow, EscrowHold>(
    agents,
    holdSpending(agents, intent, { by: 'platform', actor }),
    { request: requestOf(intent), actor },
    { posted: escrowRecord, waiting: approval => waitingRecord(approval, intent) },
  )
}

/** Makes the hold that an owner approves. The timeout runs from the hold, whenever that is. */
export function executeHold(agents: AgentPolicyCache): Executor {
  return (approval, actor) => {
    const spending = holdSpending(agents, intentOf(approval), { by: 'owner', actor })
    return spendApproved(agents, spending, { approval, actor }, escrow => ({ escrow: escrowRecord(escrow) }))
  }
}

/** The authority of a hold: the platform's, or that of the owner who approves. */
interface Mandate {
  readonly by: HoldFacts['by']
  readonly actor: Actor
}

/**
 * A hold as money that is spent. The limits on payees apply to the agent that it is meant for; without one, they are
 * checked at its release.
 */
function holdSpending(agents: AgentPolicyCache, intent: HoldIntent, mandate: Mandate): Spending<Escrow> {
  const { payerId, toAgentId, attestorId, amountPaise, idempotencyKey } = intent
  const payeeId = meantFor(intent)
  const namedIn = (batch: LedgerBatch): NamedAgent[] => [
    ...named('to_agent_id', toAgentId, batch, agents),
    ...named('attestor_agent_id', attestorId, batch, agents),
  ]
  return {
    kind: 'escrow_hold',
    ...{ payerId, payeeId, amountPaise, idempotencyKey },
    agentIds: [...new Set([payerId, ...[toAgentId, attestorId].flatMap(id => id ?? [])])],
    limits: { escrowApplies: false, ...(payeeId === null ? { only: 'amounts' } : {}) },
    decide: (batch, { sameKey, checkLimits }) =>
      sameKey === undefined
        ? decideHold({
            ...{ by: mandate.by, amountPaise, checkLimits },
            payer: agents.facts(batch, payerId),
            payerAccount: batch.account(payerId),
            named: namedIn(batch),
          })
        : keyUsed(sameKey),
    post: batch => postHold(batch, intent, mandate.actor),
  }
}

function named(
  field: NamedAgent['field'],
  id: Uuid | null,
  batch: LedgerBatch,
  agents: AgentPolicyCache,
): NamedAgent[] {
  return id === null ? [] : [{ field, agent: agents.facts(batch, id) }]
}

function postHold(batch: LedgerBatch, intent: HoldIntent, actor: Actor): Escrow {
  const { payerId, toAgentId, attestorId, amountPaise, reference, idempotencyKey, timeoutMs } = intent
  const payeeId = meantFor(intent)
  const { id, postedAt, debitSequence } = batch.post({
    kind: 'escrow_hold',
    debit: payerId,
    credit: SYSTEM.escrow,
    amountPaise,
    ...(payeeId === null ? {} : { linkedId: payeeId }),
    idempotencyKey,
    reference,
  })
  assert(debitSequence !== null, 'a hold debits a wallet')
  const expiresAt = timeoutMs === null ? null : new Date(postedAt.getTime() + timeoutMs)
  const escrow: Escrow = {
    ...{ agentId: payerId, id, toAgentId, attestorId, amountPaise, reference },
    status: 'held',
    autoAction: intent.autoAction,
    expiresAt,
    releasedTo: null,
    createdAt: postedAt,
    resolvedAt: null,
    holdSequence: debitSequence,
    nextTryAt: expiresAt,
  }
  insert(batch, escrows, escrow)
  record(batch, escrowFact(escrow, actor))
  return escrow
}

/** What the owner is asked to approve: no fee, no note, no unique reference. */
function requestOf(intent: HoldIntent): Omit<ApprovalRequest, 'layer'> {
  const { payerId, amountPaise, reference, idempotencyKey } = intent
  const terms: HoldTerms = {
    to_agent_id: intent.toAgentId,
    attestor_agent_id: intent.attestorId,
    timeout_ms: intent.timeoutMs,
    auto_action: intent.autoAction,
  }
  return {
    ...{ agentId: payerId, amountPaise, reference, idempotencyKey, terms },
    kind: 'escrow_hold',
    payeeId: meantFor(intent),
    feePaise: ZERO_PAISE,
    note: null,
    uniqueReference: false,
  }
}

/** The hold that an approval was requested for. */
function intentOf(approval: Approval): HoldIntent {
  const { agentId: payerId, amountPaise, reference, idempotencyKey } = approval
  const terms = holdTerms(approval.terms)
  assert(terms !== null, 'an approval of a hold holds its terms')
  return {
    ...{ payerId, amountPaise, reference, idempotencyKey },
    toAgentId: terms.to_agent_id,
    attestorId: terms.attestor_agent_id,
    timeoutMs: terms.timeout_ms,
    autoAction: terms.auto_action,
  }
}

/** A key that was used names what it was used for, so that a client that lost the response recovers. */
function keyUsed(use: Use): Refusal {
  const [details, message] =
    use.kind === 'approval'
      ? [
          { escrow_id: null, approval_id: formatId('apr', use.id), status: 'pending_approval' },
          'A hold with this Idempotency-Key waits for approval: details.approval_id names it. Use a new key for a new hold',
        ]
      : [
          { escrow_id: formatId('esc', use.id) },
          'This Idempotency-Key was used for a hold: details.escrow_id names it. Use a new key for a new hold',
        ]
  return refuse('idempotency_error', message, { field: 'Idempotency-Key', details })
}
