import { type Static, Type } from 'typebox'
import { EVENT_NAMES } from './events.ts'
import { EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The status of a webhook delivery (contract section 8). */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

const deliveredExample = {
  delivery_id: exampleId('whd'),
  event_id: exampleId('evt'),
  event: 'agent.payment.received',
  url: 'https://example.com/webhooks/wallet',
  status: 'delivered',
  attempts: 1,
  response_status: 200,
  last_error: null,
  next_attempt_at: null,
  created_at: EXAMPLE_TIME,
  delivered_at: '2026-11-20T10:15:30.140Z',
}

/** The delivery of one event to a platform (contract section 8). */
export const WebhookDelivery = response(
  {
    delivery_id: idSchema('whd'),
    event_id: idSchema('evt', 'The event: the `webhook-id` of every attempt.'),
    event: oneOf(EVENT_NAMES, 'The name of the event.'),
    url: nullable(
      textOut(
        'The address of the last or next attempt; null if there is none.',
        'https://example.com/webhooks/wallet',
      ),
    ),
    status: oneOf(
      DELIVERY_STATUSES,
      '`pending` while attempts are scheduled, `delivered` after a 2xx response, `failed` after the last attempt.',
    ),
    attempts: Type.Integer({ description: 'The number of attempts.', examples: [1] }),
    response_status: nullable(
      Type.Integer({
        description: 'The HTTP status of the last response; null without one.',
        examples: [200],
      }),
    ),
    last_error: nullable(
      textOut('Why the last attempt failed; null if it did not.', 'The receiver responded with 503'),
    ),
    next_attempt_at: nullable(timestamp('When the next attempt is due; null if there is none.')),
    created_at: timestamp('When the event happened.'),
    delivered_at: nullable(timestamp('When the receiver responded with 2xx.')),
  },
  {
    title: 'WebhookDelivery',
    description: 'A delivery: one event for one platform.',
    examples: [deliveredExample],
  },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const listWebhookDeliveries = route({
  operationId: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/webhooks/deliveries',
  tag: 'Webhooks',
  summary: 'List webhook deliveries',
  description:
    'The delivery of each event of your platform, newest first, including events without an attempt so far. Events from before there was a `webhook_url` have no delivery. Deliveries are kept for 30 days; a pending one as long as it is retried, or waits after a 410 response that is not older.',
  who: ['platform'],
  query: request({
    status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only deliveries with this status.')),
    event: Type.Optional(oneOf(EVENT_NAMES, 'Only deliveries of this event.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('deliveries', WebhookDelivery, {
    title: 'WebhookDeliveryList',
    description: 'A page of deliveries.',
  }),
  errors: [],
})

/** One attempt to deliver an event. */
const Attempt = response(
  {
    at: timestamp('When it began.'),
    duration_ms: Type.Integer({ description: 'How long it took, in milliseconds.', examples: [140] }),
    response_status: nullable(
      Type.Integer({ description: 'The HTTP status of the response; null without one.', examples: [200] }),
    ),
    error: nullable(textOut('Why it failed; null if it did not.', 'The receiver responded with 503')),
  },
  { description: 'One attempt.' },
)

/** A delivery with everything that was sent and responded (contract section 8). */
export const WebhookDeliveryDetails = response(
  {
    ...WebhookDelivery.properties,
    attempt_history: Type.Array(Attempt, {
      description: 'The last attempts, the newest first: at most 21.',
    }),
    request: nullable(
      response(
        {
          headers: Type.Record(Type.String(), Type.String(), {
            description:
              'The headers of the last attempt, or of an attempt made now if there was none. They are signed again with the secrets in force now, so a signature by a secret that was replaced is another.',
          }),
          body: textOut('The exact text of the body, which is the same for every attempt.', '{"id":"evt_…"}'),
        },
        { description: 'What is sent; null if the event failed verification, so that it is not sent.' },
      ),
    ),
  },
  {
    title: 'WebhookDeliveryDetails',
    description: 'A delivery with its request and its attempts.',
    examples: [
      {
        ...deliveredExample,
        attempt_history: [{ at: EXAMPLE_TIME, duration_ms: 140, response_status: 200, error: null }],
        request: {
          headers: {
            'content-type': 'application/json',
            'webhook-id': exampleId('evt'),
            'webhook-timestamp': '1795169730',
            'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          },
          body: `{"id":"${exampleId('evt')}","event":"agent.payment.received"}`,
        },
      },
    ],
  },
)
export type WebhookDeliveryDetails = Static<typeof WebhookDeliveryDetails>

export const getWebhookDelivery = route({
  operationId: 'getWebhookDelivery',
  method: 'GET',
  path: '/v1/webhooks/deliveries/{delivery_id}',
  tag: 'Webhooks',
  summary: 'Get a webhook delivery',
  description: 'A delivery with the headers and the body of its request, and the response to each attempt.',
  who: ['platform'],
  params: request({ delivery_id: idParam('whd') }),
  status: 200,
  response: WebhookDeliveryDetails,
  errors: ['not_found'],
})

/** How long the list of events reaches back, in days; deliveries are kept as long. */
export const EVENTS_LISTED_DAYS = 30

/** An event as it happened, whether it was delivered or not. */
export const LoggedEvent = response(
  {
    event_id: idSchema('evt'),
    event: oneOf(EVENT_NAMES, 'The name of the event.'),
    delivery_id: idSchema('whd', 'Its delivery, if there was a `webhook_url` when it happened.'),
    created_at: timestamp('When it happened.'),
    body: nullable(
      textOut(
        'The exact text that is sent to the `webhook_url`; null if the event failed verification.',
        '{"id":"evt_…"}',
      ),
    ),
  },
  {
    title: 'LoggedEvent',
    description: 'An event.',
    examples: [
      {
        event_id: exampleId('evt'),
        event: 'agent.payment.received',
        delivery_id: exampleId('whd'),
        created_at: EXAMPLE_TIME,
        body: `{"id":"${exampleId('evt')}","event":"agent.payment.received"}`,
      },
    ],
  },
)
export type LoggedEvent = Static<typeof LoggedEvent>

export const listEvents = route({
  operationId: 'listEvents',
  method: 'GET',
  path: '/v1/events',
  tag: 'Webhooks',
  summary: 'List events',
  description:
    'What happened to your platform, its owners and agents in the last 30 days, newest first, also without a `webhook_url`.',
  who: ['platform'],
  query: request({
    event: Type.Optional(oneOf(EVENT_NAMES, 'Only events with this name.')),
    agent_id: Type.Optional(idSchema('agt', 'Only events of this agent.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('events', LoggedEvent, { title: 'EventList', description: 'A page of events.' }),
  errors: ['authorization_error'],
})

export const retryWebhookDelivery = route({
  operationId: 'retryWebhookDelivery',
  method: 'POST',
  path: '/v1/webhooks/deliveries/{delivery_id}/retry',
  tag: 'Webhooks',
  summary: 'Retry a delivery',
  description:
    'Sends the event again now, and returns the delivery after this attempt, which takes up to 15 seconds. The attempt counts like any other: a pending delivery that fails again waits for its next scheduled attempt, a failed one stays failed, a delivered one stays delivered. `conflict` without a `webhook_url`, or while `webhook_disabled_at` is set. A platform can have two such requests at the same time, tests included; more are `rate_limit_exceeded`.',
  who: ['platform'],
  params: request({ delivery_id: idParam('whd') }),
  status: 200,
  response: WebhookDelivery,
  errors: ['not_found', 'conflict'],
})

export const testWebhook = route({
  operationId: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/test',
  tag: 'Webhooks',
  summary: 'Send a test webhook',
  description:
    'Sends `webhook.test` to your `webhook_url`, and returns the delivery after its first attempt, which takes up to 15 seconds. If that attempt fails, it is retried like any other. `conflict` without a `webhook_url`, or while `webhook_disabled_at` is set. A platform can have two such requests at the same time, retries included; more are `rate_limit_exceeded`.',
  who: ['platform'],
  status: 200,
  response: WebhookDelivery,
  errors: ['conflict'],
})
