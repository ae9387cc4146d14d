import { type AgentStatus, PAID_METHODS } from '@batua/contract'
import type { GatewayOrder, GatewayPayment, PaidMethod } from '../../../gateways/payment-gateway.ts'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { basisPoints, type Paise, ZERO_PAISE } from '../../../kernel/money.ts'
import type { AttemptState, FailureReason, Funding, RefundReason } from './funding.ts'

/** An unpaid session ends after half an hour (contract section 4, Fund). */
export const SESSION_MS = 30 * 60_000
/** How often the gateway is polled while the payer may be paying, so that a payment without a webhook is found. */
export const CHECK_EVERY_MS = 30_000
/** How long past its expiry a session waits for a gateway that gives no response. */
export const NO_RESPONSE_MS = 60 * 60_000
/** The checks after a session's end, for money that arrived late or twice without a webhook. */
const RECHECK_DELAYS_MS = [60_000, 10 * 60_000, 60 * 60_000, 24 * 60 * 60_000]

const FEE_BASIS_POINTS = 250n

/** The gateway's fee by the payment method that was used; the interface names three methods that have one. */
export function gatewayFee(amountPaise: Paise, method: PaidMethod): Paise {
  const methods: readonly string[] = PAID_METHODS
  return methods.includes(method) ? basisPoints(amountPaise, FEE_BASIS_POINTS) : ZERO_PAISE
}

/** Whether an agent in this state may receive a funding. */
export function decideReceiver(status: AgentStatus): Refusal | null {
  switch (status) {
    case 'active':
    case 'quarantined':
      return null
    case 'paused':
    case 'frozen':
    case 'deactivated':
      return refuse('policy_denied', `Agent is ${status}`, { details: { status } })
  }
}

/** What the status that the gateway reports means for the funding. */
export interface Transition {
  readonly step:
    | { readonly kind: 'wait' }
    | { readonly kind: 'complete'; readonly payment: GatewayPayment; readonly feePaise: Paise }
    | { readonly kind: 'fail'; readonly reason: FailureReason }
    | { readonly kind: 'reverse' }
  readonly refunds: readonly { readonly payment: GatewayPayment; readonly reason: RefundReason }[]
  readonly lastAttempt: AttemptState | null
}

/** The status that the gateway reports: the order, no order of that id, or no response. */
export type ProviderStatus =
  | { readonly kind: 'order'; readonly order: GatewayOrder }
  | { readonly kind: 'none' }
  | { readonly kind: 'no_response' }

/** Further facts that the transition depends on. */
export interface Known {
  /** The reason why the funding is being ended. */
  readonly ending?: FailureReason | null
  /** Payments of the order that are already being refunded. */
  readonly returned?: ReadonlySet<string> | undefined
}

/**
 * Decides a funding's transition from the status that the gateway reports. It runs under the funding's lock, so
 * whatever is reported, a payment that did not complete the funding is refunded, and the funding completes or ends
 * only once.
 */
export function decideTransition(
  funding: Funding,
  reported: ProviderStatus,
  now: Date,
  { ending = null, returned }: Known = {},
): Transition {
  const order = reported.kind === 'order' ? reported.order : null
  const payments = order?.payments ?? []
  const lastAttempt = payments.at(-1)?.status ?? funding.lastAttempt
  const paid = payments
    .filter(payment => payment.status === 'success' && !payment.chargedBack)
    .toSorted(byTime)
  const taken = payments.find(payment => payment.gatewayPaymentId === funding.gatewayPaymentId)
  const kept = paid.filter(({ gatewayPaymentId }) => returned?.has(gatewayPaymentId) !== true)
  const winner = funding.status === 'pending' ? kept.find(payment => completes(funding, payment, now)) : taken

  const isPaid = winner !== undefined || funding.status === 'completed' || funding.status === 'reversed'
  const refunds = paid
    .filter(payment => payment !== winner)
    .map(payment => ({ payment, reason: refundReason(funding, payment, isPaid) }))
  const step = stepFor(funding, winner, failureOf(funding, reported, now, lastAttempt, ending))
  return { step, refunds, lastAttempt }
}

function stepFor(
  funding: Funding,
  winner: GatewayPayment | undefined,
  failure: FailureReason | null,
): Transition['step'] {
  if (funding.status === 'completed' && winner?.chargedBack) return { kind: 'reverse' }
  if (funding.status !== 'pending') return { kind: 'wait' }
  if (winner !== undefined) {
    return { kind: 'complete', payment: winner, feePaise: gatewayFee(funding.amountPaise, winner.method) }
  }
  return failure === null ? { kind: 'wait' } : { kind: 'fail', reason: failure }
}

function byTime(left: GatewayPayment, right: GatewayPayment): number {
  return (left.paidAt?.getTime() ?? 0) - (right.paidAt?.getTime() ?? 0)
}

/** The right amount in time. If the gateway reports no payment time, the payment counts as made now. */
function completes(funding: Funding, payment: GatewayPayment, now: Date): boolean {
  return isRightMoney(funding, payment) && (payment.paidAt ?? now) <= funding.expiresAt
}

function isRightMoney(funding: Funding, payment: GatewayPayment): boolean {
  return payment.amountPaise === funding.amountPaise && payment.currency === 'INR'
}

function refundReason(funding: Funding, payment: GatewayPayment, isPaid: boolean): RefundReason {
  if (payment.currency !== 'INR') return 'wrong_currency'
  if (payment.amountPaise !== funding.amountPaise) return 'wrong_amount'
  return isPaid ? 'second_payment' : 'late'
}

function failureOf(
  funding: Funding,
  reported: ProviderStatus,
  now: Date,
  lastAttempt: AttemptState | null,
  ending: FailureReason | null,
): FailureReason | null {
  if (ending !== null) return ending
  const expired = expiryReason(funding)
  const overdueMs = now.getTime() - funding.expiresAt.getTime()
  switch (reported.kind) {
    // A payment in the last moment is credited, so without a response the expiry alone does not end a session at once.
    case 'no_response':
      return overdueMs >= NO_RESPONSE_MS ? expired : null
    case 'none':
      return overdueMs >= 0 ? expired : null
    case 'order':
      if (overdueMs >= 0) return expired
      if (reported.order.status !== 'closed') return null
      return lastAttempt === 'failed' ? 'payment_failed' : 'expired'
  }
}

function expiryReason({ agentEndedAt, expiresAt }: Funding): FailureReason {
  return agentEndedAt !== null && agentEndedAt <= expiresAt ? 'agent_deactivated' : 'expired'
}

/**
 * The last check does not count without a response: it is repeated when a quarter of the elapsed time has passed again.
 */
const NO_RESPONSE_DIVISOR = 4

/** When the gateway is to be queried about this funding next. */
export function nextCheckAt(
  funding: Pick<Funding, 'status' | 'expiresAt' | 'openedAt' | 'closedAt'>,
  now: Date,
  hasResponse = true,
): Date | null {
  if (funding.status === 'pending') {
    const soonMs = now.getTime() + CHECK_EVERY_MS
    const expiresMs = funding.expiresAt.getTime()
    if (expiresMs <= now.getTime()) return new Date(soonMs)
    // Before the page is opened no payment is possible, so an unused session costs no query to the gateway.
    return new Date(funding.openedAt === null ? expiresMs : Math.min(soonMs, expiresMs))
  }
  const closedMs = (funding.closedAt ?? now).getTime()
  const nextMs = RECHECK_DELAYS_MS.map(delayMs => closedMs + delayMs).find(moment => moment > now.getTime())
  if (nextMs !== undefined) return new Date(nextMs)
  return hasResponse ? null : new Date(now.getTime() + (now.getTime() - closedMs) / NO_RESPONSE_DIVISOR)
}
