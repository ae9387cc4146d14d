import type { FundingMethod } from '@batua/contract'
import type { PaidMethod } from '../../../gateways/payment-gateway.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

/** `reversed`: it was completed and the bank took the money back. */
export type FundingState = 'pending' | 'completed' | 'failed' | 'reversed'

export type FailureReason =
  | 'expired'
  /** The human gave up on the page. */
  | 'cancelled'
  /** The gateway ended the order after a failed attempt. */
  | 'payment_failed'
  /** The gateway did not open an order. */
  | 'gateway_refused'
  /** The agent was deactivated, so there is no wallet to fund any more. */
  | 'agent_deactivated'

/** What the latest attempt to pay came to, as the gateway says. */
export type AttemptState = 'pending' | 'success' | 'failed' | 'dropped'

/** One payment session: what was asked for, and what became of it. */
export interface Funding {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly sessionId: Uuid
  readonly gateway: string
  readonly method: FundingMethod
  /** What the human pays, before the gateway's fee. */
  readonly amountPaise: Paise
  readonly createdAt: Date
  /** From then on it cannot be paid: its time is over, or its agent's end came before that. */
  readonly expiresAt: Date
  /** When its agent was deactivated. */
  readonly agentEndedAt: Date | null
  /** When the checkout page was first seen; before that nobody can have paid. */
  readonly openedAt: Date | null
  readonly gatewayOrderId: string | null
  /** What the gateway's own script begins its checkout with. */
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
  /** When the gateway is to be asked next; null when nothing more is expected. */
  readonly nextCheckAt: Date | null
}

/** Which funding: the agent's id leads, because it says where the row lives. */
export interface FundingKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

export type RefundReason = 'late' | 'second_payment' | 'wrong_amount' | 'wrong_currency' | 'unknown_order'

/** Money at the gateway that must go back to who paid it. */
export interface OwedRefund {
  /** The refund's id at the gateway too. */
  readonly id: Uuid
  readonly gateway: string
  readonly orderId: string
  readonly gatewayOrderId: string | null
  readonly gatewayPaymentId: string
  readonly amountPaise: Paise
  readonly currency: string
  readonly reason: RefundReason
}
