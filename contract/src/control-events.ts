import { type Static, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { APPROVAL_KINDS } from './approvals.ts'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { KYC_STATUSES, LINK_STATUSES, TIERS } from './owners.ts'
import { RISK_RULES, RISK_SEVERITIES } from './risk.ts'
import { answer, nullable, oneOf } from './schema.ts'

const approvalProperties = {
  approval_id: idSchema('apr'),
  agent_id: idSchema('agt', 'The agent that asked.'),
  kind: oneOf(APPROVAL_KINDS, 'What is to be approved.'),
  to: nullable(idSchema('agt', 'The agent that would be paid; null for a hold that names none.')),
  amount: amountOut('The amount, INR, without the fee.'),
  fee: amountOut('The fee that would be due, INR; 0 for a hold.'),
  reference: nullable(textOut('The caller’s reference.', 'invoice-2041')),
  expires_at: timestamp('When it expires unless it is decided before.'),
  payment_id: nullable(idSchema('pay', 'The payment made on approval; null before and for a hold.')),
  escrow_id: nullable(idSchema('esc', 'The escrow made on approval; null before and for a payment.')),
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
}

/** A payment or hold waits for its owner (contract section 5). Amounts in INR. */
export const AgentApprovalRequested = answer(approvalProperties, {
  title: 'AgentApprovalRequested',
  description: 'A payment or hold of an agent of yours waits for its owner.',
  examples: [approvalExample],
})
export type AgentApprovalRequested = Static<typeof AgentApprovalRequested>

/** The owner approved, and it was done in the same commit (contract section 5). Amounts in INR. */
export const AgentApprovalApproved = answer(approvalProperties, {
  title: 'AgentApprovalApproved',
  description: 'The owner approved it, and it was paid or held.',
  examples: [{ ...approvalExample, payment_id: exampleId('pay') }],
})
export type AgentApprovalApproved = Static<typeof AgentApprovalApproved>

/** The owner rejected (contract section 5). Amounts in INR. */
export const AgentApprovalRejected = answer(approvalProperties, {
  title: 'AgentApprovalRejected',
  description: 'The owner rejected it; nothing was paid or held.',
  examples: [approvalExample],
})
export type AgentApprovalRejected = Static<typeof AgentApprovalRejected>

/** Nobody decided in time (contract section 5). Amounts in INR. */
export const AgentApprovalExpired = answer(approvalProperties, {
  title: 'AgentApprovalExpired',
  description: 'The owner did not decide in time; nothing was paid or held.',
  examples: [approvalExample],
})
export type AgentApprovalExpired = Static<typeof AgentApprovalExpired>

/** An agent was stopped, let go or ended (contract section 3, States). */
export const AgentStatusChanged = answer(
  {
    agent_id: idSchema('agt', 'The agent.'),
    status: oneOf(AGENT_STATUSES, 'How it stands now.'),
    previous_status: oneOf(AGENT_STATUSES, 'How it stood before.'),
  },
  {
    title: 'AgentStatusChanged',
    description: 'An agent of yours was paused, quarantined, frozen, restored or deactivated.',
    examples: [{ agent_id: exampleId('agt'), status: 'paused', previous_status: 'active' }],
  },
)
export type AgentStatusChanged = Static<typeof AgentStatusChanged>

/** A risk rule found something (contract section 8, Risk). What it saw is for the operators alone. */
export const RiskAlertOpened = answer(
  {
    alert_id: idSchema('alr'),
    agent_id: nullable(idSchema('agt', 'The agent that it is about; null when it is about the platform.')),
    rule: oneOf(RISK_RULES, 'The rule that found it.'),
    severity: oneOf(RISK_SEVERITIES, 'How grave it is.'),
    score: Type.Integer({ description: 'Its points, 0 to 100, for the agent’s score.', examples: [30] }),
  },
  {
    title: 'RiskAlertOpened',
    description: 'A risk rule raised an alert about an agent of yours or about your platform.',
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
export const WebhookTest = answer(
  { platform_id: idSchema('plt', 'The platform that asked for it.') },
  {
    title: 'WebhookTest',
    description: 'A test that you requested; nothing happened.',
    examples: [{ platform_id: exampleId('plt') }],
  },
)
export type WebhookTest = Static<typeof WebhookTest>

/** The bank decided about an owner's account (contract section 8). */
export const OwnerKycUpdated = answer(
  {
    owner_id: idSchema('own'),
    kyc_status: oneOf(KYC_STATUSES, 'How far bank verification is.'),
    tier: oneOf(TIERS, 'The owner’s tier now.'),
    reason: nullable(
      textOut('Why the account submitted last is not verified; null when it is.', 'name_mismatch'),
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
export const OwnerLinkUpdated = answer(
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

/** A certificate ended before its time: revoked, rotated, or its agent deactivated (contract section 8). */
export const CertificateRevoked = answer(
  {
    agent_id: idSchema('agt', 'The agent that it vouched for.'),
    certificate_id: idSchema('cert'),
    reason: nullable(textOut('Why.', 'Key compromised')),
    replaced_by: nullable(idSchema('cert', 'The new one, when it was rotated.')),
    revoked_at: timestamp('When.'),
  },
  {
    title: 'CertificateRevoked',
    description: 'A certificate of an agent of yours was revoked.',
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
