import type { LoggedEvent } from '@batua/sdk'

type EventName = LoggedEvent['event']

/** Each name is listed, or this does not compile. */
const NAMES: Readonly<Record<EventName, true>> = {
  'agent.funded': true,
  'agent.funding.failed': true,
  'agent.funding.reversed': true,
  'agent.payment.sent': true,
  'agent.payment.received': true,
  'agent.payment.refunded': true,
  'agent.escrow.held': true,
  'agent.escrow.released': true,
  'agent.escrow.refunded': true,
  'agent.settlement.completed': true,
  'agent.withdrawal.completed': true,
  'agent.withdrawal.failed': true,
  'agent.approval.requested': true,
  'agent.approval.approved': true,
  'agent.approval.rejected': true,
  'agent.approval.expired': true,
  'agent.status.changed': true,
  'certificate.revoked': true,
  'owner.kyc.updated': true,
  'owner.link.updated': true,
  'risk.alert.opened': true,
  'webhook.test': true,
}

/** The names of events, as a filter offers them. */
export const EVENT_NAMES = Object.keys(NAMES) as [EventName, ...EventName[]]
