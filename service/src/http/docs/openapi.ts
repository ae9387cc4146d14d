import { type Credential, EXAMPLE_NAMES, type MediaType, type Route, TAG_GROUPS } from '@batua/contract'
import type { TObject } from 'typebox'
import { assert } from '../../kernel/assert.ts'
import { isBodyOptional } from '../body/validate.ts'
import type { ServedRoute } from '../serve.ts'
import { errorResponses, header, rateLimitHeaders } from './openapi-errors.ts'
import { collectSchemas, type Json, type SchemaCollector } from './openapi-schemas.ts'
import { webhooks } from './openapi-webhooks.ts'

export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly serverUrl: string
}

/** The OpenAPI 3.1 document of the served routes, made of the objects that check requests and serialise responses. */
export function openApiDocument(served: readonly ServedRoute[], info: OpenApiInfo): Json {
  const schemas = collectSchemas()
  const paths: Record<string, Json> = {}
  for (const entry of served) {
    const { path, method } = entry.route
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(entry, schemas) }
  }
  const groups = groupsOf(served)
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description: info.description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: info.serverUrl }],
    tags: groups.flatMap(({ tags }) => tags),
    'x-tagGroups': groups.map(({ name, tags }) => ({ name, tags: tags.map(tag => tag.name) })),
    paths,
    webhooks: webhooks(schemas),
    components: { schemas: schemas.named, securitySchemes: SECURITY_SCHEMES, headers: HEADERS },
  }
}

/** The groups of tags that are served, in the order of the reference page. */
function groupsOf(served: readonly ServedRoute[]) {
  const used = new Set(served.map(({ route }) => route.tag))
  return Object.entries(TAG_GROUPS).flatMap(([name, group]) => {
    const tags = Object.entries(group).flatMap(([tag, description]) =>
      used.has(tag) ? { name: tag, description } : [],
    )
    return tags.length === 0 ? [] : { name, tags }
  })
}

function operation(entry: ServedRoute, schemas: SchemaCollector): Json {
  const { route } = entry
  const parameters = parametersOf(route)
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: route.who.flatMap(kind => SECURITY[kind]),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, route.body, schemas) }),
    responses: {
      [String(route.status)]: success(entry, schemas),
      ...(route.waiting === undefined ? {} : { 200: success(waitingOf(entry, route.waiting), schemas) }),
      ...errorResponses(entry, schemas),
    },
  }
}

/** The response of the route when the owner has to approve first. */
function waitingOf({ route, counted }: ServedRoute, response: NonNullable<Route['waiting']>): ServedRoute {
  const { responseDescription: _created, ...rest } = route
  return { counted, route: { ...rest, response } }
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Repeating the request with the same key and body gives the first response again (24 h) instead of acting twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const STEP_UP = {
  name: 'X-Step-Up',
  in: 'header',
  description:
    'From a person with a passkey: the base64 of `{challenge_id, response}`, a challenge for this request (`POST /v1/step-up`) that the passkey signed.',
  schema: { type: 'string', maxLength: 16_000 },
}

function parametersOf(route: Route): Json[] {
  return [
    ...parametersIn('path', route.params),
    ...parametersIn('query', route.query),
    ...(route.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(route.stepUp === true ? [STEP_UP] : []),
  ]
}

function parametersIn(place: 'path' | 'query', object: TObject | undefined): Json[] {
  if (object === undefined) return []
  const required: readonly string[] = object.required ?? []
  return Object.entries(object.properties).map(([name, property]) => {
    const { description, examples, ...schema }: Json = { ...property }
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      // In a query an example would be taken for a value to send.
      ...(place === 'path' && Array.isArray(examples) ? { example: examples[0] } : {}),
      schema,
    }
  })
}

function requestBody(route: Route, body: NonNullable<Route['body']>, schemas: SchemaCollector): Json {
  return {
    required: !isBodyOptional(route),
    content: {
      'application/json': { schema: schemas.requestReference(body), ...namedExamples({ ...body }) },
    },
  }
}

function success({ route, counted }: ServedRoute, schemas: SchemaCollector): Json {
  const { description, ...response }: Json = { ...route.response }
  const replayed = route.method === 'POST' ? { 'Idempotent-Replayed': header('IdempotentReplayed') } : {}
  return {
    description: route.responseDescription ?? (typeof description === 'string' ? description : route.summary),
    headers: { 'X-Request-Id': header('RequestId'), ...(counted ? rateLimitHeaders() : {}), ...replayed },
    content: Object.fromEntries(
      (route.produces ?? ['application/json']).map(type => [
        type,
        FILES[type] ?? { schema: schemas.reference(route.response), ...namedExamples(response) },
      ]),
    ),
  }
}

/** What is no JSON and no text of the route's own schema. */
const FILES: { readonly [Type in MediaType]?: Json } = {
  'text/csv': {
    schema: { type: 'string', description: 'Comma-separated values, after a row of names.' },
    examples: { file: { value: 'posted_at,change\r\n2026-11-20T10:15:30.000Z,-402.00\r\n' } },
  },
  'application/pdf': {
    schema: { type: 'string', contentMediaType: 'application/pdf', description: 'A document for people.' },
    examples: { file: { value: '%PDF-1.3 …' } },
  },
}

/** Each of several examples has the name that the contract gives it. */
function namedExamples({ title, examples }: Json): Json {
  if (!Array.isArray(examples) || examples.length === 0) return {}
  const names = EXAMPLE_NAMES[String(title)] ?? ['example']
  assert(names.length === examples.length, `each of several examples of ${String(title)} has a name`)
  return { examples: Object.fromEntries(examples.map((value, index) => [names[index], { value }])) }
}

/** The alternatives of each credential. */
const SECURITY: Record<Credential, readonly Json[]> = {
  platform: [{ platformId: [], platformSecret: [] }, { platformSession: [] }],
  agent: [{ agentKey: [] }],
  owner: [{ ownerSession: [] }],
  admin: [{ adminSession: [] }],
}

const SAME_ORIGIN =
  'Every method but GET also needs the header `Origin` with this site’s address or `Sec-Fetch-Site: same-origin`, as browsers send from its pages. Public routes ignore the cookie; a dead one is 401 elsewhere, and that response clears it.'

const SECURITY_SCHEMES: Json = {
  platformId: {
    type: 'apiKey',
    in: 'header',
    name: 'x-platform-id',
    description: 'The platform’s id, `plt_…`.',
  },
  platformSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'x-platform-secret',
    description: 'The platform’s secret, `sk_live_…`; always together with its id.',
  },
  agentKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-agent-key',
    description: 'The agent’s key, `agk_live_…`.',
  },
  ownerSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_session',
    description: `An owner’s session, from \`POST /v1/auth/verify-otp\`. ${SAME_ORIGIN}`,
  },
  adminSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_admin_session',
    description: `An administrator’s session, from \`POST /v1/admin/auth/verify-otp\`. ${SAME_ORIGIN}`,
  },
  platformSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_platform_session',
    description: `A platform’s session for pages, from \`POST /v1/auth/platform\`. ${SAME_ORIGIN}`,
  },
}

const HEADERS: Json = {
  RequestId: headerOf('Names this request; quote it when you ask about it.', 'string'),
  RateLimitLimit: headerOf(
    'How many the budget allows on which this request was counted, or which refused it. Absent when there is no limit.',
    'integer',
  ),
  RateLimitRemaining: headerOf('How many of them are left; 0 on a 429.', 'integer'),
  RateLimitReset: headerOf(
    'Seconds until the budget allows more; on a 429 the same as `Retry-After`.',
    'integer',
  ),
  RetryAfter: headerOf('Seconds to wait before trying again.', 'integer'),
  IdempotentReplayed: headerOf(
    '`true` when this is the response of an earlier request with the same key.',
    'string',
  ),
}

function headerOf(description: string, type: string): Json {
  return { description, schema: { type } }
}
