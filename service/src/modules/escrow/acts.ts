import { formatId } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import type { Book } from '../../ledger/index.ts'
import { type Actor, record } from '../audit/index.ts'
import { type Escrow, meantFor } from './escrow.ts'

/** Records what became of money that waits, in the trail of its payer. */
export function recordEscrow(book: Book, actor: Actor, escrow: Escrow): void {
  const { id, agentId, status, amountPaise, reference } = escrow
  const to = escrow.releasedTo ?? meantFor(escrow)
  record(book, {
    agentId,
    actor,
    action: `escrow.${status}`,
    target: formatId('esc', id),
    data: {
      to_agent_id: to === null ? null : formatId('agt', to),
      amount: rupees(amountPaise),
      transaction_id: formatId('txn', id),
      reference,
    },
  })
}
