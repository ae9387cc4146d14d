import type { Refusal } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Book, Command } from '../../ledger/index.ts'
import {
  type AgentRegister,
  checkLimits,
  countRelease,
  limitSteps,
  releaseNeeds,
  type Spend,
} from '../policies/index.ts'
import { escrowIn, escrowNeed, postRelease, type Release } from './close.ts'
import { decideHeld, decideRelease, keptHeld } from './decide.ts'
import { type Escrow, type EscrowKey, isNamedAtRelease } from './escrow.ts'

export interface ReleaseOrder extends Release {
  readonly escrow: EscrowKey
}

/**
 * Releases at the word of the payer's platform, or because the time is over. Where the hold did not name the payee, the
 * payer's limits on payees are asked now, and the release counts for that payee.
 */
export function releaseCommand(agents: AgentRegister, order: ReleaseOrder): Command<Escrow> {
  const { escrow: key, payeeId } = order
  const accounts = [...new Set([key.agentId, payeeId])]
  const spendIn = (book: Book) => spendOf(book, agents, order)
  return {
    accounts,
    needs: [escrowNeed(key)],
    steps: [
      book => [
        ...agents.needs(book, accounts),
        ...(isCounted(book, order) ? releaseNeeds(key.agentId, payeeId) : []),
      ],
      ...limitSteps(spendIn),
    ],
    decide(book) {
      const held = decideHeld(escrowIn(book, key))
      if (held.kind === 'refusal') return held
      const { escrow } = held
      const payer = agents.facts(book, key.agentId)
      const spend = spendIn(book)
      const refused =
        decideRelease({ escrow, payer, payee: agents.facts(book, payeeId) }) ?? overLimit(book, spend)
      if (refused !== null) return refused
      const released = postRelease(book, escrow, order)
      if (spend !== null) countRelease(book, spend)
      return released
    },
  }
}

function isCounted(book: Book, { escrow: key, payeeId }: ReleaseOrder): boolean {
  const escrow = escrowIn(book, key)
  return escrow?.status === 'held' && isNamedAtRelease(escrow, payeeId)
}

/** What the limits on payees are asked about; null where the hold was counted for this payee. */
function spendOf(
  book: Book,
  agents: AgentRegister,
  order: ReleaseOrder,
): (Spend & { readonly payeeId: Uuid }) | null {
  const { payeeId } = order
  const escrow = escrowIn(book, order.escrow)
  const payer = book.account(order.escrow.agentId)
  const facts = agents.facts(book, order.escrow.agentId)
  if (escrow === undefined || payer === undefined || facts === undefined) return null
  if (!isCounted(book, order)) return null
  const { layers, ceiling } = facts
  const { amountPaise } = escrow
  return { layers, ceiling, payer, payeeId, amountPaise, escrowApplies: false, only: 'payees' }
}

function overLimit(book: Book, spend: Spend | null): Refusal | null {
  const refused = spend === null ? null : checkLimits(book, spend)
  return refused === null ? null : keptHeld(refused)
}
