import { Type } from 'typebox'
import { route } from './route.ts'
import { answer, request } from './schema.ts'

/** A gateway webhook: only the gateway's adapter knows its form, and its signature covers the raw bytes. */
export const receiveGatewayNotice = route({
  operationId: 'receiveGatewayNotice',
  method: 'POST',
  path: '/v1/gateway/{gateway}/webhooks',
  tag: 'Gateway',
  summary: 'Take a notice of the payment gateway',
  description:
    'Called by the payment gateway, in its own format and with its own signature over the raw body. A notice is never trusted alone: the gateway is asked before any wallet is credited. A bad signature is `authentication_error`; a repeated or unknown notice is taken and changes nothing. 300 a minute from one address that fail verification are `rate_limit_exceeded` for the rest of the minute; genuine ones do not count.',
  who: [],
  params: request({
    gateway: Type.String({
      maxLength: 32,
      pattern: '^[a-z][a-z0-9-]*$',
      description: 'Which gateway calls.',
      examples: ['sandbox'],
    }),
  }),
  body: Type.Unknown({
    description: 'The notice in the gateway’s own format.',
    examples: [{ type: 'PAYMENT_SUCCESS_WEBHOOK', data: {} }],
  }),
  status: 200,
  response: answer(
    { received: Type.Boolean({ description: 'true: do not send it again.' }) },
    { title: 'GatewayNoticeReceived', description: 'The notice was taken.', examples: [{ received: true }] },
  ),
  errors: ['authentication_error', 'not_found', 'rate_limit_exceeded'],
})
