// What is needed where nothing is validated, such as in the service's thread for webhooks: this file loads no schemas.

import type { EventName } from './events.ts'

/**
 * Every error code with its HTTP status (interface section 7, contract section 1).
 * One code has a second status: an `Idempotency-Key` header sent again with another body is `idempotency_error` with 422.
 */
export const ERROR_STATUS = {
  validation_error: 400,
  authentication_error: 401,
  insufficient_balance: 402,
  authorization_error: 403,
  spend_limit_exceeded: 403,
  escrow_required: 403,
  policy_denied: 403,
  kyc_required: 403,
  passkey_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_error: 409,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limit_exceeded: 429,
  internal_error: 500,
  gateway_error: 502,
  service_unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** How each secret begins. All are shown once (contract section 1). */
export const SECRET_PREFIXES = {
  platformSecret: 'sk_live_',
  agentKey: 'agk_live_',
  webhookSecret: 'whsec_',
} as const

/** The kinds of notification for owners: the meaning of each, and the events that cause it. */
export const NOTIFICATION_KINDS = {
  approval_requested: {
    description: 'A payment or hold of an agent waits for the owner.',
    events: ['agent.approval.requested'],
  },
  approval_expired: {
    description: 'A payment or hold was not decided in time.',
    events: ['agent.approval.expired'],
  },
  agent_stopped: {
    description: 'An agent was paused, quarantined, frozen or deactivated, no matter by whom.',
    events: ['agent.status.changed'],
  },
  payout_completed: {
    description: 'A withdrawal or settlement reached the bank.',
    events: ['agent.withdrawal.completed', 'agent.settlement.completed'],
  },
  payout_failed: {
    description: 'A payout failed, or the bank returned it.',
    events: ['agent.withdrawal.failed'],
  },
  funding_reversed: {
    description: 'A bank took a funding back.',
    events: ['agent.funding.reversed'],
  },
  bank_account_checked: {
    description: 'A bank account was submitted and the bank verified or refused it.',
    events: ['owner.kyc.updated'],
  },
  app_connected: {
    description: 'An app was connected to an agent, so it may spend from its wallet.',
    events: ['agent.app.connected'],
  },
} as const satisfies Record<string, { readonly description: string; readonly events: readonly EventName[] }>

export type NotificationKind = keyof typeof NOTIFICATION_KINDS

export const NOTIFICATION_KIND_NAMES = Object.keys(NOTIFICATION_KINDS) as NotificationKind[]

const KIND_OF_EVENT: ReadonlyMap<EventName, NotificationKind> = new Map(
  NOTIFICATION_KIND_NAMES.flatMap(kind =>
    NOTIFICATION_KINDS[kind].events.map(event => [event, kind] as const),
  ),
)

/** The kind of notification that an event causes; null: owners are not notified of it. */
export function kindOfEvent(event: EventName): NotificationKind | null {
  return KIND_OF_EVENT.get(event) ?? null
}
