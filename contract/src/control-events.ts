import { type Static, type TSchema, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { APPROVAL_KINDS } from './approvals.ts'
import { APP_SCOPES } from './connected-apps.ts'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { KYC_STATUSES, LINK_STATUSES, TIERS } from './owners.ts'
import { RISK_RULES, RISK_SEVERITIES } from './risk.ts'
import { nullable, oneOf, response } from './schema.ts'

const approvalProperties = {
  approval_id: idSchema('apr'),
  agent_id: idSchema('agt', 'The agent that requested it.'),
  kind: oneOf(APPROVAL_KINDS, 'What the owner approves.'),
  to: nullable(idSchema('agt', 'The agent that would be paid; null for a hold that names none.')),
  amount: amountOut('The amount, INR, without the fee.'),
  fee: amountOut('The fee that would be due, INR; 0 for a hold.'),
  reference: nullable(textOut('The caller’s reference.', 'invoice-2041')),
  expires_at: timestamp('When it expires if it is not decided before.'),
  payment_id: nullable(idSchema('pay', 'The payment made on approval; null before that, and for others.')),
  escrow_id: nullable(idSchema('esc', 'The escrow made on approval; null before that, and for others.')),
  authorization_id: nullable(
    idSchema('ath', 'The authorization made on approval; null before that, and for others.'),
  ),
}

const approvalExample = {
  approval_id: exampleId('apr'),
  agent_id: exampleId('agt'),
  kind: 'payment',
  to: exampleId('agt', 2),
  amount: 400,
  fee: 2,
  reference: 'invoice-2041',
  expires_at: '2026-11-21T10:15:30.000Z',
  payment_id: null,
  escrow_id: null,
  authorization_id: null,
}

/** A payment or hold waits for its owner (contract section 5). Amounts in INR. */
export const AgentApprovalRequested = response(approvalProperties, {
  title: 'AgentApprovalRequested',
  description: 'A payment or hold of one of your agents waits for its owner.',
  examples: [approvalExample],
})
export type AgentApprovalRequested = Static<typeof AgentApprovalRequested>

/** The owner approved, and the payment or hold was made in the same commit (contract section 5). Amounts in INR. */
export const AgentApprovalApproved = response(approvalProperties, {
  title: 'AgentApprovalApproved',
  description: 'The owner approved it, and the payment or hold was made.',
  examples: [{ ...approvalExample, payment_id: exampleId('pay') }],
})
export type AgentApprovalApproved = Static<typeof AgentApprovalApproved>

/** The owner rejected (contract section 5). Amounts in INR. */
export const AgentApprovalRejected = response(
  {
    ...approvalProperties,
    rejection_reason: nullable(
      textOut('Why, in the owner’s words; null if she gave no reason.', 'Too expensive'),
    ),
  },
  {
    title: 'AgentApprovalRejected',
    description: 'The owner rejected it; nothing was paid or held.',
    examples: [{ ...approvalExample, rejection_reason: 'Too expensive' }],
  },
)
export type AgentApprovalRejected = Static<typeof AgentApprovalRejected>

/** The owner did not decide in time (contract section 5). Amounts in INR. */
export const AgentApprovalExpired = response(approvalProperties, {
  title: 'AgentApprovalExpired',
  description: 'The owner did not decide in time; nothing was paid or held.',
  examples: [approvalExample],
})
export type AgentApprovalExpired = Static<typeof AgentApprovalExpired>

/** An agent was stopped, restored or deactivated (contract section 3, States). */
export const AgentStatusChanged = response(
  {
    agent_id: idSchema('agt', 'The agent.'),
    status: oneOf(AGENT_STATUSES, 'The new state.'),
    previous_status: oneOf(AGENT_STATUSES, 'The state before.'),
  },
  {
    title: 'AgentStatusChanged',
    description: 'One of your agents was paused, quarantined, frozen, restored or deactivated.',
    examples: [{ agent_id: exampleId('agt'), status: 'paused', previous_status: 'active' }],
  },
)
export type AgentStatusChanged = Static<typeof AgentStatusChanged>

/** An owner connected an app to her agent (contract section 12, Connected apps). Amounts in INR. */
export const AgentAppConnected = response(
  {
    agent_id: idSchema('agt', 'The agent that it acts for.'),
    app_id: idSchema('app'),
    name: textOut('The name that the app gives itself. Nobody has verified it.', 'Claude'),
    client_id: textOut('Its OAuth client id.', 'https://assistant.example/client.json'),
    scopes: Type.Array(oneOf(APP_SCOPES, 'One of them.'), {
      description: 'What it may do.',
      examples: [['wallet:read']],
    }),
    per_tx: amountOut('The most that one payment, hold or refund of the app may be, INR.'),
    daily: amountOut('The most that the app may spend on a calendar day in IST, INR, without fees.'),
    expires_at: timestamp('When it ends by itself.'),
  },
  {
    title: 'AgentAppConnected',
    description: 'An owner connected an app to one of your agents.',
    examples: [
      {
        agent_id: exampleId('agt'),
        app_id: exampleId('app'),
        name: 'Claude',
        client_id: 'https://assistant.example/client.json',
        scopes: ['wallet:read', 'payments:write'],
        per_tx: 200,
        daily: 500,
        expires_at: '2026-12-20T10:15:30.000Z',
      },
    ],
  },
)
export type AgentAppConnected = Static<typeof AgentAppConnected>

/** A risk rule opened an alert (contract section 8, Risk). Its evidence is only for administrators. */
export const RiskAlertOpened = response(
  {
    alert_id: idSchema('alr'),
    agent_id: nullable(idSchema('agt', 'The agent concerned; null if the platform is concerned.')),
    rule: oneOf(RISK_RULES, 'The rule that opened the alert.'),
    severity: oneOf(RISK_SEVERITIES, 'The severity.'),
    score: Type.Integer({ description: 'Its points, 0 to 100, for the agent’s score.', examples: [30] }),
  },
  {
    title: 'RiskAlertOpened',
    description: 'A risk rule opened an alert about one of your agents or your platform.',
    examples: [
      {
        alert_id: exampleId('alr'),
        agent_id: exampleId('agt'),
        rule: 'velocity_spike',
        severity: 'medium',
        score: 30,
      },
    ],
  },
)
export type RiskAlertOpened = Static<typeof RiskAlertOpened>

/** What `POST /v1/webhooks/test` sends (contract section 8). */
export const WebhookTest = response(
  { platform_id: idSchema('plt', 'The platform that requested it.') },
  {
    title: 'WebhookTest',
    description: 'A test that you requested; nothing happened.',
    examples: [{ platform_id: exampleId('plt') }],
  },
)
export type WebhookTest = Static<typeof WebhookTest>

/** The bank decided about an owner's account (contract section 8). */
export const OwnerKycUpdated = response(
  {
    owner_id: idSchema('own'),
    kyc_status: oneOf(KYC_STATUSES, 'The status of the bank verification.'),
    tier: oneOf(TIERS, 'The owner’s tier now.'),
    reason: nullable(
      textOut('Why the last submitted account is not verified; null if it is.', 'name_mismatch'),
    ),
  },
  {
    title: 'OwnerKycUpdated',
    description: 'An owner’s bank verification changed.',
    examples: [{ owner_id: exampleId('own'), kyc_status: 'verified', tier: 'tier1', reason: null }],
  },
)
export type OwnerKycUpdated = Static<typeof OwnerKycUpdated>

/** The holder of a phone accepted or declined an invitation, or a platform renewed it (contract section 12). */
export const OwnerLinkUpdated = response(
  {
    owner_id: idSchema('own'),
    link_status: oneOf(LINK_STATUSES, 'Whether the holder of the phone has accepted the owner.'),
  },
  {
    title: 'OwnerLinkUpdated',
    description: 'The holder of an owner’s phone accepted or declined the owner, or was invited again.',
    examples: [{ owner_id: exampleId('own'), link_status: 'accepted' }],
  },
)
export type OwnerLinkUpdated = Static<typeof OwnerLinkUpdated>

/** A certificate was revoked: by request, by rotation, or with its agent (contract section 8). */
export const CertificateRevoked = response(
  {
    agent_id: idSchema('agt', 'The agent of the certificate.'),
    certificate_id: idSchema('cert'),
    reason: nullable(textOut('Why.', 'Key compromised')),
    replaced_by: nullable(idSchema('cert', 'The new certificate, if it was rotated.')),
    revoked_at: timestamp('When.'),
  },
  {
    title: 'CertificateRevoked',
    description: 'A certificate of one of your agents was revoked.',
    examples: [
      {
        agent_id: exampleId('agt'),
        certificate_id: exampleId('cert'),
        reason: 'Key compromised',
        replaced_by: null,
        revoked_at: EXAMPLE_TIME,
      },
    ],
  },
)
export type CertificateRevoked = Static<typeof CertificateRevoked>

/** The data of every other event, by the event's name. */
export const CONTROL_EVENTS = {
  'agent.approval.requested': AgentApprovalRequested,
  'agent.approval.approved': AgentApprovalApproved,
  'agent.approval.rejected': AgentApprovalRejected,
  'agent.approval.expired': AgentApprovalExpired,
  'agent.status.changed': AgentStatusChanged,
  'agent.app.connected': AgentAppConnected,
  'certificate.revoked': CertificateRevoked,
  'owner.kyc.updated': OwnerKycUpdated,
  'owner.link.updated': OwnerLinkUpdated,
  'risk.alert.opened': RiskAlertOpened,
  'webhook.test': WebhookTest,
} as const satisfies Record<string, TSchema>
