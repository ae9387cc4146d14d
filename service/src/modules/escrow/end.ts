import { type Refusal } from '../../kernel/app-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Book, type Command, need, SYSTEM } from '../../ledger/index.ts'
import { save } from '../../operations/entity.ts'
import { type Actor, agentActor, record } from '../audit/index.ts'
import {
  type AgentRegister,
  checkLimits,
  countRelease,
  type GivenBack,
  limitSteps,
  releaseNeeds,
  type Spend,
  uncountNeeds,
  uncountSpend,
} from '../policies/index.ts'
import { decideAttestation, decideHeld, decideRelease, keptHeld, proveAttestor } from './decide.ts'
import { type Escrow, type EscrowKey, isNamedAtRelease, meantFor } from './escrow.ts'
import { escrowFact } from './facts.ts'
import { escrows } from './store.ts'

/** Who gets the money of an escrow, and who says so. */
export interface ReleaseOrder {
  readonly escrow: EscrowKey
  readonly payeeId: Uuid
  /** Payer and payee belong to the same platform. */
  readonly onePlatform: boolean
  readonly actor: Actor
}

/**
 * Releases for the payer's platform, or because the timeout is due. Where the hold did not name the payee, the payer's
 * limits on payees are checked now, and the release counts for that payee.
 */
export function releaseCommand(agents: AgentRegister, order: ReleaseOrder): Command<Escrow> {
  const { escrow: key, payeeId } = order
  const accounts = [...new Set([key.agentId, payeeId])]
  const spendIn = (book: Book) => spendOf(book, agents, order)
  return {
    accounts,
    needs: [need(escrows, key)],
    steps: [
      book => [
        ...agents.needs(book, accounts),
        ...(countsForPayee(book, order) ? releaseNeeds(key.agentId, payeeId) : []),
      ],
      ...limitSteps(spendIn),
    ],
    decide(book) {
      const escrow = decideHeld(book.fact(escrows, key))
      if ('kind' in escrow) return escrow
      const spend = spendIn(book)
      const [payer, payee] = [agents.facts(book, key.agentId), agents.facts(book, payeeId)]
      const refused = decideRelease({ escrow, payer, payee }) ?? overLimit(book, spend)
      if (refused !== null) return refused
      if (spend !== null) countRelease(book, spend)
      return postRelease(book, escrow, order)
    },
  }
}

/** The release that the attestor orders, to the agent that the money is meant for. */
export interface Attestation extends Omit<ReleaseOrder, 'actor'> {
  readonly attestorId: Uuid
  /** SHA-256 of the key that the request came with. */
  readonly keyHash: Buffer
}

/** Releases for the attestor, whose key is checked again under its account's lock. */
export function attestCommand(agents: AgentRegister, attestation: Attestation): Command<Escrow> {
  const { escrow: key, payeeId, attestorId, keyHash } = attestation
  const accounts = [...new Set([key.agentId, payeeId, attestorId])]
  return {
    accounts,
    needs: [need(escrows, key)],
    steps: [book => agents.needs(book, accounts)],
    decide(book) {
      const attestor = agents.facts(book, attestorId)
      const unproved = proveAttestor(attestor, keyHash)
      if (unproved !== null) return unproved
      const escrow = decideHeld(book.fact(escrows, key))
      if ('kind' in escrow) return escrow
      const [payer, payee] = [agents.facts(book, key.agentId), agents.facts(book, payeeId)]
      const refused = decideAttestation({ escrow, payer, payee }, attestor)
      return refused ?? postRelease(book, escrow, { ...attestation, actor: agentActor(attestorId) })
    },
  }
}

/** Refunds what is still held, whatever state the payer is in. */
export function refundCommand(agents: AgentRegister, seen: Escrow, actor: Actor): Command<Escrow> {
  const given = givenBack(seen)
  return {
    accounts: [seen.agentId],
    needs: [need(escrows, seen), ...(given === null ? [] : uncountNeeds(given))],
    steps: [book => agents.needs(book, [seen.agentId])],
    decide(book) {
      const escrow = decideHeld(book.fact(escrows, seen))
      return 'kind' in escrow ? escrow : postRefund(book, agents, escrow, actor)
    },
  }
}

/** Credits the payee. Only now has the payer spent the money. */
function postRelease(
  book: Book,
  held: Escrow,
  { payeeId, onePlatform, actor }: Omit<ReleaseOrder, 'escrow'>,
): Escrow {
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
  // A platform that has both sides is notified once, as the payer's.
  record(book, escrowFact(released, actor, onePlatform ? [held.agentId] : [held.agentId, payeeId]))
  return released
}

/** Gives the money back to the payer, and to its limits. */
function postRefund(book: Book, agents: AgentRegister, held: Escrow, actor: Actor): Escrow {
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
  record(book, escrowFact(refunded, actor))
  return refunded
}

function close(book: Book, ended: Escrow): Escrow {
  const closed: Escrow = { ...ended, resolvedAt: new Date(book.nowMs), nextTryAt: null }
  save(book, escrows, closed)
  return closed
}

/** Whether the release counts for its payee only now, because the hold did not name it. */
function countsForPayee(book: Book, { escrow: key, payeeId }: ReleaseOrder): boolean {
  const escrow = book.fact(escrows, key)
  return escrow?.status === 'held' && isNamedAtRelease(escrow, payeeId)
}

/** What the limits on payees are asked about; null where the hold was counted for this payee. */
function spendOf(
  book: Book,
  agents: AgentRegister,
  order: ReleaseOrder,
): (Spend & { readonly payeeId: Uuid }) | null {
  const escrow = book.fact(escrows, order.escrow)
  const payer = book.account(order.escrow.agentId)
  const facts = agents.facts(book, order.escrow.agentId)
  if (escrow === undefined || payer === undefined || facts === undefined) return null
  if (!countsForPayee(book, order)) return null
  const { layers, ceiling } = facts
  const { payeeId } = order
  return {
    ...{ layers, ceiling, payer, payeeId, amountPaise: escrow.amountPaise },
    ...{ escrowApplies: false, only: 'payees' },
  }
}

function overLimit(book: Book, spend: Spend | null): Refusal | null {
  const refused = spend === null ? null : checkLimits(book, spend)
  return refused === null ? null : keptHeld(refused)
}

/** What the counterparty windows take back; null: the hold named nobody, so it is in none. */
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
