import { rupees } from '../../../kernel/money.ts'
import type { LedgerBatch } from '../../../ledger/index.ts'
import { type Actor, type Facts, service } from '../../../operations/act.ts'
import { record } from '../../../operations/record.ts'
import type { Transition } from './decide.ts'
import { type Payout, transactionIdOf } from './payout.ts'

/** Records that money was debited from a wallet for a payout. */
export function recordRequested(batch: LedgerBatch, actor: Actor, payout: Payout): void {
  recordPayout(batch, actor, 'payout.requested', payout)
}

/** Records the outcome of a payout. Its reason comes from the provider and is not recorded. */
export function recordStep(batch: LedgerBatch, payout: Payout, step: Transition['step']): void {
  const actor = service('payout provider')
  switch (step.kind) {
    case 'wait':
      return
    case 'complete':
      return recordPayout(batch, actor, 'payout.completed', payout, { utr: step.utr })
    case 'fail':
      return recordPayout(batch, actor, 'payout.failed', payout)
    case 'reverse':
      return recordPayout(batch, actor, 'payout.reversed', payout)
  }
}

function recordPayout(
  batch: LedgerBatch,
  actor: Actor,
  action: 'payout.requested' | 'payout.completed' | 'payout.failed' | 'payout.reversed',
  payout: Payout,
  more: Facts = {},
): void {
  const { agentId, kind, amountPaise, bankAccountLast4 } = payout
  const transactionId = transactionIdOf(payout)
  record(batch, {
    agentId,
    actor,
    action,
    target: transactionId,
    data: {
      kind,
      amount: rupees(amountPaise),
      transaction_id: transactionId,
      bank_account_last4: bankAccountLast4,
      ...more,
    },
  })
}
