import { type Static, Type } from 'typebox'
import { EXAMPLE_TIME, emailIn, nameText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema, PlatformSecret, WebhookSecret } from './ids.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The address of webhooks. The service checks the rest: no user info, and in live mode a public https address. */
const WebhookUrl = Type.String({
  maxLength: 2048,
  pattern: '^https?://\\S+$',
  format: 'single-line',
  description:
    'The address of webhooks: http or https, in live mode https at a public address, without user name and password.',
  examples: ['https://example.com/webhooks/wallet'],
})

const platformProperties = {
  platform_id: idSchema('plt'),
  name: textOut('The name.', 'Example Agents'),
  email: nullable(textOut('The e-mail address of the platform’s operator.', 'dev@example.com')),
  status: oneOf(['active', 'deleted'], 'A deleted platform’s credentials no longer work.'),
  webhook_url: nullable(
    textOut('The address of webhooks; null if there is none.', 'https://example.com/webhooks/wallet'),
  ),
  webhook_disabled_at: nullable(
    timestamp(
      'When the receiver responded with 410 Gone: since then events wait, and nothing is sent until `webhook_url` is set again. Otherwise null.',
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
export const Platform = response(platformProperties, {
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
    'Creates a developer account. The response contains two secrets that are never shown again: `platform_secret` for requests to this service, `webhook_secret` to verify its webhooks. Public while sign-up is open (`PLATFORM_SIGNUP`), otherwise only for administrators.',
  who: [],
  body: request(
    {
      name: nameText('The name of the platform.', 'Example Agents'),
      email: Type.Optional(emailIn('The e-mail address of the platform’s operator.')),
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
  response: response(
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

export const getCurrentPlatform = route({
  operationId: 'getCurrentPlatform',
  method: 'GET',
  path: '/v1/platforms/me',
  tag: 'Platforms',
  summary: 'Get the calling platform',
  description: 'The platform whose secret or session the request uses, without its secrets.',
  who: ['platform'],
  status: 200,
  response: Platform,
  errors: [],
})

export const getPlatform = route({
  operationId: 'getPlatform',
  method: 'GET',
  path: '/v1/platforms/{platform_id}',
  tag: 'Platforms',
  summary: 'Get a platform',
  description: 'The platform without its secrets. Another platform is `not_found`.',
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
    'Changes the fields in the request and no others. null clears `email` or `webhook_url`. Undelivered events go to the new address. Any `webhook_url` in the request, even the same one, ends `webhook_disabled_at`.',
  who,
  params,
  body: request(
    {
      name: Type.Optional(nameText('The new name.', 'Example Agents')),
      email: Type.Optional(
        nullable(emailIn('The e-mail address of the platform’s operator; null for none.')),
      ),
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
    'Deletes the platform: its secret and the keys of all its agents stop working. `conflict` while any agent has a balance.',
  who,
  params,
  status: 200,
  response: response(platformProperties, {
    title: 'DeletedPlatform',
    description: 'The deleted platform.',
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
  description: 'Returns a new `platform_secret`, only in this response. The old one stops working at once.',
  who,
  params,
  status: 200,
  response: response(
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
    'Returns a new `webhook_secret`, only in this response. For 24 hours webhooks are signed with both the new and the old secret, so that receivers can switch without a gap. If several secrets were replaced within a day, the five newest sign.',
  who,
  params,
  status: 200,
  response: response(
    {
      platform_id: idSchema('plt'),
      webhook_secret: nullable(WebhookSecret),
      previous_secret_expires_at: timestamp('Until when the old secret signs too.'),
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
