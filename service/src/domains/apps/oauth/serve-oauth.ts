import { IncomingMessage } from 'node:http'
import { APP_SCOPES } from '@batua/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { onBehalfOf } from '../../../db/database.ts'
import { clientAddressOf, networkOf, partyOf } from '../../../http/admission/rate-limit.ts'
import type { Server } from '../../../http/server.ts'
import { clientMetadata, MAX_METADATA_BYTES } from './clients.ts'
import { NETWORK_HEADER, OAUTH_ROUTES, resourceOf } from './endpoints.ts'

/** The parameters of a request that mean something here; everything else is dropped before the library sees it. */
const AUTHORIZE_PARAMETERS = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
]

/** The headers that the library reads. */
const PASSED_HEADERS = ['authorization', 'cookie', 'content-type', 'accept'] as const

const METADATA = '/.well-known/oauth-authorization-server'

/** What the metadata of the server says besides what every OAuth server says (RFC 8414). */
const SHOWN = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'response_types_supported',
  'response_modes_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
]

export interface ServeOAuthOptions {
  readonly baseUrl: string
  readonly serviceName: string
}

/** The OAuth routes, which programs call: their bodies and errors are those of the standards, not those of the API. */
export function serveOAuth(
  server: Server,
  openProvider: () => Promise<Provider>,
  options: ServeOAuthOptions,
): void {
  const { origin } = new URL(options.baseUrl)
  let callback: Promise<ReturnType<Provider['callback']>> | undefined

  /** Lets the library respond. It gets a request of its own, with what it may see of the real one. */
  async function relay(request: FastifyRequest, reply: FastifyReply, url: string, body?: Buffer) {
    const handle = await (callback ??= openProvider().then(callbackOf))
    const inner = innerRequest(request, origin, url, body)
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    await onBehalfOf(
      { purpose: 'shared', party: partyOf(request), span: request.span },
      handle,
      inner,
      reply.raw,
    )
    if (reply.raw.statusCode >= 400 && reply.raw.statusCode < 500)
      await server.oauthFailures.countWrong(request)
  }

  void server.fastify.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_METADATA_BYTES }, (_, body, done) =>
      done(null, body),
    )
    serveMetadata(scope, server, options)
    scope.get(METADATA, { onRequest: server.countPage }, (request, reply) => relay(request, reply, METADATA))
    scope.get(OAUTH_ROUTES.authorization, { onRequest: server.countAddress }, (request, reply) =>
      relay(request, reply, authorizeUrl(request.url)),
    )
    scope.get(`${OAUTH_ROUTES.authorization}/:uid`, { onRequest: server.countAddress }, (request, reply) =>
      relay(request, reply, pathOf(request.url)),
    )
    for (const path of [OAUTH_ROUTES.token, OAUTH_ROUTES.revocation]) {
      // Only refusals count: one company may renew the tokens of many people from one address.
      const onRequest = async (request: FastifyRequest) => server.oauthFailures.requireLeft(request)
      scope.post(path, { onRequest }, (request, reply) => relay(request, reply, path, bodyOf(request)))
    }
    scope.post(OAUTH_ROUTES.registration, { onRequest: server.countAddress }, (request, reply) =>
      relay(request, reply, OAUTH_ROUTES.registration, registrationOf(bodyOf(request))),
    )
  })
}

function callbackOf(provider: Provider): ReturnType<Provider['callback']> {
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.path === METADATA && ctx.status === 200) ctx.body = serverMetadata(ctx.body)
  })
  return provider.callback()
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}

/** The request with what is known, and with the scopes that exist; a client that names none asks for all. */
function authorizeUrl(url: string): string {
  const given = new URL(url, 'http://localhost').searchParams
  const passed = new URLSearchParams()
  for (const [name, value] of given) if (AUTHORIZE_PARAMETERS.includes(name)) passed.append(name, value)
  const asked = given.getAll('scope').flatMap(text => text.split(' '))
  const known = APP_SCOPES.filter(scope => asked.includes(scope))
  passed.set('scope', (known.length === 0 ? APP_SCOPES : known).join(' '))
  if (given.get('prompt') === 'none') passed.set('prompt', 'none')
  return `${OAUTH_ROUTES.authorization}?${passed.toString()}`
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** The metadata of a client that registers itself, without what is not used. What is no JSON, the library refuses. */
function registrationOf(body: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(clientMetadata(JSON.parse(body.toString()))))
  } catch {
    return body
  }
}

function innerRequest(
  request: FastifyRequest,
  origin: string,
  url: string,
  body: Buffer | undefined,
): IncomingMessage {
  const { protocol, host } = new URL(origin)
  const passed = PASSED_HEADERS.map(name => [name, request.headers[name]] as const)
  const inner = new IncomingMessage(request.raw.socket)
  inner.method = request.method
  inner.url = url
  inner.headers = {
    ...Object.fromEntries(passed.filter(([, value]) => value !== undefined)),
    ...{ host, 'x-forwarded-proto': protocol.slice(0, -1) },
    [NETWORK_HEADER]: networkOf(clientAddressOf(request)),
    ...(body !== undefined && { 'content-length': String(body.length) }),
  }
  if (body !== undefined) inner.push(body)
  inner.push(null)
  // Otherwise Node would take it for one that was cut off, and close the connection.
  inner.complete = true
  return inner
}

function serverMetadata(document: unknown): object {
  const shown = Object.entries(Object(document)).filter(([name]) => SHOWN.includes(name))
  return { ...Object.fromEntries(shown), scopes_supported: APP_SCOPES }
}

/** Where clients learn who gives tokens for `/mcp` (RFC 9728). Any page may read it. */
function serveMetadata(
  scope: FastifyInstance,
  server: Server,
  { baseUrl, serviceName }: ServeOAuthOptions,
): void {
  const document = {
    resource: resourceOf(baseUrl),
    authorization_servers: [new URL(baseUrl).origin],
    scopes_supported: APP_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: serviceName,
  }
  scope.get('/.well-known/oauth-protected-resource/mcp', { onRequest: server.countPage }, (_request, reply) =>
    reply
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(document)),
  )
}
