import type { AgentEscrowHeld } from '@batua/contract'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import type { Book } from '../../ledger/index.ts'
import { emit } from '../events/index.ts'
import { type Escrow, meantFor } from './escrow.ts'

export function tellHeld(book: Book, escrow: Escrow): void {
  const { agentId } = escrow
  emit(book, { name: 'agent.escrow.held', agentId, data: dataFor(agentId, escrow) })
}

export function tellRefunded(book: Book, escrow: Escrow): void {
  const { agentId } = escrow
  emit(book, { name: 'agent.escrow.refunded', agentId, data: dataFor(agentId, escrow) })
}

/** One event for each platform concerned: a platform that has both sides hears of it once, as the payer's. */
export function tellReleased(book: Book, escrow: Escrow, payeeId: Uuid, onePlatform: boolean): void {
  for (const agentId of onePlatform ? [escrow.agentId] : [escrow.agentId, payeeId]) {
    emit(book, { name: 'agent.escrow.released', agentId, data: dataFor(agentId, escrow) })
  }
}

function dataFor(agentId: Uuid, escrow: Escrow): AgentEscrowHeld {
  const to = escrow.releasedTo ?? meantFor(escrow)
  return {
    agent_id: formatId('agt', agentId),
    escrow_id: formatId('esc', escrow.id),
    from: formatId('agt', escrow.agentId),
    to: to === null ? null : formatId('agt', to),
    amount: rupees(escrow.amountPaise),
    reference: escrow.reference,
  }
}
