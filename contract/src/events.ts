import { type Static, type TSchema, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
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

/** The data of every event that is sent, by the event's name. */
export const EVENTS = {
  'agent.funded': AgentFunded,
  'agent.payment.sent': AgentPaymentSent,
  'agent.payment.received': AgentPaymentReceived,
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
