import { type Static, type TSchema, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { KYC_STATUSES, TIERS } from './owners.ts'
import { answer, nullable, oneOf } from './schema.ts'

const reference = nullable(textOut('The payer’s reference.', 'invoice-2041'))

/** A funding succeeded (interface section 6, contract section 8). Amounts in INR. */
export const AgentFunded = answer(
  {
    agent_id: idSchema('agt', 'The agent that was funded.'),
    amount: amountOut('What the owner paid, INR.'),
    funding_id: idSchema('fund'),
    fee: amountOut('The gateway’s fee, INR.'),
    net_amount: amountOut('What the wallet was credited, INR.'),
  },
  {
    title: 'AgentFunded',
    description: 'A wallet was funded.',
    examples: [
      { agent_id: exampleId('agt'), amount: 1000, funding_id: exampleId('fund'), fee: 25, net_amount: 975 },
    ],
  },
)
export type AgentFunded = Static<typeof AgentFunded>

/** A payment completed; for the sender's platform (interface section 6). Amounts in INR. */
export const AgentPaymentSent = answer(
  {
    agent_id: idSchema('agt', 'The payer.'),
    payment_id: idSchema('pay'),
    to: idSchema('agt', 'The payee.'),
    amount: amountOut('What the payee got, INR.'),
    fee: amountOut('What the payer paid on top, INR.'),
    reference,
  },
  {
    title: 'AgentPaymentSent',
    description: 'An agent of yours paid.',
    examples: [
      {
        agent_id: exampleId('agt'),
        payment_id: exampleId('pay'),
        to: exampleId('agt', 2),
        amount: 400,
        fee: 2,
        reference: 'invoice-2041',
      },
    ],
  },
)
export type AgentPaymentSent = Static<typeof AgentPaymentSent>

/** A payment completed; for the receiver's platform (interface section 6). Amounts in INR. */
export const AgentPaymentReceived = answer(
  {
    agent_id: idSchema('agt', 'The payee.'),
    payment_id: idSchema('pay'),
    from: idSchema('agt', 'The payer.'),
    amount: amountOut('What the payee got, INR.'),
    reference,
  },
  {
    title: 'AgentPaymentReceived',
    description: 'An agent of yours was paid.',
    examples: [
      {
        agent_id: exampleId('agt', 2),
        payment_id: exampleId('pay'),
        from: exampleId('agt'),
        amount: 400,
        reference: 'invoice-2041',
      },
    ],
  },
)
export type AgentPaymentReceived = Static<typeof AgentPaymentReceived>

/** A funding ended without money (contract section 8). Amounts in INR. */
export const AgentFundingFailed = answer(
  {
    agent_id: idSchema('agt', 'The agent that was to be funded.'),
    funding_id: idSchema('fund'),
    amount: amountOut('What the owner was asked for, INR.'),
    reason: textOut('Why, in one word.', 'expired'),
  },
  {
    title: 'AgentFundingFailed',
    description: 'A funding was given up, failed or expired.',
    examples: [
      { agent_id: exampleId('agt'), funding_id: exampleId('fund'), amount: 1000, reason: 'expired' },
    ],
  },
)
export type AgentFundingFailed = Static<typeof AgentFundingFailed>

/** The bank took a funding back (contract section 8). Amounts in INR; the balance may be negative now. */
export const AgentFundingReversed = answer(
  {
    agent_id: idSchema('agt', 'The agent that had been funded.'),
    funding_id: idSchema('fund'),
    amount: amountOut('What the bank took back, INR.'),
    net_amount: amountOut('What the wallet lost, INR.'),
    balance: amountOut('What the wallet holds now, INR; below 0 nothing can be sent.'),
  },
  {
    title: 'AgentFundingReversed',
    description: 'A funding was reversed by a chargeback.',
    examples: [
      {
        agent_id: exampleId('agt'),
        funding_id: exampleId('fund'),
        amount: 1000,
        net_amount: 975,
        balance: -402,
      },
    ],
  },
)
export type AgentFundingReversed = Static<typeof AgentFundingReversed>

/** A settlement reached the owner's bank (interface section 6). Amounts in INR. */
export const AgentSettlementCompleted = answer(
  {
    agent_id: idSchema('agt', 'The agent whose unused balance was settled.'),
    amount: amountOut('What the bank got, INR.'),
    utr: textOut('The bank’s reference.', 'UTR0000000001'),
    transaction_id: idSchema('txn'),
  },
  {
    title: 'AgentSettlementCompleted',
    description: 'An unused balance was settled to the owner’s bank.',
    examples: [
      { agent_id: exampleId('agt'), amount: 573, utr: 'UTR0000000001', transaction_id: exampleId('txn') },
    ],
  },
)
export type AgentSettlementCompleted = Static<typeof AgentSettlementCompleted>

/** A withdrawal reached the owner's bank (contract section 8). Amounts in INR. */
export const AgentWithdrawalCompleted = answer(AgentSettlementCompleted.properties, {
  title: 'AgentWithdrawalCompleted',
  description: 'A withdrawal reached the owner’s bank.',
  examples: [
    { agent_id: exampleId('agt'), amount: 400, utr: 'UTR0000000001', transaction_id: exampleId('txn') },
  ],
})
export type AgentWithdrawalCompleted = Static<typeof AgentWithdrawalCompleted>

/** A payout came back into the wallet (contract section 8). Amounts in INR. */
export const AgentWithdrawalFailed = answer(
  {
    agent_id: idSchema('agt', 'The agent whose wallet has the money again.'),
    amount: amountOut('What came back, INR.'),
    transaction_id: idSchema('txn'),
    type: oneOf(['withdraw', 'settlement'], 'What it was.'),
    status: oneOf(['failed', 'reversed'], '`reversed`: the bank had taken it first.'),
  },
  {
    title: 'AgentWithdrawalFailed',
    description: 'A payout did not stay with the owner’s bank.',
    examples: [
      {
        agent_id: exampleId('agt'),
        amount: 400,
        transaction_id: exampleId('txn'),
        type: 'withdraw',
        status: 'failed',
      },
    ],
  },
)
export type AgentWithdrawalFailed = Static<typeof AgentWithdrawalFailed>

const escrowProperties = {
  agent_id: idSchema('agt', 'The agent of yours that this concerns: the payer, or who got the money.'),
  escrow_id: idSchema('esc'),
  from: idSchema('agt', 'The payer.'),
  to: nullable(idSchema('agt', 'Who shall have, or has, the money; null while nobody was named.')),
  amount: amountOut('What is held, INR.'),
  reference,
}

const escrowExample = {
  agent_id: exampleId('agt'),
  escrow_id: exampleId('esc'),
  from: exampleId('agt'),
  to: exampleId('agt', 2),
  amount: 400,
  reference: 'order-77',
}

/** Money was set aside; for the payer's platform (contract section 8). Amounts in INR. */
export const AgentEscrowHeld = answer(escrowProperties, {
  title: 'AgentEscrowHeld',
  description: 'Money of an agent of yours waits in escrow.',
  examples: [escrowExample],
})
export type AgentEscrowHeld = Static<typeof AgentEscrowHeld>

/** An escrow was released; for the platforms of both sides (contract section 6). Amounts in INR. */
export const AgentEscrowReleased = answer(escrowProperties, {
  title: 'AgentEscrowReleased',
  description: 'An escrow was released.',
  examples: [escrowExample],
})
export type AgentEscrowReleased = Static<typeof AgentEscrowReleased>

/** An escrow was refunded; for the payer's platform (contract section 8). Amounts in INR. */
export const AgentEscrowRefunded = answer(escrowProperties, {
  title: 'AgentEscrowRefunded',
  description: 'An escrow was refunded.',
  examples: [escrowExample],
})
export type AgentEscrowRefunded = Static<typeof AgentEscrowRefunded>

/** The bank decided about an owner's account (contract section 8). */
export const OwnerKycUpdated = answer(
  {
    owner_id: idSchema('own'),
    kyc_status: oneOf(KYC_STATUSES, 'How far bank verification is.'),
    tier: oneOf(TIERS, 'The owner’s tier now.'),
    reason: nullable(textOut('Why it is not verified; null when it is.', 'name_mismatch')),
  },
  {
    title: 'OwnerKycUpdated',
    description: 'An owner’s bank verification changed.',
    examples: [{ owner_id: exampleId('own'), kyc_status: 'verified', tier: 'tier1', reason: null }],
  },
)
export type OwnerKycUpdated = Static<typeof OwnerKycUpdated>

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

/** The data of every event that is sent, by the event's name. */
export const EVENTS = {
  'agent.funded': AgentFunded,
  'agent.funding.failed': AgentFundingFailed,
  'agent.funding.reversed': AgentFundingReversed,
  'agent.payment.sent': AgentPaymentSent,
  'agent.payment.received': AgentPaymentReceived,
  'agent.escrow.held': AgentEscrowHeld,
  'agent.escrow.released': AgentEscrowReleased,
  'agent.escrow.refunded': AgentEscrowRefunded,
  'agent.settlement.completed': AgentSettlementCompleted,
  'agent.withdrawal.completed': AgentWithdrawalCompleted,
  'agent.withdrawal.failed': AgentWithdrawalFailed,
  'certificate.revoked': CertificateRevoked,
  'owner.kyc.updated': OwnerKycUpdated,
} as const satisfies Record<string, TSchema>

export type EventName = keyof typeof EVENTS

export type EventData<Name extends EventName> = Static<(typeof EVENTS)[Name]>

/** The body of a webhook (interface section 6, contract section 8). The schema of `data` is `EVENTS[event]`. */
export const WebhookBody = answer(
  {
    id: idSchema('evt', 'The event; the same on every retry and equal to the header webhook-id.'),
    event: oneOf(Object.keys(EVENTS) as EventName[], 'What happened.'),
    type: oneOf(
      Object.keys(EVENTS) as EventName[],
      'The same as `event`, by the name that Standard Webhooks gives it.',
    ),
    timestamp: timestamp('When it happened.'),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The facts; their fields depend on the event.',
    }),
  },
  {
    title: 'WebhookBody',
    description: 'What a webhook carries.',
    examples: [
      {
        id: exampleId('evt'),
        event: 'agent.funded',
        type: 'agent.funded',
        timestamp: EXAMPLE_TIME,
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
