import {
  type Funding as FundingRecord,
  type FundingSession,
  type FundingStatus,
  PAID_METHODS,
  type PaidMethod,
} from '@batua/contract'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { orderIdOf } from './apply-funding-update.ts'
import type { FundingContext } from './context.ts'
import type { Funding, FundingState } from './funding.ts'

export function sessionRecord(
  context: Pick<FundingContext, 'checkoutUrl'>,
  funding: Funding,
): FundingSession {
  return {
    ...common(context, funding),
    method: funding.method,
    expires_at: funding.expiresAt.toISOString(),
  }
}

export function fundingRecord(context: Pick<FundingContext, 'checkoutUrl'>, funding: Funding): FundingRecord {
  const { amountPaise, feePaise } = funding
  const isCredited = wireStatus(funding.status) === 'completed'
  return {
    ...sessionRecord(context, funding),
    paid_method: paidMethod(funding),
    fee: feePaise === null ? null : rupees(feePaise),
    net_amount: feePaise === null ? null : rupees(amountPaise - feePaise),
    created_at: funding.createdAt.toISOString(),
    completed_at: isCredited ? (funding.closedAt?.toISOString() ?? null) : null,
  }
}

/** The fields that every response about a funding has. */
export function common({ checkoutUrl }: Pick<FundingContext, 'checkoutUrl'>, funding: Funding) {
  const session = sessionIdOf(funding)
  return {
    funding_id: orderIdOf(funding),
    payment_session_id: session,
    order_id: orderIdOf(funding),
    status: wireStatus(funding.status),
    amount: rupees(funding.amountPaise),
    checkout_url: `${checkoutUrl}/${session}`,
  }
}

export function sessionIdOf({ sessionId }: Pick<Funding, 'sessionId'>): string {
  return formatId('ps', sessionId)
}

/** A funding stays completed when the bank reverses the payment: its transaction is what is reversed. */
export function wireStatus(state: FundingState): FundingStatus {
  return state === 'reversed' ? 'completed' : state
}

function paidMethod({ paidMethod: method }: Funding): PaidMethod | null {
  return PAID_METHODS.find(known => known === method) ?? null
}
