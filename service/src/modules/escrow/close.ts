import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Book, type Need, need, SYSTEM } from '../../ledger/index.ts'
import type { Actor } from '../audit/index.ts'
import { type AgentRegister, type GivenBack, uncountNeeds, uncountSpend } from '../policies/index.ts'
import { recordEscrow } from './acts.ts'
import { type Escrow, type EscrowKey, meantFor } from './escrow.ts'
import { tellRefunded, tellReleased } from './events.ts'
import { closedSink, escrowSource, keyOf } from './store.ts'

/** What a command needs that closes an escrow. It must also take the payer's account. */
export function escrowNeed(key: EscrowKey): Need {
  return need(escrowSource, keyOf(key))
}

/** An escrow as this batch sees it. */
export function escrowIn(book: Book, key: EscrowKey): Escrow | undefined {
  return book.fact(escrowSource, keyOf(key))
}

/** Who gets the money of an escrow, and at whose word. */
export interface Release {
  readonly payeeId: Uuid
  /** Payer and payee belong to the same platform. */
  readonly onePlatform: boolean
  readonly actor: Actor
}

/** Credits the payee. Only now has the payer spent the money. */
export function postRelease(book: Book, held: Escrow, { payeeId, onePlatform, actor }: Release): Escrow {
  book.post({
    kind: 'escrow_release',
    debit: SYSTEM.escrow,
    credit: payeeId,
    amountPaise: held.amountPaise,
    linkedId: held.id,
    spentBy: held.agentId,
    reference: held.reference,
  })
  const released = close(book, { ...held, status: 'released', releasedTo: payeeId })
  recordEscrow(book, actor, released)
  tellReleased(book, released, payeeId, onePlatform)
  return released
}

/** What a command needs beyond that if it may refund. */
export function refundNeeds(escrow: Escrow): Need[] {
  const given = givenBack(escrow)
  return given === null ? [] : uncountNeeds(given)
}

/** Gives the money back to the payer, and to its limits. */
export function postRefund(book: Book, agents: AgentRegister, held: Escrow, actor: Actor): Escrow {
  const payer = book.account(held.agentId)
  const facts = agents.facts(book, held.agentId)
  assert(payer !== undefined && facts !== undefined, 'agents are never removed')
  book.post({
    kind: 'escrow_refund',
    debit: SYSTEM.escrow,
    credit: held.agentId,
    amountPaise: held.amountPaise,
    linkedId: held.id,
    undoesMs: held.createdAt.getTime(),
    reference: held.reference,
  })
  const given = givenBack(held)
  if (given !== null) uncountSpend(book, payer, facts.ceiling, given)
  const refunded = close(book, { ...held, status: 'refunded' })
  recordEscrow(book, actor, refunded)
  tellRefunded(book, refunded)
  return refunded
}

/** What the counterparty windows forget; null: the hold named nobody, so it is in none. */
function givenBack(escrow: Escrow): GivenBack | null {
  const payeeId = meantFor(escrow)
  if (payeeId === null) return null
  return {
    id: escrow.id,
    payerId: escrow.agentId,
    payeeId,
    amountPaise: escrow.amountPaise,
    postedMs: escrow.createdAt.getTime(),
    sequence: escrow.holdSequence,
  }
}

function close(book: Book, escrow: Escrow): Escrow {
  assert(escrowIn(book, escrow)?.status === 'held', 'an escrow ends once')
  const closed: Escrow = { ...escrow, resolvedAt: new Date(book.nowMs) }
  book.setFact(escrowSource, keyOf(closed), closed)
  book.write(closedSink, closed)
  return closed
}
