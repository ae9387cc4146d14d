import { refuse } from '../../kernel/app-error.ts'
import { formatId } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import { type Book, type Command, need, SYSTEM } from '../../ledger/index.ts'
import { save } from '../../operations/entity.ts'
import { emit } from '../events/index.ts'
import { recordStep } from './acts.ts'
import { judge, nextCheckAt, type Verdict } from './decide.ts'
import { type Payout, type PayoutKey, type Sighting, transactionIdOf } from './payout.ts'
import { payouts } from './store.ts'

export interface Settled {
  readonly payout: Payout
  readonly step: Verdict['step']['kind']
  readonly contradiction: string | null
}

/** The one way in which a payout changes its state: by what was seen at the provider, under the wallet's lock. */
export function settlePayout(key: PayoutKey, sighting: Sighting): Command<Settled> {
  return {
    accounts: [key.agentId],
    needs: [need(payouts, key)],
    decide(book) {
      const before = book.fact(payouts, key)
      if (before === undefined) return refuse('not_found', 'There is no such payout')
      const now = new Date(book.nowMs)
      const { step, contradiction } = judge(before, sighting)
      const payout = changed(before, sighting, step, now)
      postStep(book, payout, step)
      recordStep(book, payout, step)
      save(book, payouts, payout)
      return { payout, step: step.kind, contradiction }
    },
  }
}

function changed(before: Payout, sighting: Sighting, step: Verdict['step'], now: Date): Payout {
  const seenId = sighting.kind === 'payout' ? sighting.payout.providerPayoutId : null
  const after = {
    ...before,
    providerPayoutId: before.providerPayoutId ?? seenId,
    ...outcome(step, now),
  }
  return { ...after, nextCheckAt: nextCheckAt(after, sighting, now) }
}

function outcome(step: Verdict['step'], now: Date): Partial<Payout> {
  switch (step.kind) {
    case 'wait':
      return {}
    case 'complete':
      return { status: 'completed', utr: step.utr, closedAt: now }
    case 'fail':
      return { status: 'failed', reason: step.reason, closedAt: now }
    case 'reverse':
      return { status: 'reversed', reason: step.reason, reversedAt: now }
  }
}

function postStep(book: Book, payout: Payout, step: Verdict['step']): void {
  const { id: linkedId, agentId, amountPaise } = payout
  const moved = { amountPaise, linkedId }
  switch (step.kind) {
    case 'wait':
      return
    case 'complete':
      book.post({ kind: 'payout_paid', debit: SYSTEM.payouts, credit: SYSTEM.gateway, ...moved })
      return tellArrival(book, payout, step.utr)
    case 'fail':
      book.post({ kind: 'payout_failed', debit: SYSTEM.payouts, credit: agentId, ...moved })
      return tellReturn(book, payout, 'failed')
    case 'reverse':
      book.post({ kind: 'payout_reversed', debit: SYSTEM.gateway, credit: agentId, ...moved })
      return tellReturn(book, payout, 'reversed')
  }
}

function tellArrival(book: Book, payout: Payout, utr: string): void {
  const { agentId, kind } = payout
  const data = { ...told(payout), utr }
  if (kind === 'settlement') emit(book, { name: 'agent.settlement.completed', agentId, data })
  else emit(book, { name: 'agent.withdrawal.completed', agentId, data })
}

function tellReturn(book: Book, payout: Payout, status: 'failed' | 'reversed'): void {
  const { agentId, kind } = payout
  const data = { ...told(payout), type: kind, status }
  emit(book, { name: 'agent.withdrawal.failed', agentId, data })
}

function told(payout: Payout) {
  return {
    agent_id: formatId('agt', payout.agentId),
    amount: rupees(payout.amountPaise),
    transaction_id: transactionIdOf(payout),
  }
}
