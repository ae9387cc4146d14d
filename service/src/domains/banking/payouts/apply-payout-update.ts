import { refuse } from '../../../kernel/app-error.ts'
import { type Command, type LedgerBatch, read, SYSTEM } from '../../../ledger/index.ts'
import { save } from '../../../operations/entity.ts'
import { record } from '../../../operations/facts.ts'
import { decideTransition, nextCheckAt, type Transition } from './decide.ts'
import { stepFact } from './facts.ts'
import type { Payout, PayoutKey, ProviderStatus } from './payout.ts'
import { payouts } from './store.ts'

export interface AppliedUpdate {
  readonly payout: Payout
  readonly step: Transition['step']['kind']
  readonly contradiction: string | null
}

/**
 * The only way in which a payout changes its state: by the status that the provider reports, under the wallet's lock.
 */
export function applyPayoutUpdate(key: PayoutKey, reported: ProviderStatus): Command<AppliedUpdate> {
  return {
    accounts: [key.agentId],
    reads: [read(payouts, key)],
    decide(batch) {
      const before = batch.read(payouts, key)
      if (before === undefined) return refuse('not_found', 'There is no such payout')
      const now = new Date(batch.nowMs)
      const { step, contradiction } = decideTransition(before, reported)
      const payout = changed(before, reported, step, now)
      postStep(batch, payout, step)
      const fact = stepFact(payout, step)
      if (fact !== null) record(batch, fact)
      save(batch, payouts, payout)
      return { payout, step: step.kind, contradiction }
    },
  }
}

function changed(before: Payout, reported: ProviderStatus, step: Transition['step'], now: Date): Payout {
  const seenId = reported.kind === 'payout' ? reported.payout.providerPayoutId : null
  const after = {
    ...before,
    providerPayoutId: before.providerPayoutId ?? seenId,
    ...outcome(step, now),
  }
  return { ...after, nextCheckAt: nextCheckAt(after, reported, now) }
}

function outcome(step: Transition['step'], now: Date): Partial<Payout> {
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

function postStep(batch: LedgerBatch, payout: Payout, step: Transition['step']): void {
  const { id: linkedId, agentId, amountPaise } = payout
  const moved = { amountPaise, linkedId }
  switch (step.kind) {
    case 'wait':
      return
    case 'complete':
      batch.post({ kind: 'payout_paid', debit: SYSTEM.payouts, credit: SYSTEM.gateway, ...moved })
      return
    case 'fail':
      batch.post({ kind: 'payout_failed', debit: SYSTEM.payouts, credit: agentId, ...moved })
      return
    case 'reverse':
      batch.post({ kind: 'payout_reversed', debit: SYSTEM.gateway, credit: agentId, ...moved })
      return
  }
}
