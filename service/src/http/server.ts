import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { fastify as createFastify, type FastifyInstance, type onRequestAsyncHookHandler } from 'fastify'
import type { Redis } from 'ioredis'
import type { Queryable } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/logger.ts'
import type { Metrics } from '../kernel/metrics.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { Tracing } from '../kernel/tracing.ts'
import { addAccessLog, type FinishedRequest } from './access-log.ts'
import { bearerHook } from './admission/bearer.ts'
import { hostProblem } from './admission/host-header.ts'
import { addInFlight } from './admission/in-flight.ts'
import { type Budget, createRateLimits, type RateLimitConfig } from './admission/rate-limit.ts'
import type { CountStore } from './admission/rate-limit-store.ts'
import { sameOriginRule } from './admission/same-origin.ts'
import { addBodyParser, BODY_LIMIT_BYTES } from './body/body-parser.ts'
import type { Authenticators } from './caller.ts'
import { clientErrorHandler, refuseOnSocket } from './client-error.ts'
import { addDrain, type Drain } from './drain.ts'
import { addErrorRenderer, renderError } from './errors.ts'
import { createIdempotentRequests } from './idempotency/idempotency-key.ts'
import { addNotFound } from './not-found.ts'
import { requestIds } from './request-id.ts'
import type { RequestMeter } from './request-meter.ts'
import { addSecurityHeaders, registerPages } from './security-headers.ts'
import { createRouter, type Router } from './serve.ts'

export interface ServerOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly database: Queryable
  readonly authenticators: Authenticators
  readonly rateLimits: RateLimitConfig
  /** Requests in flight of one credential on this node; 0 is no limit. */
  readonly maxInFlight: number
  /** Shares the rate limits between several nodes; null keeps them in this process. */
  readonly redis: Redis | null
  /** Shares them between the worker processes of this node; absent or null: this process is the node. */
  readonly nodeCounts?: CountStore | null
  /** Proxies that are trusted to report the client address: addresses, networks, or names such as `loopback`. */
  readonly trustProxy: readonly string[]
  /** The public address. When it is https, responses have Strict-Transport-Security. */
  readonly baseUrl: string
  readonly verifyResponses: boolean
  /** Gets each finished request of a platform's secret or an agent's key. */
  readonly onFinished?: (request: FinishedRequest) => void
  /** Counts requests of the routes that it names; absent: none are counted. */
  readonly meter?: RequestMeter
  /** Absent or null: requests are not traced. */
  readonly tracing?: Tracing | null
}

export interface CloseOptions {
  /** How long requests are still served, with `Connection: close`. */
  readonly sendAwayMs?: number
  /** How long after that open requests are cut off. */
  readonly graceMs?: number
}

export interface Server extends Router {
  /** For routes outside the contract: pages and probes. */
  readonly fastify: FastifyInstance
  /** Counts a request on the page budget of its address; for routes outside of `serve` and `pages`. */
  readonly countPage: onRequestAsyncHookHandler
  /** Counts a request on the budget of its address; for OAuth routes, which need no credential. */
  readonly countAddress: onRequestAsyncHookHandler
  /** The OAuth requests of each address that are refused. */
  readonly oauthFailures: Budget
  /** Admits an agent by `Authorization: Bearer`; for `/mcp`. */
  readonly admitBearer: onRequestAsyncHookHandler
  /**
   * Adds HTML pages: counted, and with helmet's headers; a page may widen its policy with the route option `helmet`.
   */
  pages(register: (scope: FastifyInstance) => void): void
  listen(address: { host: string; port: number }): Promise<AddressInfo>
  /** True from the call of `close`. */
  isClosing(): boolean
  /** Sends `Connection: close`, stops accepting requests, finishes accepted ones. */
  close(options?: CloseOptions): Promise<void>
}

const REQUEST_TIMEOUT_MS = 30_000
/**
 * Longer than any handler takes. A client that stops reading a response keeps its connection and its bytes twice as
 * long at the most: Node lets the first timeout pass if bytes were sent since the response began.
 */
const STALLED_MS = 120_000
const MAX_PARAM_LENGTH = 256
const CLOSE_GRACE_MS = 10_000

export async function createServer(options: ServerOptions): Promise<Server> {
  const { logger } = options
  const newRequestId = requestIds(options.clock)
  const fastify = createFastify({
    // Fastify's own lines would contain raw addresses; access-log.ts and errors.ts write the log.
    logger: false,
    genReqId: newRequestId,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STALLED_MS,
    trustProxy: options.trustProxy.length === 0 ? false : [...options.trustProxy],
    return503OnClosing: false,
    http: SERVED_HERE,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => renderError(error, request, reply, logger),
    clientErrorHandler: clientErrorHandler(newRequestId),
  })
  fastify.setSerializerCompiler(compileAtFirstUse)
  const drain = addDrain(fastify)
  fastify.decorateRequest('caller', null)
  fastify.decorateRequest('errorCode', null)
  fastify.decorateRequest('span', null)
  const secure = options.baseUrl.startsWith('https:')
  addSecurityHeaders(fastify, secure)
  addAccessLog(fastify, options)
  addOddRequests(fastify, newRequestId)
  addBodyParser(fastify)
  addErrorRenderer(fastify, logger)
  const rateLimits = await createRateLimits(fastify, options.rateLimits, options)
  const inFlight = addInFlight(fastify, options.maxInFlight)
  const idempotentRequests = createIdempotentRequests(options)
  const refuseCrossSite = sameOriginRule(options.baseUrl)
  const router = createRouter(fastify, {
    ...options,
    secure,
    rateLimits,
    inFlight,
    refuseCrossSite,
    idempotentRequests,
  })
  const countPage: onRequestAsyncHookHandler = async (request, reply) =>
    rateLimits.pages.count(request, reply)
  addNotFound(fastify, { authenticators: options.authenticators, rateLimits })
  return {
    ...router,
    fastify,
    countPage,
    countAddress: async (request, reply) => rateLimits.count(request, reply),
    oauthFailures: rateLimits.oauthFailures,
    admitBearer: bearerHook({ ...options, rateLimits }),
    pages: register => registerPages(fastify, secure, countPage, register),
    listen: address => listen(fastify, address),
    isClosing: drain.isClosing,
    close: (closing = {}) => close(fastify, drain, closing),
  }
}

const compileSerializer = SerializerSelector()({}, {})

/** Compiling the serializers of all routes would be a fifth of a start. */
const compileAtFirstUse: Parameters<FastifyInstance['setSerializerCompiler']>[0] = route => {
  let serialize: ((body: unknown) => string) | undefined
  return body => {
    serialize ??= compileSerializer({ ...route, httpStatus: route.httpStatus ?? '' })
    return serialize(body)
  }
}

async function listen(
  fastify: FastifyInstance,
  address: { host: string; port: number },
): Promise<AddressInfo> {
  await fastify.listen(address)
  const bound = fastify.server.address()
  assert(bound !== null && typeof bound === 'object', 'a listening server has an address')
  return bound
}

async function close(
  fastify: FastifyInstance,
  drain: Drain,
  { sendAwayMs = 0, graceMs = CLOSE_GRACE_MS }: CloseOptions,
): Promise<void> {
  drain.sendAway()
  if (sendAwayMs > 0) await delay(sendAwayMs)
  drain.refuse()
  const cutOff = setTimeout(() => fastify.server.closeAllConnections(), graceMs)
  try {
    await fastify.close()
  } finally {
    clearTimeout(cutOff)
  }
}

/** Requests that Node would respond to or drop by itself. Here they get the error envelope. */
export const SERVED_HERE = { requireHostHeader: false } as const

/** Responds to valid HTTP requests that no API route serves, such as CONNECT. */
export function addOddRequests(fastify: FastifyInstance, newRequestId: () => string): void {
  fastify.server.on('connect', (_request, socket) => {
    refuseOnSocket(socket as Socket, '405 Method Not Allowed', noProxy(), newRequestId())
  })
  // An expectation that is not known may be ignored (RFC 9110, section 10.1.1).
  fastify.server.on('checkExpectation', (request, response) => fastify.routing(request, response))
  fastify.addHook('onRequest', (request, _reply, done) => {
    const problem = hostProblem(request.raw)
    if (problem === null) done()
    else done(problem)
  })
}

function noProxy(): AppError {
  return new AppError('method_not_allowed', 'This server opens no tunnels; call the API itself')
}
