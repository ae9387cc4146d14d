import type { Refusal } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Command, type LedgerBatch, read, SYSTEM } from '../../../ledger/index.ts'
import { save } from '../../../operations/entity.ts'
import { type Actor, agentActor, record } from '../../../operations/facts.ts'
import {
  type AgentPolicyCache,
  type AppKey,
  appReads,
  checkLimits,
  countRelease,
  limitPhases,
  type ReversedSpend,
  releaseReads,
  returnToApp,
  reverseSpend,
  reverseSpendPhases,
  reverseSpendReads,
  type Spend,
} from '../../limits/index.ts'
import { decideAttestation, decideHeld, decideRelease, proveKey, releaseRefusal } from './decide.ts'
import { type Escrow, type EscrowKey, isNamedAtRelease, meantFor } from './escrow.ts'
import { escrowFact } from './facts.ts'
import { escrows } from './store.ts'

/** The payee of an escrow's money, and the actor. */
export interface ReleaseOrder {
  readonly escrow: EscrowKey
  readonly payeeId: Uuid
  readonly actor: Actor
}

/**
 * Releases for the payer's platform, or because the timeout is due. Where the hold did not name the payee, the payer's
 * limits on payees are checked now, and the release counts for that payee.
 */
export function releaseCommand(agents: AgentPolicyCache, order: ReleaseOrder): Command<Escrow> {
  const { escrow: key, payeeId } = order
  const accounts = [...new Set([key.agentId, payeeId])]
  const spendIn = (batch: LedgerBatch) => spendOf(batch, agents, order)
  return {
    accounts,
    reads: [read(escrows, key)],
    phases: [
      batch => [
        ...agents.reads(batch, accounts),
        ...(countsForPayee(batch, order) ? releaseReads(key.agentId, payeeId) : []),
      ],
      ...limitPhases(spendIn),
    ],
    decide(batch) {
      const escrow = decideHeld(batch.read(escrows, key))
      if ('kind' in escrow) return escrow
      const spend = spendIn(batch)
      const [payer, payee] = [agents.facts(batch, key.agentId), agents.facts(batch, payeeId)]
      const refused = decideRelease({ escrow, payer, payee }) ?? overLimit(batch, spend)
      if (refused !== null) return refused
      if (spend !== null) countRelease(batch, spend)
      return postRelease(batch, agents, escrow, order)
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
export function attestCommand(agents: AgentPolicyCache, attestation: Attestation): Command<Escrow> {
  const { escrow: key, payeeId, attestorId, keyHash } = attestation
  const accounts = [...new Set([key.agentId, payeeId, attestorId])]
  return {
    accounts,
    reads: [read(escrows, key)],
    phases: [batch => agents.reads(batch, accounts)],
    decide(batch) {
      const attestor = agents.facts(batch, attestorId)
      const unproved = proveKey(attestor, keyHash)
      if (unproved !== null) return unproved
      const escrow = decideHeld(batch.read(escrows, key))
      if ('kind' in escrow) return escrow
      const [payer, payee] = [agents.facts(batch, key.agentId), agents.facts(batch, payeeId)]
      const refused = decideAttestation({ escrow, payer, payee }, attestor)
      return refused ?? postRelease(batch, agents, escrow, { payeeId, actor: agentActor(attestorId) })
    },
  }
}

/** Refunds what is still in escrow, whatever state the payer is in. */
export function refundCommand(agents: AgentPolicyCache, seen: Escrow, actor: Actor): Command<Escrow> {
  const given = givenBack(seen)
  return {
    accounts: [seen.agentId],
    reads: [
      read(escrows, seen),
      ...(given === null ? [] : reverseSpendReads(given)),
      ...appReads(holderOf(seen)),
    ],
    phases: [
      batch => agents.reads(batch, [seen.agentId]),
      ...(given === null ? [] : reverseSpendPhases(given)),
    ],
    decide(batch) {
      const escrow = decideHeld(batch.read(escrows, seen))
      return 'kind' in escrow ? escrow : postRefund(batch, agents, escrow, actor)
    },
  }
}

/** Credits the payee. Only now has the payer spent the money. */
function postRelease(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  held: Escrow,
  { payeeId, actor }: Omit<ReleaseOrder, 'escrow'>,
): Escrow {
  batch.post({
    kind: 'escrow_release',
    debit: SYSTEM.escrow,
    credit: payeeId,
    amountPaise: held.amountPaise,
    linkedId: held.id,
    spentBy: held.agentId,
    reference: held.reference,
  })
  const released = close(batch, { ...held, status: 'released', releasedTo: payeeId })
  // A platform that has both sides is notified once, for the payer.
  const onePlatform =
    agents.facts(batch, payeeId)?.platformId === agents.facts(batch, held.agentId)?.platformId
  record(batch, escrowFact(released, actor, onePlatform ? [held.agentId] : [held.agentId, payeeId]))
  return released
}

/** Credits the money back to the payer, and reverses it in the payer's limits. */
function postRefund(batch: LedgerBatch, agents: AgentPolicyCache, held: Escrow, actor: Actor): Escrow {
  const payer = batch.account(held.agentId)
  const facts = agents.facts(batch, held.agentId)
  assert(payer !== undefined && facts !== undefined, 'agents are never removed')
  batch.post({
    kind: 'escrow_refund',
    debit: SYSTEM.escrow,
    credit: held.agentId,
    amountPaise: held.amountPaise,
    linkedId: held.id,
    undoes: { postedMs: held.createdAt.getTime(), amountPaise: held.amountPaise, isWhole: true },
    reference: held.reference,
  })
  const given = givenBack(held)
  if (given !== null) reverseSpend(batch, payer, facts.ceiling, given)
  returnToApp(batch, holderOf(held), held.amountPaise, held.createdAt.getTime())
  const refunded = close(batch, { ...held, status: 'refunded' })
  record(batch, escrowFact(refunded, actor))
  return refunded
}

/** The app that held the money; null: none did. */
function holderOf({ agentId, appId }: Escrow): AppKey | null {
  return appId === null ? null : { agentId, id: appId }
}

function close(batch: LedgerBatch, ended: Escrow): Escrow {
  const closed: Escrow = { ...ended, resolvedAt: new Date(batch.nowMs), nextTryAt: null }
  save(batch, escrows, closed)
  return closed
}

/** Whether only the release counts for its payee, because the hold did not name it. */
function countsForPayee(batch: LedgerBatch, { escrow: key, payeeId }: ReleaseOrder): boolean {
  const escrow = batch.read(escrows, key)
  return escrow?.status === 'held' && isNamedAtRelease(escrow, payeeId)
}

/** What the limits on payees are checked for; null where the hold was counted for this payee. */
function spendOf(
  batch: LedgerBatch,
  agents: AgentPolicyCache,
  order: ReleaseOrder,
): (Spend & { readonly payeeId: Uuid }) | null {
  const escrow = batch.read(escrows, order.escrow)
  const payer = batch.account(order.escrow.agentId)
  const facts = agents.facts(batch, order.escrow.agentId)
  if (escrow === undefined || payer === undefined || facts === undefined) return null
  if (!countsForPayee(batch, order)) return null
  const { layers, ceiling } = facts
  const { payeeId } = order
  return {
    ...{ layers, ceiling, payer, payeeId, amountPaise: escrow.amountPaise },
    ...{ escrowApplies: false, only: 'payees' },
  }
}

function overLimit(batch: LedgerBatch, spend: Spend | null): Refusal | null {
  const refused = spend === null ? null : checkLimits(batch, spend)
  return refused === null ? null : releaseRefusal(refused)
}

/** What the counterparty windows reverse; null: the hold named no agent, so it is in none. */
function givenBack(escrow: Escrow): ReversedSpend | null {
  const payeeId = meantFor(escrow)
  if (payeeId === null) return null
  return {
    id: escrow.id,
    payerId: escrow.agentId,
    payeeId,
    amountPaise: escrow.amountPaise,
    isWhole: true,
    postedMs: escrow.createdAt.getTime(),
    sequence: escrow.holdSequence,
  }
}
