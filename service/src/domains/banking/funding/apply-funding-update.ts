import { refuse } from '../../../kernel/app-error.ts'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { type Paise, paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { type Command, type LedgerBatch, read, SYSTEM } from '../../../ledger/index.ts'
import { save } from '../../../operations/entity.ts'
import { record } from '../../../operations/facts.ts'
import { decideTransition, nextCheckAt, type ProviderStatus, type Transition } from './decide.ts'
import { stepFact } from './facts.ts'
import type { FailureReason, Funding, FundingKey, OwedRefund } from './funding.ts'
import { refundWriter, returnedPayments } from './refund-store.ts'
import { fundings } from './store.ts'

export interface AppliedUpdate {
  readonly funding: Funding
  readonly step: Transition['step']['kind']
}

/**
 * The only way in which a funding changes its state: by the status that the gateway reports, under the wallet's lock.
 */
export function applyFundingUpdate(
  key: FundingKey,
  reported: ProviderStatus,
  ending: FailureReason | null,
): Command<AppliedUpdate> {
  const orderId = orderIdOf(key)
  return {
    accounts: [key.agentId],
    reads: [read(fundings, key), read(returnedPayments, orderId)],
    decide(batch) {
      const before = batch.read(fundings, key)
      if (before === undefined) return refuse('not_found', 'There is no such funding')
      const now = new Date(batch.nowMs)
      const transition = decideTransition(before, reported, now, {
        ending,
        returned: batch.read(returnedPayments, orderId),
      })
      const funding = changed(before, reported, transition, now)
      postStep(batch, funding, transition.step)
      const fact = stepFact(funding, transition.step, balanceOf(batch, funding))
      if (fact !== null) record(batch, fact)
      save(batch, fundings, funding)
      for (const refund of transition.refunds) batch.write(refundWriter, owed(funding, refund, now))
      return { funding, step: transition.step.kind }
    },
  }
}

function balanceOf(batch: LedgerBatch, { agentId }: Funding): Paise {
  return batch.account(agentId)?.balancePaise ?? ZERO_PAISE
}

function owed(
  funding: Funding,
  { payment, reason }: Transition['refunds'][number],
  now: Date,
): OwedRefund & { readonly now: Date } {
  const { gatewayPaymentId, amountPaise, currency } = payment
  const { gateway, gatewayOrderId } = funding
  const order = { gateway, orderId: orderIdOf(funding), gatewayOrderId }
  return { id: newUuid(now), ...order, gatewayPaymentId, amountPaise, currency, reason, now }
}

/** Our id of an order at the gateway: the funding's public id. */
export function orderIdOf({ id }: Pick<Funding, 'id'>): string {
  return formatId('fund', id)
}

function postStep(batch: LedgerBatch, funding: Funding, step: Transition['step']): void {
  const { id, agentId, amountPaise } = funding
  const feePaise = paise(funding.feePaise ?? 0n)
  const netPaise = paise(amountPaise - feePaise)
  if (step.kind === 'complete') {
    batch.post({ kind: 'fund', id, debit: SYSTEM.gateway, credit: agentId, amountPaise: netPaise, feePaise })
  }
  if (step.kind === 'reverse') {
    // The bank takes back the whole payment. The wallet loses what it received; the gateway keeps its fee, so the fee
    // is our loss.
    batch.post({
      kind: 'chargeback',
      debit: agentId,
      credit: SYSTEM.gateway,
      amountPaise: netPaise,
      linkedId: id,
    })
    if (feePaise > 0n) {
      batch.post({
        kind: 'chargeback',
        debit: SYSTEM.chargebacks,
        credit: SYSTEM.gateway,
        amountPaise: feePaise,
        linkedId: id,
      })
    }
  }
}

function changed(before: Funding, reported: ProviderStatus, transition: Transition, now: Date): Funding {
  const gatewayOrderId =
    before.gatewayOrderId ?? (reported.kind === 'order' ? reported.order.gatewayOrderId : null)
  const after = {
    ...before,
    gatewayOrderId,
    lastAttempt: transition.lastAttempt,
    ...outcome(transition.step, now),
  }
  return { ...after, nextCheckAt: nextCheckAt(after, now, reported.kind !== 'no_response') }
}

function outcome(step: Transition['step'], now: Date): Partial<Funding> {
  switch (step.kind) {
    case 'wait':
      return {}
    case 'fail':
      return { status: 'failed', failureReason: step.reason, closedAt: now }
    case 'reverse':
      return { status: 'reversed', reversedAt: now }
    case 'complete': {
      const { method, gatewayPaymentId, bankReference } = step.payment
      const payment = { paidMethod: method, gatewayPaymentId, bankReference, feePaise: step.feePaise }
      return { status: 'completed', closedAt: now, ...payment }
    }
  }
}
