import { PAID_METHODS, type PaidMethod } from '@batua/contract'
import type { CheckoutScript } from '../../../gateways/payment-gateway.ts'
import type { Funding } from '../funding/funding.ts'

/** The payee, as the payer is shown it. */
export interface Payee {
  readonly agentName: string
  readonly handle: string
  readonly platformName: string
}

/** A gateway's own checkout, ready to start for one session. */
export interface HostedCheckout {
  readonly script: CheckoutScript
  readonly gatewaySessionId: string
}

/** Everything that a page of a payment session shows. */
export interface SessionView {
  readonly funding: Funding
  readonly session: string
  readonly payee: Payee
  readonly serviceName: string
  readonly now: Date
  /** `upi://pay?…`; null while the gateway cannot provide one. */
  readonly upiIntent: string | null
  readonly upiCollect: boolean
  /** The gateway's own checkout; null: it has none, and the payer pays on our page. */
  readonly hosted: HostedCheckout | null
  /** Sandbox mode: each way to pay can be made to succeed or fail. */
  readonly isSimulated: boolean
  /** The way to pay that is unfolded: the last one tried, or the requested one. */
  readonly way: PaidMethod
  /** The outcome of the last form. */
  readonly message: PageMessage | null
}

/** Part of the URL after a form, so that reloading the page sends nothing again. */
export const PAGE_MESSAGES = ['wrong_upi_id', 'gateway_failed', 'too_soon', 'too_many_collects'] as const

export type PageMessage = (typeof PAGE_MESSAGES)[number]

export function pageMessage(text: string | undefined): PageMessage | null {
  return PAGE_MESSAGES.find(message => message === text) ?? null
}

export function chosenWay(tried: string | null | undefined, funding: Funding): PaidMethod {
  return PAID_METHODS.find(method => method === (tried ?? funding.method)) ?? 'upi'
}

/** The state of a session for the payer. */
export type PageState =
  | 'open'
  | 'waiting'
  | 'declined'
  | 'dropped'
  | 'checking'
  | 'completed'
  | 'expired'
  | 'cancelled'
  | 'failed'
  | 'closed'
  | 'reversed'

export function pageState(funding: Funding, now: Date): PageState {
  switch (funding.status) {
    case 'completed':
    case 'reversed':
      return funding.status
    case 'failed':
      return failedState(funding)
    case 'pending':
      if (now >= funding.expiresAt || funding.agentEndedAt !== null) return 'checking'
      return openState(funding)
  }
}

function failedState({ failureReason }: Funding): PageState {
  switch (failureReason) {
    case 'expired':
    case 'cancelled':
      return failureReason
    case 'agent_deactivated':
      return 'closed'
    case 'payment_failed':
    case 'gateway_refused':
    case null:
      return 'failed'
  }
}

function openState({ lastAttempt }: Funding): PageState {
  switch (lastAttempt) {
    case 'pending':
      return 'waiting'
    case 'failed':
      return 'declined'
    case 'dropped':
      return 'dropped'
    // A payment that succeeded and left the session open had the wrong amount, and is refunded.
    case 'success':
    case null:
      return 'open'
  }
}

export function isOver(state: PageState): boolean {
  return !['open', 'waiting', 'declined', 'dropped', 'checking'].includes(state)
}
