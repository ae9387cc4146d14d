import type { IncomingHttpHeaders } from 'node:http'
import {
  type BodyOf,
  isEventStream,
  type MediaType,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
  type Route,
} from '@batua/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { onBehalfOf, type Purpose } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { admissionHook } from './admission/admission.ts'
import type { InFlight } from './admission/in-flight.ts'
import { type Budget, clientAddressOf, partyOf, type RateLimits } from './admission/rate-limit.ts'
import type { SameOriginRule } from './admission/same-origin.ts'
import { checkQueryEncoding } from './body/query-text.ts'
import {
  addressCheck,
  bodyCheck,
  type Check,
  isBodyOptional,
  noBodyCheck,
  noQueryCheck,
  responseCheck,
} from './body/validate.ts'
import {
  type Authenticators,
  type Caller,
  type MaybePromise,
  PUBLIC_CALLER,
  withoutSessions,
} from './caller.ts'
import { appErrorOf } from './errors.ts'
import { type IdempotentRequests, idempotencyKeyOf } from './idempotency/idempotency-key.ts'
import { meteredBy, type RequestMeter } from './request-meter.ts'
import { headersOf, type Streamed } from './streamed.ts'

/** The kinds of caller that a route's `who` lets in; a public route may be called by anyone. */
export type CallerOf<R extends Route> = R['who'] extends readonly []
  ? Caller
  : Extract<Caller, { kind: R['who'][number] }>

/** One checked request of a route. */
export interface Call<R extends Route> {
  readonly params: ParamsOf<R>
  readonly query: QueryOf<R>
  readonly body: BodyOf<R>
  readonly caller: CallerOf<R>
  readonly now: Date
  readonly requestId: string
  /** The client address as the rate limits count it: as trusted proxies report it, and an IPv6 /64 as one address. */
  readonly clientAddress: string
  readonly headers: IncomingHttpHeaders
  /** The method and the path with its query, such as `POST /v1/allowances`. */
  readonly action: string
  /** The bytes of the body, for signatures made over them. */
  readonly rawBody: Buffer | undefined
  /**
   * The Idempotency-Key header. A route that moves money passes it to the ledger, which stores it in the commit of the
   * transfer, so that a crash cannot separate the two.
   */
  readonly idempotencyKey: string | undefined
}

/** The part of a response that a handler may set besides the body, such as Cache-Control. */
export interface ResponseHead {
  header(name: string, value: string): unknown
  /** For a route that creates with 201, when nothing was created yet. The response then has the schema `waiting`. */
  code(status: 200): unknown
}

/**
 * Parses nothing and catches nothing: gets the checked request and returns the body of the route's schema. A literal in
 * the returned object needs `as const`, because the compiler widens it before it knows the schema.
 */
export type Handler<R extends Route> = (call: Call<R>, response: ResponseHead) => MaybePromise<BodyFor<R>>

/** A route with `produces` returns one of its media types as a stream. */
type BodyFor<R extends Route> = R['produces'] extends readonly (infer Type extends MediaType)[]
  ? Streamed<Type>
  : ResponseOf<R>

export interface ServeOptions<R extends Route = Route> {
  /** Not counted by the rate limits: probes and key documents. */
  readonly uncounted?: boolean
  /** Only failures count, on a separate budget: refused requests, and responses for which this returns true. */
  readonly isFailure?: (response: ResponseOf<R>) => boolean
  /** Only refused requests count, on this budget, which is checked before the body is read. */
  readonly countWrongOn?: 'gatewayWebhooks'
  /** Replaces the server's own: for a route that proves the credential again when it acts. */
  readonly authenticators?: Authenticators
  /**
   * The route stops something: an agent, a key, a certificate. It has dedicated connections, so that it works under any
   * load.
   */
  readonly stops?: boolean
  /** For login, which another site must not trigger in a browser. */
  readonly opensSession?: boolean
}

export type Serve = <const R extends Route>(route: R, handler: Handler<R>, options?: ServeOptions<R>) => void

export interface RouterOptions {
  readonly clock: Clock
  readonly authenticators: Authenticators
  readonly rateLimits: RateLimits
  readonly inFlight: InFlight
  readonly refuseCrossSite: SameOriginRule
  readonly idempotentRequests: IdempotentRequests
  /** Tests check every response against its schema, so that no field is dropped unnoticed. */
  readonly verifyResponses: boolean
  /** The public address is https. */
  readonly secure: boolean
  readonly meter?: RequestMeter
}

export interface Router {
  readonly serve: Serve
  /** The routes served so far, for the OpenAPI document. */
  readonly served: readonly ServedRoute[]
}

export interface ServedRoute {
  readonly route: Route
  readonly counted: boolean
}

export function createRouter(fastify: FastifyInstance, options: RouterOptions): Router {
  const served: ServedRoute[] = []
  const serve: Serve = <const R extends Route>(
    route: R,
    handler: Handler<R>,
    serveOptions: ServeOptions<R> = {},
  ) => {
    const { countWrongOn, uncounted = countWrongOn !== undefined } = serveOptions
    const { opensSession = false, isFailure = null } = serveOptions
    const isPublic = route.who.length === 0
    const admissionBy = (authenticators: Authenticators) =>
      admissionHook(
        {
          operationId: route.operationId,
          who: route.who,
          counted: !uncounted,
          countsFailuresOnly: isFailure !== null,
          opensSession,
          staysOpen: isEventStream(route),
        },
        { ...options, authenticators: isPublic ? withoutSessions(authenticators) : authenticators },
      )
    const admit = admissionBy(serveOptions.authenticators ?? options.authenticators)
    const admitProved = admissionBy(options.authenticators)
    served.push({ route, counted: !uncounted })
    fastify.route({
      ...(countWrongOn === undefined ? {} : wrongCounted(options.rateLimits[countWrongOn])),
      ...(options.meter === undefined ? {} : meteredBy(options.meter, route)),
      method: route.method,
      url: fastifyPath(route.path),
      // The response to HEAD would leave the stream open without a client.
      exposeHeadRoute: route.produces === undefined,
      schema: { response: responsesOf(route) },
      onRequest(request, reply, done) {
        // A stored response is returned without the handler, which would have proved the credential again.
        const hook = request.headers['idempotency-key'] === undefined ? admit : admitProved
        hook.call(fastify, request, reply, done)
      },
      handler:
        isFailure === null
          ? handlerOf(route, handler, { ...options, ...serveOptions })
          : countingFailures<R>(
              handlerOf(route, handler, { ...options, ...serveOptions }),
              isFailure,
              options.rateLimits,
            ),
    })
  }
  return { serve, served }
}

/** Hooks that count refused requests, whether the parser, the checks or the handler refused them. */
function wrongCounted(budget: Budget): Pick<RouteOptions, 'preParsing' | 'onError'> {
  return {
    preParsing: async (request, _reply, payload) => {
      await budget.requireLeft(request)
      return payload
    },
    onError: async (request, reply, error) => {
      const { status } = appErrorOf(error)
      if (status < 500 && status !== 429) await budget.countWrong(request, reply)
    },
  }
}

/** `/v1/agents/{agent_id}` is `/v1/agents/:agent_id` to fastify. */
function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** The serialiser of a response is chosen by its status. */
function responsesOf({ status, response, waiting, produces }: Route): Record<string, unknown> {
  if (produces !== undefined) return {}
  return { [status]: response, ...(waiting === undefined ? {} : { 200: waiting }) }
}

type Work = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<unknown>

function handlerOf<const R extends Route>(
  route: R,
  handler: Handler<R>,
  options: RouterOptions & Pick<ServeOptions, 'stops'>,
): Work {
  const purpose = purposeOf(route, options)
  // Compiled at the first request of the route: of all routes it takes a fifth of a start.
  let check: RequestCheck | undefined
  const { clock, idempotentRequests } = options
  const handle: Work = (request, reply) => handler(callOf<R>(request, clock.now()), reply)
  const checked =
    route.produces !== undefined
      ? streamed(handle)
      : options.verifyResponses
        ? verified(route, handle)
        : handle
  const work: Work = (request, reply) => {
    const key = route.method === 'POST' ? idempotencyKeyOf(request) : undefined
    if (key === undefined) return checked(request, reply)
    return idempotentRequests.run(request, reply, key, () => checked(request, reply))
  }
  return (request, reply) => {
    check ??= checkOf(route)
    check(request)
    if (route.status !== 200) reply.code(route.status)
    return onBehalfOf({ purpose, party: partyOf(request), span: request.span }, work, request, reply)
  }
}

function streamed(work: Work): Work {
  return async (request, reply) => {
    const response = (await work(request, reply)) as Streamed
    reply.headers(headersOf(response))
    return response.body
  }
}

/** Refused requests count. Failures of the service are not the caller's fault. */
function countingFailures<R extends Route>(
  work: Work,
  isFailure: (response: ResponseOf<R>) => boolean,
  { failures }: RateLimits,
): Work {
  return async (request, reply) => {
    try {
      const response = await work(request, reply)
      if (isFailure(response as ResponseOf<R>)) await failures.count(request, reply)
      return response
    } catch (error) {
      if (error instanceof AppError && error.status === 400) await failures.count(request, reply)
      throw error
    }
  }
}

/** Administrators and the routes that only they may call have dedicated connections. */
function purposeOf(route: Route, { stops = false }: Pick<ServeOptions, 'stops'>): Purpose {
  if (route.path.startsWith('/v1/admin/')) return 'administration'
  return stops ? 'stop' : 'shared'
}

/** The only cast from checked values: from here on the types state what the schemas have proved. */
function callOf<R extends Route>(request: FastifyRequest, now: Date): Call<R> {
  return {
    params: request.params as ParamsOf<R>,
    query: request.query as QueryOf<R>,
    body: request.body as BodyOf<R>,
    caller: (request.caller ?? PUBLIC_CALLER) as CallerOf<R>,
    now,
    requestId: request.id,
    // Computed on first use, because payments do not need it.
    get clientAddress() {
      return clientAddressOf(request)
    },
    headers: request.headers,
    get action() {
      return `${request.method} ${request.url}`
    },
    rawBody: request.rawBody,
    idempotencyKey: idempotencyKeyOf(request),
  }
}

type RequestCheck = (request: FastifyRequest) => void

function checkOf(route: Route): RequestCheck {
  const params = route.params === undefined ? null : addressCheck(route.params)
  const query = route.query === undefined ? noQueryCheck() : addressCheck(route.query)
  const body = bodyCheckOf(route)
  const isOptional = isBodyOptional(route)
  return request => {
    checkQueryEncoding(request.url)
    params?.(request.params)
    query(request.query)
    if (isOptional && request.body === undefined) request.body = {}
    body?.(request.body)
  }
}

function bodyCheckOf(route: Route): Check | null {
  if (route.method === 'GET') return null
  return route.body === undefined ? noBodyCheck() : bodyCheck(route.body)
}

function verified(route: Route, work: Work): Work {
  const check = responseCheck(route)
  return async (request, reply) => {
    const response = await work(request, reply)
    check(response, reply.statusCode)
    return response
  }
}
