import { type Static, type TSchema, Type } from 'typebox'
import {
  AgentApprovalApproved,
  AgentApprovalExpired,
  AgentApprovalRejected,
  AgentApprovalRequested,
  AgentStatusChanged,
  CertificateRevoked,
  OwnerKycUpdated,
  OwnerLinkUpdated,
  RiskAlertOpened,
  WebhookTest,
} from './control-events.ts'
import { EXAMPLE_TIME, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import {
  AgentEscrowHeld,
  AgentEscrowRefunded,
  AgentEscrowReleased,
  AgentFunded,
  AgentFundingFailed,
  AgentFundingReversed,
  AgentPaymentReceived,
  AgentPaymentRefunded,
  AgentPaymentSent,
  AgentSettlementCompleted,
  AgentWithdrawalCompleted,
  AgentWithdrawalFailed,
} from './money-events.ts'
import { answer, nullable, oneOf } from './schema.ts'

/** The data of every event that is sent, by the event's name. */
export const EVENTS = {
  'agent.approval.requested': AgentApprovalRequested,
  'agent.approval.approved': AgentApprovalApproved,
  'agent.approval.rejected': AgentApprovalRejected,
  'agent.approval.expired': AgentApprovalExpired,
  'agent.funded': AgentFunded,
  'agent.funding.failed': AgentFundingFailed,
  'agent.funding.reversed': AgentFundingReversed,
  'agent.payment.sent': AgentPaymentSent,
  'agent.payment.received': AgentPaymentReceived,
  'agent.payment.refunded': AgentPaymentRefunded,
  'agent.escrow.held': AgentEscrowHeld,
  'agent.escrow.released': AgentEscrowReleased,
  'agent.escrow.refunded': AgentEscrowRefunded,
  'agent.settlement.completed': AgentSettlementCompleted,
  'agent.status.changed': AgentStatusChanged,
  'agent.withdrawal.completed': AgentWithdrawalCompleted,
  'agent.withdrawal.failed': AgentWithdrawalFailed,
  'certificate.revoked': CertificateRevoked,
  'owner.kyc.updated': OwnerKycUpdated,
  'owner.link.updated': OwnerLinkUpdated,
  'risk.alert.opened': RiskAlertOpened,
  'webhook.test': WebhookTest,
} as const satisfies Record<string, TSchema>

export type EventName = keyof typeof EVENTS

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[]

export type EventData<Name extends EventName> = Static<(typeof EVENTS)[Name]>

/** The body of a webhook (interface section 6, contract section 8). The schema of `data` is `EVENTS[event]`. */
export const WebhookBody = answer(
  {
    id: idSchema('evt', 'The event; the same on every retry and equal to the header webhook-id.'),
    event: oneOf(EVENT_NAMES, 'What happened.'),
    type: oneOf(EVENT_NAMES, 'The same as `event`, by the name that Standard Webhooks gives it.'),
    timestamp: timestamp('When it happened.'),
    sequence: nullable(
      Type.Integer({
        description:
          'How many movements the agent’s wallet had had when it happened, its own included: of two events of one agent the one with the greater number happened later. null for what is not about one agent.',
        examples: [7],
      }),
    ),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The details; the fields depend on the event.',
    }),
  },
  {
    title: 'WebhookBody',
    description: 'The body of a webhook.',
    examples: [
      {
        id: exampleId('evt'),
        event: 'agent.funded',
        type: 'agent.funded',
        timestamp: EXAMPLE_TIME,
        sequence: 1,
        data: {
          agent_id: exampleId('agt'),
          amount: 1000,
          funding_id: exampleId('fund'),
          fee: 25,
          net_amount: 975,
        },
      },
    ],
  },
)
export type WebhookBody = Static<typeof WebhookBody>
