import { Type } from 'typebox'
import { route } from './route.ts'
import { request, response } from './schema.ts'

/** A gateway webhook: only the gateway's adapter knows its form, and its signature covers the raw bytes. */
export const receiveGatewayWebhook = route({
  operationId: 'receiveGatewayWebhook',
  method: 'POST',
  path: '/v1/gateway/{gateway}/webhooks',
  tag: 'Gateway',
  summary: 'Receive a gateway webhook',
  description:
    'Called by the payment gateway, in its own format and with its own signature over the raw body. A webhook is never trusted by itself: the gateway is asked before any wallet is credited. An invalid signature is `authentication_error`. A repeated or unknown webhook is accepted and changes nothing. After 300 webhooks in a minute from one address that fail verification, the address gets `rate_limit_exceeded` for the rest of the minute; genuine webhooks do not count.',
  who: [],
  params: request({
    gateway: Type.String({
      maxLength: 32,
      pattern: '^[a-z][a-z0-9-]*$',
      description: 'The gateway.',
      examples: ['sandbox'],
    }),
  }),
  body: Type.Unknown({
    description: 'The webhook in the gateway’s own format.',
    examples: [{ type: 'PAYMENT_SUCCESS_WEBHOOK', data: {} }],
  }),
  status: 200,
  response: response(
    { received: Type.Boolean({ description: 'true: accepted; do not send it again.' }) },
    {
      title: 'GatewayWebhookReceived',
      description: 'The webhook was accepted.',
      examples: [{ received: true }],
    },
  ),
  errors: ['authentication_error', 'not_found', 'rate_limit_exceeded'],
})
