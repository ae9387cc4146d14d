import { isDeepStrictEqual } from 'node:util'
import type { EscrowHold } from '@batua/contract'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { ZERO_PAISE } from '../../../kernel/money.ts'
import { type Command, type LedgerBatch, read, SYSTEM } from '../../../ledger/index.ts'
import { insert } from '../../../operations/entity.ts'
import { type Actor, record } from '../../../operations/facts.ts'
import { type AgentPolicyCache, keyOfApp } from '../../limits/index.ts'
import {
  type Approval,
  type Executor,
  type HoldTerms,
  holdTerms,
  termsIn,
  termsOf,
} from '../approvals/approval.ts'
import { recordContext } from '../context.ts'
import type { KeyUse, RequestKey } from '../idempotency.ts'
import { type RequestTerms, type Spending, spendApproved, spendCommand } from '../spend.ts'
import { decideHold, type HoldFacts, type NamedAgent, proveKey } from './decide.ts'
import { type Escrow, type HoldIntent, meantFor, type Named, type Terms } from './escrow.ts'
import { escrowRecord, waitingRecord } from './escrow-record.ts'
import { escrowFact } from './facts.ts'
import { escrows } from './store.ts'

/** Holds money in escrow, or requests the owner's approval. */
export function holdCommand(
  agents: AgentPolicyCache,
  intent: HoldIntent,
  { actor, keyHash }: Requester,
): Command<EscrowHold> {
  return spendCommand<Escrow, EscrowHold>(
    agents,
    holdSpending(agents, intent, { by: 'requester', actor, keyHash }),
    () => ({ request: requestOf(intent), actor }),
    { posted: escrowRecord, waiting: approval => waitingRecord(approval, intent) },
  )
}

/** Makes the hold that an owner approves. The timeout runs from the hold, whenever that is. */
export function executeHold(agents: AgentPolicyCache): Executor {
  return (approval, approver) => {
    const { actor } = approver
    const spending = holdSpending(agents, intentOf(approval), { by: 'owner', actor, keyHash: null })
    return spendApproved(agents, spending, { approval, approver }, (escrow, policyVersion) => ({
      made: { escrow: escrowRecord(escrow, policyVersion) },
    }))
  }
}

/** The authority of a hold: that of the platform or the agent, or that of the owner who approves. */
interface Mandate extends Requester {
  readonly by: HoldFacts['by']
}

/** Who requests a hold. */
export interface Requester {
  readonly actor: Actor
  /** SHA-256 of the agent's key, which is proved again under the lock; null: it is not the agent itself. */
  readonly keyHash: Buffer | null
}

/**
 * A hold as money that is spent. The limits on payees apply to the agent that it is meant for; without one, they are
 * checked at its release.
 */
function holdSpending(agents: AgentPolicyCache, intent: HoldIntent, mandate: Mandate): Spending<Escrow> {
  const { payerId, toAgentId, attestorId, amountPaise } = intent
  const payeeId = meantFor(intent)
  const namedIn = (batch: LedgerBatch): NamedAgent[] => [
    ...named('to_agent_id', toAgentId, batch, agents),
    ...named('attestor_agent_id', attestorId, batch, agents),
  ]
  return {
    kind: 'escrow_hold',
    app: keyOfApp(payerId, intent.app),
    ...{ payerId, payeeId, amountPaise },
    key: keyOfHold(intent),
    agentIds: [...new Set([payerId, ...[toAgentId, attestorId].flatMap(id => id ?? [])])],
    limits: { escrowApplies: false, ...(payeeId === null ? { only: 'amounts' } : {}) },
    decide: (batch, { keyUsed, checkLimits }) =>
      (mandate.keyHash === null ? null : proveKey(agents.facts(batch, payerId), mandate.keyHash)) ??
      keyUsed ??
      decideHold({
        ...{ by: mandate.by, amountPaise, checkLimits },
        payer: agents.facts(batch, payerId),
        payerAccount: batch.account(payerId),
        named: namedIn(batch),
      }),
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
  const held = batch.post({
    kind: 'escrow_hold',
    debit: payerId,
    credit: SYSTEM.escrow,
    amountPaise,
    ...(payeeId === null ? {} : { linkedId: payeeId }),
    idempotencyKey,
    reference,
  })
  const { id, postedAt, debitSequence } = held
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
    appId: intent.app?.id ?? null,
  }
  insert(batch, escrows, escrow)
  record(batch, escrowFact(escrow, actor))
  recordContext(batch, held, intent)
  return escrow
}

function keyOfHold(intent: HoldIntent): RequestKey | null {
  const { payerId, idempotencyKey: text, formerKey: formerText } = intent
  if (text === null) return null
  return {
    ...{ text, formerText },
    field: 'Idempotency-Key',
    readsOf: ({ kind, id }) => (kind === 'escrow_hold' ? [read(escrows, { agentId: payerId, id })] : []),
    isSame: (batch, use) => isDeepStrictEqual(inputOf(batch, payerId, use), ownInput(intent)),
  }
}

/** What a request to hold asks for. */
function ownInput(intent: Named & Terms & Pick<HoldIntent, 'amountPaise' | 'reference'>) {
  const { amountPaise, reference } = intent
  return { amountPaise, reference, terms: holdTermsOf(intent) }
}

/** What the hold that used a key was asked for, as it is stored; null: the key was used for something else. */
function inputOf(batch: LedgerBatch, payerId: Uuid, use: KeyUse): ReturnType<typeof ownInput> | null {
  if (use.kind === 'approval') {
    const { amountPaise, reference } = use.request
    const terms = holdTerms(use.request.terms)
    return terms === null ? null : { amountPaise, reference, terms }
  }
  const escrow = batch.read(escrows, { agentId: payerId, id: use.id })
  if (escrow === undefined) return null
  const { createdAt, expiresAt } = escrow
  const timeoutMs = expiresAt === null ? null : expiresAt.getTime() - createdAt.getTime()
  return ownInput({ ...escrow, timeoutMs })
}

function holdTermsOf({ toAgentId, attestorId, timeoutMs, autoAction }: Named & Terms): HoldTerms {
  return {
    to_agent_id: toAgentId,
    attestor_agent_id: attestorId,
    timeout_ms: timeoutMs,
    auto_action: autoAction,
  }
}

/** What the owner is asked to approve: no fee, no note, no unique reference. */
function requestOf(intent: HoldIntent): RequestTerms {
  const { payerId, amountPaise, reference, idempotencyKey, context, app } = intent
  return {
    ...{ agentId: payerId, amountPaise, reference, idempotencyKey },
    terms: termsOf(holdTermsOf(intent), context, app),
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
    ...{ payerId, amountPaise, reference, idempotencyKey, formerKey: null },
    ...termsIn(approval),
    toAgentId: terms.to_agent_id,
    attestorId: terms.attestor_agent_id,
    timeoutMs: terms.timeout_ms,
    autoAction: terms.auto_action,
  }
}
