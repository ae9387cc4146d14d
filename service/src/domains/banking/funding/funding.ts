import type { FundingMethod } from '@batua/contract'
import type { PaidMethod } from '../../../gateways/payment-gateway.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

/** `reversed`: the funding was completed and the bank took the money back. */
export type FundingState = 'pending' | 'completed' | 'failed' | 'reversed'

export type FailureReason =
  | 'expired'
  /** The payer cancelled on the page. */
  | 'cancelled'
  /** The gateway ended the order after a failed attempt. */
  | 'payment_failed'
  /** The gateway did not open an order. */
  | 'gateway_refused'
  /** The agent was deactivated, so its wallet can no longer be funded. */
  | 'agent_deactivated'

/** The outcome of the latest attempt to pay, as the gateway reports it. */
export type AttemptState = 'pending' | 'success' | 'failed' | 'dropped'

/** One payment session: the requested amount, and the outcome. */
export interface Funding {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly sessionId: Uuid
  readonly gateway: string
  readonly method: FundingMethod
  /** The amount that the payer pays, before the gateway's fee. */
  readonly amountPaise: Paise
  readonly createdAt: Date
  /** The time from which on it cannot be paid: its expiry, or its agent's deactivation if that came first. */
  readonly expiresAt: Date
  /** When its agent was deactivated. */
  readonly agentEndedAt: Date | null
  /** When the checkout page was first opened; before that no payment is possible. */
  readonly openedAt: Date | null
  readonly gatewayOrderId: string | null
  /** The id with which the gateway's own script starts its checkout. */
  readonly gatewaySessionId: string | null
  readonly upiIntent: string | null
  readonly status: FundingState
  readonly failureReason: FailureReason | null
  readonly lastAttempt: AttemptState | null
  readonly paidMethod: PaidMethod | null
  readonly feePaise: Paise | null
  readonly gatewayPaymentId: string | null
  readonly bankReference: string | null
  readonly closedAt: Date | null
  readonly reversedAt: Date | null
  /** When the gateway is to be queried next; null when nothing more is expected. */
  readonly nextCheckAt: Date | null
}

/** The key of a funding. The agent's id comes first, because the row is stored by it. */
export interface FundingKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

export type RefundReason = 'late' | 'second_payment' | 'wrong_amount' | 'wrong_currency' | 'unknown_order'

/** A payment at the gateway that must be refunded to its payer. */
export interface OwedRefund {
  /** Also the refund's id at the gateway. */
  readonly id: Uuid
  readonly gateway: string
  readonly orderId: string
  readonly gatewayOrderId: string | null
  readonly gatewayPaymentId: string
  readonly amountPaise: Paise
  readonly currency: string
  readonly reason: RefundReason
}
