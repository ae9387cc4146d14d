import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { type Book, type Command, type Need, need, SYSTEM } from '../../ledger/index.ts'
import type { Actor } from '../audit/index.ts'
import { payerKey, type Use, usedKeys, useInForce } from '../payments/index.ts'
import { type AgentRegister, checkLimits, countSpend, limitSteps, type Spend } from '../policies/index.ts'
import { recordEscrow } from './acts.ts'
import { decideHold, type HoldFacts, type HoldPlan, type NamedAgent } from './decide.ts'
import { type Escrow, type HoldIntent, meantFor } from './escrow.ts'
import { tellHeld } from './events.ts'
import { escrowSource, heldSink, keyOf } from './store.ts'

/** Who stands behind a hold: its platform, or the owner who approves it. */
export type Mandate =
  | { readonly by: 'platform'; readonly actor: Actor }
  | { readonly by: 'owner'; readonly actor: Actor; readonly approvalId: Uuid }

/** What holding and approving share: what they lock and read, how they decide, and the posting. */
export interface PreparedHold {
  readonly accounts: readonly Uuid[]
  readonly needs: readonly Need[]
  readonly steps: NonNullable<Command<object>['steps']>
  decide(book: Book): Refusal | HoldPlan
  /** Makes the key known to the rest of the batch. */
  noteUse(book: Book, use: Use): void
  post(book: Book): Escrow
}

/** Everything about a hold but what becomes of it. It is decided like a payment to the agent that it is meant for. */
export function prepareHold(agents: AgentRegister, intent: HoldIntent, mandate: Mandate): PreparedHold {
  const { payerId, idempotencyKey } = intent
  const accounts = [...new Set([payerId, ...[intent.toAgentId, intent.attestorId].flatMap(id => id ?? [])])]
  const keyed = idempotencyKey === null ? null : payerKey(payerId, idempotencyKey)
  const carriedOut = mandate.by === 'owner' ? mandate.approvalId : null
  const spendIn = (book: Book) => spendOf(book, agents, intent)

  function noteUse(book: Book, use: Use): void {
    if (keyed !== null) book.setFact(usedKeys, keyed, use)
  }

  return {
    accounts,
    needs: keyed === null ? [] : [need(usedKeys, keyed)],
    steps: [book => agents.needs(book, accounts), ...limitSteps(spendIn)],
    decide(book) {
      const used = keyed === null ? undefined : useInForce(book.fact(usedKeys, keyed), book.nowMs, carriedOut)
      return used === undefined ? decideHold(factsIn(book, agents, intent, mandate)) : keyUsed(used)
    },
    noteUse,
    post(book) {
      const escrow = postHold(book, intent)
      recordEscrow(book, mandate.actor, escrow)
      noteUse(book, { id: escrow.id, kind: 'escrow_hold' })
      const spend = spendIn(book)
      if (spend !== null) countSpend(book, spend)
      return escrow
    },
  }
}

function factsIn(book: Book, agents: AgentRegister, intent: HoldIntent, { by }: Mandate): HoldFacts {
  const { payerId, toAgentId, attestorId, amountPaise } = intent
  const named = (id: Uuid | null, field: NamedAgent['field']): NamedAgent[] =>
    id === null ? [] : [{ field, agent: agents.facts(book, id) }]
  return {
    by,
    payer: agents.facts(book, payerId),
    payerAccount: book.account(payerId),
    named: [...named(toAgentId, 'to_agent_id'), ...named(attestorId, 'attestor_agent_id')],
    amountPaise,
    checkLimits() {
      const spend = spendOf(book, agents, intent)
      return spend === null ? null : checkLimits(book, spend)
    },
  }
}

/** What the limits are asked about: those on payees only where the hold names one, else its release asks them. */
function spendOf(book: Book, agents: AgentRegister, intent: HoldIntent): Spend | null {
  const facts = agents.facts(book, intent.payerId)
  const payer = book.account(intent.payerId)
  if (facts === undefined || payer === undefined) return null
  const { layers, ceiling } = facts
  const payeeId = meantFor(intent)
  const asked = payeeId === null ? ({ only: 'amounts' } as const) : {}
  return { layers, ceiling, payer, payeeId, amountPaise: intent.amountPaise, escrowApplies: false, ...asked }
}

function postHold(book: Book, intent: HoldIntent): Escrow {
  const { payerId, toAgentId, attestorId, amountPaise, reference, idempotencyKey, timeoutMs } = intent
  const meant = meantFor(intent)
  const { id, postedAt, debitSequence } = book.post({
    kind: 'escrow_hold',
    debit: payerId,
    credit: SYSTEM.escrow,
    amountPaise,
    ...(meant === null ? {} : { linkedId: meant }),
    idempotencyKey,
    reference,
  })
  assert(debitSequence !== null, 'a hold debits a wallet')
  const escrow: Escrow = {
    ...{ agentId: payerId, id, toAgentId, attestorId, amountPaise, reference },
    status: 'held',
    autoAction: intent.autoAction,
    expiresAt: timeoutMs === null ? null : new Date(postedAt.getTime() + timeoutMs),
    releasedTo: null,
    createdAt: postedAt,
    resolvedAt: null,
    holdSequence: debitSequence,
  }
  book.setFact(escrowSource, keyOf(escrow), escrow)
  book.write(heldSink, escrow)
  tellHeld(book, escrow)
  return escrow
}

/** A key that was used names what it was used for, so that a client that lost the answer recovers. */
function keyUsed(use: Use): Refusal {
  const made =
    use.kind === 'approval'
      ? { escrow_id: null, approval_id: formatId('apr', use.id), status: 'pending_approval' }
      : { escrow_id: formatId('esc', use.id) }
  return refuse(
    'idempotency_error',
    use.kind === 'approval'
      ? 'A hold with this Idempotency-Key waits for approval: details.approval_id names it. Use a new key for a new hold'
      : 'This Idempotency-Key was used for a hold: details.escrow_id names it. Use a new key for a new hold',
    { field: 'Idempotency-Key', details: made },
  )
}
