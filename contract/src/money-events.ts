import type { Static } from 'typebox'
import { amountOut, textOut } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
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

/** A payee gave money back; for the platforms of both sides (contract section 4, Refund). Amounts in INR. */
export const AgentPaymentRefunded = answer(
  {
    agent_id: idSchema(
      'agt',
      'The agent of yours that this concerns: who gave the money back, or who got it.',
    ),
    refund_id: idSchema('rfd'),
    payment_id: idSchema('pay', 'The payment that was refunded.'),
    from: idSchema('agt', 'Who gave it back: the payee of the payment.'),
    to: idSchema('agt', 'Who got it: the payer of the payment.'),
    amount: amountOut('What went back, INR.'),
    refunded_total: amountOut('What has gone back of this payment so far, INR.'),
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
    description: 'A funding failed, expired or was cancelled.',
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
  description: 'Money of an agent of yours was put into escrow.',
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
