import { type Static, Type } from 'typebox'
import { CONTROL_EVENTS } from './control-events.ts'
import { EXAMPLE_TIME, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'

import { MONEY_EVENTS } from './money-events.ts'
import { nullable, oneOf, response } from './schema.ts'

/** The data of every event, by the event's name. */
export const EVENTS = { ...MONEY_EVENTS, ...CONTROL_EVENTS }

export type EventName = keyof typeof EVENTS

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[]

export type EventData<Name extends EventName> = Static<(typeof EVENTS)[Name]>

/** The body of a webhook (interface section 6, contract section 8). The schema of `data` is `EVENTS[event]`. */
export const WebhookBody = response(
  {
    id: idSchema('evt', 'The id of the event; the same on every retry, and equal to the header webhook-id.'),
    event: oneOf(EVENT_NAMES, 'The name of the event.'),
    type: oneOf(EVENT_NAMES, 'The same as `event`, under the name that Standard Webhooks uses.'),
    timestamp: timestamp('When it happened.'),
    sequence: nullable(
      Type.Integer({
        description:
          'The number of the wallet’s transfers up to this event, its own included: of two events of one agent, the one with the greater number happened later. null for events that are not about one agent.',
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
