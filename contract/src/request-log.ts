import { type Static, Type } from 'typebox'
import { ERROR_CODES } from './errors.ts'
import { EXAMPLE_TIME, lineText, textOut, timestamp } from './fields.ts'
import { idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** How long the log of requests is kept, in days (contract section 12, Holds and approvals by agents). */
export const REQUESTS_KEPT_DAYS = 3

/** The classes of HTTP statuses, for filters. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const

export type StatusClass = (typeof STATUS_CLASSES)[number]

/** The route of a request whose address has none. */
export const NO_ROUTE = 'unmatched'

const method = textOut('The HTTP method.', 'POST')
const pattern = textOut(
  'The route as this document writes it, never with the ids of the request; `unmatched` if there is none.',
  '/v1/agents/{agent_id}/pay',
)
const status = Type.Integer({ description: 'The HTTP status of the response.', examples: [402] })
const code = nullable(oneOf(ERROR_CODES, 'The error code of the response; null if it was no error.'))

/** One finished request of a platform or of one of its agents. It has no body, address or id but its own and that of an app. */
export const LoggedRequest = response(
  {
    request_id: textOut('The `x-request-id` of the response.', 'req_01kb7q3f8meg5tz4x9wc2n6a01'),
    method,
    route: pattern,
    status,
    code,
    duration_ms: Type.Number({
      description: 'From the arrival of the request to the end of the response, in milliseconds.',
      examples: [4.2],
    }),
    app_id: nullable(idSchema('app', 'The connected app that made it; null: a secret or a key did.')),
    created_at: timestamp('When it arrived.'),
  },
  {
    title: 'LoggedRequest',
    description: 'A finished request.',
    examples: [
      {
        request_id: 'req_01kb7q3f8meg5tz4x9wc2n6a01',
        method: 'POST',
        route: '/v1/agents/{agent_id}/pay',
        status: 402,
        code: 'insufficient_balance',
        duration_ms: 4.2,
        app_id: null,
        created_at: EXAMPLE_TIME,
      },
    ],
  },
)
export type LoggedRequest = Static<typeof LoggedRequest>

export const listRequests = route({
  operationId: 'listRequests',
  method: 'GET',
  path: '/v1/requests',
  tag: 'Platforms',
  summary: 'List requests',
  description:
    'The requests of the last three days that your platform’s secret, your agents’ keys and the apps connected to your agents made, newest first. What a connected app does by a tool has a request for each call of the API that the tool makes, with the app’s `app_id`. Requests of the console and requests with an invalid credential are not in it. Of one minute at most 1,000 requests that succeeded and 1,000 that failed are listed for each node of the service; `GET /v1/requests/usage` counts all.',
  who: ['platform'],
  query: request({
    status_class: Type.Optional(oneOf(STATUS_CLASSES, 'Only requests with such a status.')),
    method: Type.Optional(lineText('Only requests with this method.', 'POST')),
    route: Type.Optional(lineText('Only requests of this route.', '/v1/agents/{agent_id}/pay')),
    code: Type.Optional(oneOf(ERROR_CODES, 'Only requests with this error code.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('requests', LoggedRequest, {
    title: 'LoggedRequestList',
    description: 'A page of requests.',
  }),
  errors: [],
})

const count = Type.Integer({ description: 'How many requests.', examples: [42] })
const failed = Type.Integer({ description: 'How many of them had a status of 400 or more.', examples: [3] })

/** How often a platform and its agents called the service. */
export const RequestUsage = response(
  {
    from: timestamp('The beginning of the first minute.'),
    to: timestamp('The present moment.'),
    requests: count,
    failed,
    minutes: Type.Array(
      response(
        { minute: timestamp('The beginning of the minute.'), requests: count, failed },
        { description: 'One minute.' },
      ),
      { description: 'The minutes with requests, newest first.' },
    ),
    errors: Type.Array(
      response(
        { code: oneOf(ERROR_CODES, 'The error code.'), status, requests: count },
        { description: 'One code.' },
      ),
      { description: 'The error codes, the most frequent first.' },
    ),
    routes: Type.Array(
      response({ method, route: pattern, requests: count, failed }, { description: 'One route.' }),
      { description: 'The routes, the most frequent first.' },
    ),
  },
  {
    title: 'RequestUsage',
    description: 'The number of requests by minute, error code and route.',
    examples: [
      {
        from: '2026-11-20T09:16:00.000Z',
        to: EXAMPLE_TIME,
        requests: 42,
        failed: 3,
        minutes: [{ minute: '2026-11-20T10:15:00.000Z', requests: 42, failed: 3 }],
        errors: [{ code: 'insufficient_balance', status: 402, requests: 3 }],
        routes: [{ method: 'POST', route: '/v1/agents/{agent_id}/pay', requests: 42, failed: 3 }],
      },
    ],
  },
)
export type RequestUsage = Static<typeof RequestUsage>

export const getRequestUsage = route({
  operationId: 'getRequestUsage',
  method: 'GET',
  path: '/v1/requests/usage',
  tag: 'Platforms',
  summary: 'Count requests',
  description:
    'How many requests your platform’s secret and your agents’ keys made in the last minutes, by minute, error code and route. It counts those too that `GET /v1/requests` does not list. `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` of every response say what is left of your own limit.',
  who: ['platform'],
  query: request({
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1440,
        default: 60,
        description: 'How many minutes, the present one included.',
        examples: [60],
      }),
    ),
  }),
  status: 200,
  response: RequestUsage,
  errors: [],
})
