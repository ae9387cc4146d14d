import { type Static, Type } from 'typebox'
import { EVENT_NAMES } from './events.ts'
import { EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

/** The status of a webhook delivery (contract section 8). */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** The delivery of one event to a platform (contract section 8). */
export const WebhookDelivery = answer(
  {
    delivery_id: idSchema('whd'),
    event_id: idSchema('evt', 'The event: the `webhook-id` of every attempt.'),
    event: oneOf(EVENT_NAMES, 'What happened.'),
    url: nullable(
      textOut(
        'Where it was sent last, or will be; null when there is no address.',
        'https://example.com/webhooks/wallet',
      ),
    ),
    status: oneOf(
      DELIVERY_STATUSES,
      '`pending` while attempts are to come, `delivered` once the receiver answered 2xx, `failed` when it was given up.',
    ),
    attempts: Type.Integer({ description: 'How often it was tried.', examples: [1] }),
    response_status: nullable(
      Type.Integer({ description: 'The status of the last answer; null without one.', examples: [200] }),
    ),
    last_error: nullable(
      textOut('Why the last attempt failed; null when it did not.', 'The receiver answered 503'),
    ),
    next_attempt_at: nullable(
      timestamp('When it is due next, tried then or soon after; null when it is not tried any more.'),
    ),
    created_at: timestamp('When the event happened.'),
    delivered_at: nullable(timestamp('When the receiver answered 2xx.')),
  },
  {
    title: 'WebhookDelivery',
    description: 'A delivery: one event for one platform.',
    examples: [
      {
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
      },
    ],
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
    'What became of each event for your platform, newest first, those included whose first attempt is still to come. What happened before there was a `webhook_url` has no delivery. Deliveries are kept for 30 days; a pending one as long as it is tried, or waits for a receiver that was gone for less than that.',
  who: ['platform'],
  query: request({
    status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only those that stand so.')),
    event: Type.Optional(oneOf(EVENT_NAMES, 'Only events of this name.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('deliveries', WebhookDelivery, {
    title: 'WebhookDeliveryList',
    description: 'A page of deliveries.',
  }),
  errors: [],
})

export const retryWebhookDelivery = route({
  operationId: 'retryWebhookDelivery',
  method: 'POST',
  path: '/v1/webhooks/deliveries/{delivery_id}/retry',
  tag: 'Webhooks',
  summary: 'Try a delivery again',
  description:
    'Sends the event once more, now, and answers the delivery after that attempt, which takes up to 15 seconds. It counts like any other: a pending delivery that fails again waits for the next attempt of its schedule, a failed one stays failed, a delivered one stays delivered. `conflict` without a `webhook_url`, or while `webhook_disabled_at` is set. Two at once for one platform, tests included; more are `rate_limit_exceeded`.',
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
    'Sends `webhook.test` to your `webhook_url` and answers the delivery after its first attempt, which takes up to 15 seconds. If that fails it is tried again like any other. `conflict` without a `webhook_url`, or while `webhook_disabled_at` is set. Two at once for one platform, retries included; more are `rate_limit_exceeded`.',
  who: ['platform'],
  status: 200,
  response: WebhookDelivery,
  errors: ['conflict'],
})
