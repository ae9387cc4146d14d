import type { Static, TSchema } from 'typebox'
import { amountOut, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { nullable, oneOf, response } from './schema.ts'

const reference = nullable(textOut('The payer’s reference.', 'invoice-2041'))

/** A funding succeeded (interface section 6, contract section 8). Amounts in INR. */
export const AgentFunded = response(
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
export const AgentPaymentSent = response(
  {
    agent_id: idSchema('agt', 'The payer.'),
    payment_id: idSchema('pay'),
    to: idSchema('agt', 'The payee.'),
    amount: amountOut('What the payee received, INR.'),
    fee: amountOut('The fee that the payer paid, INR.'),
    reference,
  },
  {
    title: 'AgentPaymentSent',
    description: 'One of your agents paid.',
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
export const AgentPaymentReceived = response(
  {
    agent_id: idSchema('agt', 'The payee.'),
    payment_id: idSchema('pay'),
    from: idSchema('agt', 'The payer.'),
    amount: amountOut('What the payee received, INR.'),
    reference,
  },
  {
    title: 'AgentPaymentReceived',
    description: 'One of your agents was paid.',
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

/** A payee refunded a payment; for the platforms of both sides (contract section 4, Refund). Amounts in INR. */
export const AgentPaymentRefunded = response(
  {
    agent_id: idSchema('agt', 'Your agent in this event: the refunding agent or the refunded one.'),
    refund_id: idSchema('rfd'),
    payment_id: idSchema('pay', 'The payment that was refunded.'),
    from: idSchema('agt', 'The refunding agent: the payee of the payment.'),
    to: idSchema('agt', 'The refunded agent: the payer of the payment.'),
    amount: amountOut('The refunded amount, INR.'),
    refunded_total: amountOut('The total refunded of this payment so far, INR.'),
  },
  {
    title: 'AgentPaymentRefunded',
    description: 'A payment was refunded, in whole or in part.',
    examples: [
      {
        agent_id: exampleId('agt'),
        refund_id: exampleId('rfd'),
        payment_id: exampleId('pay'),
        from: exampleId('agt', 2),
        to: exampleId('agt'),
        amount: 100,
        refunded_total: 100,
      },
    ],
  },
)
export type AgentPaymentRefunded = Static<typeof AgentPaymentRefunded>

/** A funding failed (contract section 8). Amounts in INR. */
export const AgentFundingFailed = response(
  {
    agent_id: idSchema('agt', 'The agent that was to be funded.'),
    funding_id: idSchema('fund'),
    amount: amountOut('The requested amount, INR.'),
    reason: textOut('The reason, in one word.', 'expired'),
  },
  {
    title: 'AgentFundingFailed',
    description: 'A funding failed, expired or was cancelled.',
    examples: [
      { agent_id: exampleId('agt'), funding_id: exampleId('fund'), amount: 1000, reason: 'expired' },
    ],
  },
)
export type AgentFundingFailed = Static<typeof AgentFundingFailed>

/** A chargeback reversed a funding (contract section 8). Amounts in INR; the balance may be negative. */
export const AgentFundingReversed = response(
  {
    agent_id: idSchema('agt', 'The agent that had been funded.'),
    funding_id: idSchema('fund'),
    amount: amountOut('What the bank reversed, INR.'),
    net_amount: amountOut('What the wallet was debited, INR.'),
    balance: amountOut('The balance after it, INR; below 0 the wallet cannot send.'),
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
export const AgentSettlementCompleted = response(
  {
    agent_id: idSchema('agt', 'The agent whose unused balance was settled.'),
    amount: amountOut('What was paid to the bank, INR.'),
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
export const AgentWithdrawalCompleted = response(AgentSettlementCompleted.properties, {
  title: 'AgentWithdrawalCompleted',
  description: 'A withdrawal reached the owner’s bank.',
  examples: [
    { agent_id: exampleId('agt'), amount: 400, utr: 'UTR0000000001', transaction_id: exampleId('txn') },
  ],
})
export type AgentWithdrawalCompleted = Static<typeof AgentWithdrawalCompleted>

/** A payout returned to the wallet (contract section 8). Amounts in INR. */
export const AgentWithdrawalFailed = response(
  {
    agent_id: idSchema('agt', 'The agent whose wallet was credited again.'),
    amount: amountOut('The returned amount, INR.'),
    transaction_id: idSchema('txn'),
    type: oneOf(['withdraw', 'settlement'], 'What it was.'),
    status: oneOf(['failed', 'reversed'], '`reversed`: the bank had accepted it first.'),
  },
  {
    title: 'AgentWithdrawalFailed',
    description: 'A payout failed, or the bank returned it.',
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
  agent_id: idSchema('agt', 'Your agent in this event: the payer or the payee.'),
  escrow_id: idSchema('esc'),
  from: idSchema('agt', 'The payer.'),
  to: nullable(idSchema('agt', 'The recipient; null if none is named.')),
  amount: amountOut('The held amount, INR.'),
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

/** Money was held in escrow; for the payer's platform (contract section 8). Amounts in INR. */
export const AgentEscrowHeld = response(escrowProperties, {
  title: 'AgentEscrowHeld',
  description: 'Money of one of your agents was held in escrow.',
  examples: [escrowExample],
})
export type AgentEscrowHeld = Static<typeof AgentEscrowHeld>

/** An escrow was released; for the platforms of both sides (contract section 6). Amounts in INR. */
export const AgentEscrowReleased = response(escrowProperties, {
  title: 'AgentEscrowReleased',
  description: 'An escrow was released.',
  examples: [escrowExample],
})
export type AgentEscrowReleased = Static<typeof AgentEscrowReleased>

/** An escrow was refunded; for the payer's platform (contract section 8). Amounts in INR. */
export const AgentEscrowRefunded = response(escrowProperties, {
  title: 'AgentEscrowRefunded',
  description: 'An escrow was refunded.',
  examples: [escrowExample],
})
export type AgentEscrowRefunded = Static<typeof AgentEscrowRefunded>

const authorizationProperties = {
  agent_id: idSchema('agt', 'Your agent in this event: the payer or the payee.'),
  authorization_id: idSchema('ath'),
  from: idSchema('agt', 'The payer.'),
  to: idSchema('agt', 'The payee.'),
  amount: amountOut('The authorized amount, INR.'),
  reference,
}

const authorizationExample = {
  agent_id: exampleId('agt'),
  authorization_id: exampleId('ath'),
  from: exampleId('agt'),
  to: exampleId('agt', 2),
  amount: 400,
  reference: 'session-9',
}

/** Money was set aside for one payee; for the platforms of both sides (contract section 12). Amounts in INR. */
export const AgentAuthorizationCreated = response(
  { ...authorizationProperties, expires_at: timestamp('When it begins to close by itself.') },
  {
    title: 'AgentAuthorizationCreated',
    description: 'Money was set aside for captures by one payee.',
    examples: [{ ...authorizationExample, expires_at: '2026-11-21T10:15:30.000Z' }],
  },
)
export type AgentAuthorizationCreated = Static<typeof AgentAuthorizationCreated>

/** The payee captured; for the platforms of both sides (contract section 12). Amounts in INR. */
export const AgentAuthorizationCaptured = response(
  {
    ...authorizationProperties,
    payment_id: idSchema('pay'),
    receipt_id: idSchema('rcp'),
    captured_now: amountOut('What was captured, INR.'),
    captured: amountOut('What was captured in all, INR.'),
  },
  {
    title: 'AgentAuthorizationCaptured',
    description: 'A payee captured money of an authorization. There is no payment event for it.',
    examples: [
      {
        ...authorizationExample,
        payment_id: exampleId('pay'),
        receipt_id: exampleId('rcp'),
        captured_now: 20,
        captured: 120,
      },
    ],
  },
)
export type AgentAuthorizationCaptured = Static<typeof AgentAuthorizationCaptured>

/** The closing has begun; for the platforms of both sides (contract section 12). Amounts in INR. */
export const AgentAuthorizationClosing = response(
  {
    ...authorizationProperties,
    closes_at: nullable(
      timestamp('Until when captures count; null while the payer is frozen or quarantined.'),
    ),
  },
  {
    title: 'AgentAuthorizationClosing',
    description: 'An authorization began to close: capture what you are owed until closes_at.',
    examples: [{ ...authorizationExample, closes_at: '2026-11-21T10:25:30.000Z' }],
  },
)
export type AgentAuthorizationClosing = Static<typeof AgentAuthorizationClosing>

/** It has ended; for the platforms of both sides (contract section 12). Amounts in INR. */
export const AgentAuthorizationClosed = response(
  {
    ...authorizationProperties,
    status: oneOf(['closed', 'expired', 'voided'], 'How it ended.'),
    captured: amountOut('What was captured in all, INR.'),
    fee: amountOut('The fee that the payer paid on it, INR.'),
  },
  {
    title: 'AgentAuthorizationClosed',
    description: 'An authorization ended; what was not captured went back to the payer.',
    examples: [{ ...authorizationExample, status: 'closed', captured: 120, fee: 1 }],
  },
)
export type AgentAuthorizationClosed = Static<typeof AgentAuthorizationClosed>

/** The data of every event about money, by the event's name. */
export const MONEY_EVENTS = {
  'agent.funded': AgentFunded,
  'agent.funding.failed': AgentFundingFailed,
  'agent.funding.reversed': AgentFundingReversed,
  'agent.payment.sent': AgentPaymentSent,
  'agent.payment.received': AgentPaymentReceived,
  'agent.payment.refunded': AgentPaymentRefunded,
  'agent.escrow.held': AgentEscrowHeld,
  'agent.escrow.released': AgentEscrowReleased,
  'agent.escrow.refunded': AgentEscrowRefunded,
  'agent.authorization.created': AgentAuthorizationCreated,
  'agent.authorization.captured': AgentAuthorizationCaptured,
  'agent.authorization.closing': AgentAuthorizationClosing,
  'agent.authorization.closed': AgentAuthorizationClosed,
  'agent.settlement.completed': AgentSettlementCompleted,
  'agent.withdrawal.completed': AgentWithdrawalCompleted,
  'agent.withdrawal.failed': AgentWithdrawalFailed,
} as const satisfies Record<string, TSchema>
