import { type Static, Type } from 'typebox'
import { amountIn, amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** What an owner may let a connected app do (contract section 12, Connected apps). */
export const APP_SCOPES = ['wallet:read', 'payments:write', 'approvals:request'] as const

export type AppScope = (typeof APP_SCOPES)[number]

/** The longest time for which an app may be connected, in days. */
export const MAX_APP_DAYS = 365

/** The most apps that may be connected to one agent at a time. */
export const MAX_APPS_PER_AGENT = 20

const scopesOut = (description: string) =>
  Type.Array(oneOf(APP_SCOPES, 'One of them.'), { description, examples: [['wallet:read']] })

const caps = {
  per_tx: amountOut('The most that one payment, hold or refund of the app may be, INR.'),
  daily: amountOut('The most that the app may spend on a calendar day in IST, INR, without fees.'),
}

const properties = {
  app_id: idSchema('app'),
  name: textOut('The name that the app gives itself. Nobody has verified it.', 'Claude'),
  client_id: textOut('Its OAuth client id.', 'https://assistant.example/client.json'),
  agent_id: idSchema('agt', 'The agent that it acts for.'),
  agent_name: textOut('Its name.', 'Research Agent'),
  scopes: scopesOut('What it may do.'),
  ...caps,
  spent_today: amountOut('What it has spent on this calendar day in IST, INR, without fees.'),
  created_at: timestamp('When the owner connected it.'),
  last_used_at: nullable(timestamp('When it last called a tool, to the minute; null: never.')),
  expires_at: timestamp('When it ends by itself.'),
}

const example = {
  app_id: exampleId('app'),
  name: 'Claude',
  client_id: 'https://assistant.example/client.json',
  agent_id: exampleId('agt'),
  agent_name: 'Research Agent',
  scopes: ['wallet:read', 'payments:write'],
  per_tx: 200,
  daily: 500,
  spent_today: 120,
  created_at: EXAMPLE_TIME,
  last_used_at: '2026-11-20T11:02:00.000Z',
  expires_at: '2026-12-20T10:15:30.000Z',
}

/** An assistant that an owner has connected to one of her agents (contract section 12). Amounts in INR. */
export const ConnectedApp = response(properties, {
  title: 'ConnectedApp',
  description: 'An assistant that acts for an agent, within a cap of its own.',
  examples: [example],
})
export type ConnectedApp = Static<typeof ConnectedApp>

export const listConnectedApps = route({
  operationId: 'listConnectedApps',
  method: 'GET',
  path: '/v1/connected-apps',
  tag: 'Connected apps',
  summary: 'List connected apps',
  description: 'The apps that act for the owner’s agents now, newest first.',
  who: ['owner'],
  query: request({
    agent_id: Type.Optional(idSchema('agt', 'Only apps of this agent.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('connected_apps', ConnectedApp, {
    title: 'ConnectedAppList',
    description: 'A page of connected apps.',
  }),
  errors: [],
})

export const endConnectedApp = route({
  operationId: 'endConnectedApp',
  method: 'DELETE',
  path: '/v1/connected-apps/{app_id}',
  tag: 'Connected apps',
  summary: 'Disconnect an app',
  description:
    'Its tokens stop working at once, on every node, and what it asked an owner to approve can no longer be approved. Disconnecting one that has ended changes nothing.',
  who: ['owner'],
  params: request({ app_id: idParam('app') }),
  status: 200,
  response: response(
    {
      app_id: idSchema('app'),
      ended: Type.Literal(true, { description: 'The app can do nothing any more.' }),
    },
    {
      title: 'ConnectedAppEnded',
      description: 'The app was disconnected.',
      examples: [{ app_id: exampleId('app'), ended: true }],
    },
  ),
  errors: ['not_found'],
})

const requestId = Type.String({
  maxLength: 128,
  description: 'The id of the request, from the address of the consent page.',
  examples: ['hUJ3wNVdHPCwmoMqLIDp0fnkKQUTjsqy8kZ5dKxTq0A'],
})

/** A client that asks to act for an agent, as the consent page shows it. */
export const ConnectRequest = response(
  {
    name: textOut('The name that the client gives itself. Nobody has verified it.', 'Claude'),
    client_id: textOut('Its OAuth client id.', 'https://assistant.example/client.json'),
    client_host: nullable(
      textOut('The host that publishes the client; null: it has registered itself.', 'assistant.example'),
    ),
    redirect_host: textOut('The host to which the response is sent.', 'assistant.example'),
    scopes: scopesOut('What it asks for.'),
    expires_at: timestamp('When the request ends if nobody answers it.'),
  },
  {
    title: 'ConnectRequest',
    description: 'A client that asks to act for an agent.',
    examples: [
      {
        name: 'Claude',
        client_id: 'https://assistant.example/client.json',
        client_host: 'assistant.example',
        redirect_host: 'assistant.example',
        scopes: ['wallet:read', 'payments:write', 'approvals:request'],
        expires_at: EXAMPLE_TIME,
      },
    ],
  },
)
export type ConnectRequestRecord = Static<typeof ConnectRequest>

export const getConnectRequest = route({
  operationId: 'getConnectRequest',
  method: 'GET',
  path: '/v1/connect/{request_id}',
  tag: 'Connected apps',
  summary: 'Show who asks to be connected',
  description:
    'What the consent page shows. Only the browser that the client sent here can read it, by a cookie of its own.',
  who: [],
  params: request({ request_id: requestId }),
  status: 200,
  response: ConnectRequest,
  errors: ['not_found'],
})

const responded = response(
  {
    redirect_to: textOut('Where the browser goes on, to give the client its response.', 'https://…/oauth/…'),
  },
  {
    title: 'ConnectAnswered',
    description: 'The request is answered.',
    examples: [{ redirect_to: 'https://batua.example/oauth/authorize/hUJ3wNVdHPCwmoMq' }],
  },
)

export const allowConnectRequest = route({
  operationId: 'allowConnectRequest',
  method: 'POST',
  path: '/v1/connect/{request_id}/allow',
  tag: 'Connected apps',
  summary: 'Connect an app',
  description: `Lets the client act for one of the owner’s agents. Its cap is one more layer of the limits: it allows nothing that they refuse. It counts payments, holds and refunds, and is the same before and after a token is renewed. An agent has at most ${MAX_APPS_PER_AGENT} apps at a time.`,
  who: ['owner'],
  stepUp: true,
  params: request({ request_id: requestId }),
  body: request(
    {
      agent_id: idSchema('agt', 'One of your agents.'),
      scopes: Type.Array(oneOf(APP_SCOPES, 'One of those that it asks for.'), {
        minItems: 1,
        maxItems: APP_SCOPES.length,
        uniqueItems: true,
        description: 'What it may do.',
        examples: [['wallet:read', 'payments:write']],
      }),
      daily: amountIn('The most that it may spend on a calendar day in IST, INR, without fees.', {
        minimum: 0,
      }),
      per_tx: Type.Optional(
        amountIn('The most that one payment may be, INR; `daily` if it is absent.', { minimum: 0 }),
      ),
      expires_in_days: Type.Integer({
        minimum: 1,
        maximum: MAX_APP_DAYS,
        description: 'When it ends by itself.',
        examples: [30],
      }),
    },
    {
      title: 'AllowConnectRequest',
      examples: [
        {
          agent_id: exampleId('agt'),
          scopes: ['wallet:read', 'payments:write'],
          daily: 500,
          per_tx: 200,
          expires_in_days: 30,
        },
      ],
    },
  ),
  status: 200,
  response: responded,
  errors: ['not_found', 'authorization_error', 'validation_error', 'conflict'],
})

export const denyConnectRequest = route({
  operationId: 'denyConnectRequest',
  method: 'POST',
  path: '/v1/connect/{request_id}/deny',
  tag: 'Connected apps',
  summary: 'Refuse an app',
  description: 'The client gets nothing but a refusal. It needs no login, only the browser of the request.',
  who: [],
  params: request({ request_id: requestId }),
  status: 200,
  response: response(responded.properties, {
    title: 'ConnectDenied',
    description: 'The request is refused.',
    examples: [{ redirect_to: 'https://batua.example/oauth/authorize/hUJ3wNVdHPCwmoMq' }],
  }),
  errors: ['not_found', 'conflict'],
})
