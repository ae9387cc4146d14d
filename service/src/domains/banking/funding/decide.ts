import { type AgentStatus, PAID_METHODS } from '@batua/contract'
import type { GatewayOrder, GatewayPayment, PaidMethod } from '../../../gateways/payment-gateway.ts'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { basisPoints, type Paise, ZERO_PAISE } from '../../../kernel/money.ts'
import type { AttemptState, FailureReason, Funding, RefundReason } from './funding.ts'

/** An unpaid session ends after half an hour (contract section 4, Fund). */
export const SESSION_MS = 30 * 60_000
/** While somebody may be paying the gateway is asked this often, so that a payment without a notice is found. */
export const CHECK_EVERY_MS = 30_000
/** How long past its expiry a session waits for a gateway that cannot be asked. */
export const NO_RESPONSE_MS = 60 * 60_000
/** After its end a session is looked at again, for money that came late or twice without a notice. */
const AFTERWARDS_MS = [60_000, 10 * 60_000, 60 * 60_000, 24 * 60 * 60_000]

const FEE_BASIS_POINTS = 250n

/** The gateway's fee by the method really used; the interface names three that have one. */
export function gatewayFee(amountPaise: Paise, method: PaidMethod): Paise {
  const methods: readonly string[] = PAID_METHODS
  return methods.includes(method) ? basisPoints(amountPaise, FEE_BASIS_POINTS) : ZERO_PAISE
}

/** Whether money may be asked for on behalf of an agent in this state. */
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

/** What the gateway's word about an order means for its funding. */
export interface Transition {
  readonly step:
    | { readonly kind: 'wait' }
    | { readonly kind: 'complete'; readonly payment: GatewayPayment; readonly feePaise: Paise }
    | { readonly kind: 'fail'; readonly reason: FailureReason }
    | { readonly kind: 'reverse' }
  readonly refunds: readonly { readonly payment: GatewayPayment; readonly reason: RefundReason }[]
  readonly lastAttempt: AttemptState | null
}

/** What was seen at the gateway: the order, none of that name, or nothing because it could not be asked. */
export type ProviderStatus =
  | { readonly kind: 'order'; readonly order: GatewayOrder }
  | { readonly kind: 'none' }
  | { readonly kind: 'no_response' }

/** What else is known of a funding when it is judged. */
export interface Known {
  /** Why somebody gives it up. */
  readonly ending?: FailureReason | null
  /** Payments that go back to who paid them already. */
  readonly returned?: ReadonlySet<string> | undefined
}

/**
 * Judges a funding by what was seen at the gateway. It is asked under the funding's lock, so whatever was seen,
 * a payment that is not the one that completed the funding is refunded, and nothing completes or ends it twice.
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

/** The right money in time. A gateway that does not say when is taken to speak of this moment. */
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
    // What was paid in the last moment is credited, so the clock alone does not end a session at once.
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

/** The last look does not count while nobody answers: it is made again, when a quarter as long again has passed. */
const UNANSWERED_PART = 4

/** When the gateway is to be asked again about a funding as it stands now. */
export function nextCheckAt(
  funding: Pick<Funding, 'status' | 'expiresAt' | 'openedAt' | 'closedAt'>,
  now: Date,
  isAnswered = true,
): Date | null {
  if (funding.status === 'pending') {
    const soonMs = now.getTime() + CHECK_EVERY_MS
    const expiresMs = funding.expiresAt.getTime()
    if (expiresMs <= now.getTime()) return new Date(soonMs)
    // Nobody has seen the page, so nobody has paid: an unused session costs the gateway no question.
    return new Date(funding.openedAt === null ? expiresMs : Math.min(soonMs, expiresMs))
  }
  const closedMs = (funding.closedAt ?? now).getTime()
  const nextMs = AFTERWARDS_MS.map(delayMs => closedMs + delayMs).find(moment => moment > now.getTime())
  if (nextMs !== undefined) return new Date(nextMs)
  return isAnswered ? null : new Date(now.getTime() + (now.getTime() - closedMs) / UNANSWERED_PART)
}
