import { type Static, Type } from 'typebox'
import { EXAMPLE_TIME, emailIn, nameText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema, PlatformSecret, WebhookSecret } from './ids.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

/** Where webhooks go. The service checks the rest: no user info, and in live mode a public https address. */
const WebhookUrl = Type.String({
  maxLength: 2048,
  pattern: '^https?://\\S+$',
  format: 'single-line',
  description:
    'Where webhooks are sent: http or https, in live mode https at a public address. No user name or password in it.',
  examples: ['https://example.com/webhooks/wallet'],
})

const platformProperties = {
  platform_id: idSchema('plt'),
  name: textOut('The name.', 'Example Agents'),
  email: nullable(textOut('Where the operator is reached.', 'dev@example.com')),
  status: oneOf(['active', 'deleted'], 'A deleted platform takes no calls any more.'),
  webhook_url: nullable(
    textOut('Where webhooks are sent; null when none is registered.', 'https://example.com/webhooks/wallet'),
  ),
  webhook_disabled_at: nullable(
    timestamp(
      'When the receiver answered 410 Gone: from then on events wait, and nothing is sent until `webhook_url` is set again. Else null.',
    ),
  ),
  created_at: timestamp('When it was created.'),
}

const platformExample = {
  platform_id: exampleId('plt'),
  name: 'Example Agents',
  email: 'dev@example.com',
  status: 'active',
  webhook_url: 'https://example.com/webhooks/wallet',
  webhook_disabled_at: null,
  created_at: EXAMPLE_TIME,
}

/** A platform: the developer account that owners and agents belong to (contract section 3). */
export const Platform = answer(platformProperties, {
  title: 'Platform',
  description: 'A developer account.',
  examples: [platformExample],
})
export type Platform = Static<typeof Platform>

const params = request({ platform_id: idParam('plt') })
const who = ['platform', 'admin'] as const

export const createPlatform = route({
  operationId: 'createPlatform',
  method: 'POST',
  path: '/v1/platforms',
  tag: 'Platforms',
  summary: 'Create a platform',
  description:
    'Opens a developer account. The answer holds two secrets that are never shown again: `platform_secret` for calls to this service, `webhook_secret` to check its webhooks. Public while sign-up is open (`PLATFORM_SIGNUP`), otherwise for administrators.',
  who: [],
  body: request(
    {
      name: nameText('The name of the platform.', 'Example Agents'),
      email: Type.Optional(emailIn('Where the operator is reached.')),
      webhook_url: Type.Optional(WebhookUrl),
    },
    {
      title: 'CreatePlatformRequest',
      examples: [
        {
          name: 'Example Agents',
          email: 'dev@example.com',
          webhook_url: 'https://example.com/webhooks/wallet',
        },
        { name: 'Example Agents' },
      ],
    },
  ),
  status: 201,
  response: answer(
    {
      ...platformProperties,
      platform_secret: nullable(PlatformSecret),
      webhook_secret: nullable(WebhookSecret),
    },
    {
      title: 'CreatedPlatform',
      description: 'The platform and its two secrets.',
      examples: [
        {
          ...platformExample,
          platform_secret: `sk_live_${'x'.repeat(43)}`,
          webhook_secret: `whsec_${'x'.repeat(43)}=`,
        },
      ],
    },
  ),
  errors: [],
})

export const getPlatform = route({
  operationId: 'getPlatform',
  method: 'GET',
  path: '/v1/platforms/{platform_id}',
  tag: 'Platforms',
  summary: 'Get a platform',
  description: 'The record without its secrets. Another platform is `not_found`.',
  who,
  params,
  status: 200,
  response: Platform,
  errors: ['not_found'],
})

export const updatePlatform = route({
  operationId: 'updatePlatform',
  method: 'PATCH',
  path: '/v1/platforms/{platform_id}',
  tag: 'Platforms',
  summary: 'Update a platform',
  description:
    'Changes the fields that are sent and leaves the others. null clears `email` or `webhook_url`. What was not delivered yet goes to the new address; a `webhook_url` that is sent, be it the same, ends `webhook_disabled_at`.',
  who,
  params,
  body: request(
    {
      name: Type.Optional(nameText('The new name.', 'Example Agents')),
      email: Type.Optional(nullable(emailIn('Where the operator is reached; null for none.'))),
      webhook_url: Type.Optional(nullable(WebhookUrl)),
    },
    {
      title: 'UpdatePlatformRequest',
      examples: [{ webhook_url: 'https://example.com/webhooks/v2' }, { email: null }],
    },
  ),
  status: 200,
  response: Platform,
  errors: ['not_found', 'conflict'],
})

export const deletePlatform = route({
  operationId: 'deletePlatform',
  method: 'DELETE',
  path: '/v1/platforms/{platform_id}',
  tag: 'Platforms',
  summary: 'Delete a platform',
  description:
    'Ends the platform: its secret and the keys of all its agents stop working. `conflict` while any agent has a balance.',
  who,
  params,
  status: 200,
  response: answer(platformProperties, {
    title: 'DeletedPlatform',
    description: 'The platform as it ended.',
    examples: [{ ...platformExample, status: 'deleted' }],
  }),
  errors: ['not_found', 'conflict'],
})

export const rotatePlatformSecret = route({
  operationId: 'rotatePlatformSecret',
  method: 'POST',
  path: '/v1/platforms/{platform_id}/rotate-secret',
  tag: 'Platforms',
  summary: 'Replace the platform secret',
  description: 'Answers a new `platform_secret`, once. The old one stops working at once.',
  who,
  params,
  status: 200,
  response: answer(
    { platform_id: idSchema('plt'), platform_secret: nullable(PlatformSecret) },
    {
      title: 'RotatedPlatformSecret',
      description: 'The new secret.',
      examples: [{ platform_id: exampleId('plt'), platform_secret: `sk_live_${'x'.repeat(43)}` }],
    },
  ),
  errors: ['not_found', 'conflict'],
})

export const rotateWebhookSecret = route({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/platforms/{platform_id}/rotate-webhook-secret',
  tag: 'Platforms',
  summary: 'Replace the webhook secret',
  description:
    'Answers a new `webhook_secret`, once. For 24 hours webhooks are signed with the new and the old one, so that receivers change over without a gap. Of several that were replaced within a day the five newest sign.',
  who,
  params,
  status: 200,
  response: answer(
    {
      platform_id: idSchema('plt'),
      webhook_secret: nullable(WebhookSecret),
      previous_secret_expires_at: timestamp('Until when the old secret signs as well.'),
    },
    {
      title: 'RotatedWebhookSecret',
      description: 'The new secret.',
      examples: [
        {
          platform_id: exampleId('plt'),
          webhook_secret: `whsec_${'x'.repeat(43)}=`,
          previous_secret_expires_at: '2026-11-21T10:15:30.000Z',
        },
      ],
    },
  ),
  errors: ['not_found', 'conflict'],
})
