import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  fastify as createFastify,
  type FastifyInstance,
  type FastifyRequest,
  type onRequestAsyncHookHandler,
} from 'fastify'
import { AppError } from '../kernel/app-error.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/logger.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { createBudget, registerRateLimit } from './admission/rate-limit.ts'
import type { CountStore } from './admission/rate-limit-store.ts'
import { addErrorRenderer, notFound, renderError } from './errors.ts'
import { requestIds } from './request-id.ts'
import { addSecurityHeaders } from './security-headers.ts'
import { addOddRequests, SERVED_HERE, type Server } from './server.ts'

/** Where the text of all metrics comes from. */
export type MetricsText = Pick<Metrics, 'metrics' | 'contentType'>

export interface MetricsAccess {
  readonly metrics: MetricsText
  /** The token that admits callers from anywhere; null: only this machine is admitted. */
  readonly token: string | null
}

/** Serves the metrics on the port of the API, to this machine and to callers with the token. */
export function addMetrics(server: Server, access: MetricsAccess): void {
  addMetricsRoute(server.fastify, access, server.countPage)
}

/** How the configuration says that metrics are served. */
export interface MetricsConfig {
  readonly metrics: MetricsText
  readonly clock: Clock
  readonly logger: Logger
  readonly host: string
  /** Null: the port of the API. */
  readonly metricsPort: number | null
  readonly metricsToken: string | null
  readonly rateLimits: { readonly pagesPerMinute: number }
  readonly nodeCounts?: CountStore | null
}

/** Serves the metrics on a port of their own, or on the port of the API. */
export async function serveMetrics(
  server: Server,
  config: MetricsConfig,
): Promise<{ listen(): Promise<void>; close(): Promise<void> }> {
  const { host, metricsPort: port, metricsToken: token, rateLimits } = config
  if (port === null) {
    addMetrics(server, { metrics: config.metrics, token })
    return { async listen() {}, async close() {} }
  }
  const listener = await openMetricsListener({
    ...config,
    token,
    pagesPerMinute: () => rateLimits.pagesPerMinute,
  })
  return {
    async listen() {
      await listener.listen({ host, port })
    },
    close: listener.close,
  }
}

export interface MetricsListener {
  listen(address: { host: string; port: number }): Promise<AddressInfo>
  close(): Promise<void>
}

export interface MetricsListenerOptions extends MetricsAccess, Pick<MetricsConfig, 'nodeCounts'> {
  readonly clock: Clock
  readonly logger: Logger
  readonly pagesPerMinute: () => number
}

/** A separate listener that serves only the metrics, to every caller that reaches its port. */
export async function openMetricsListener(options: MetricsListenerOptions): Promise<MetricsListener> {
  const { clock, logger, pagesPerMinute, metrics, token } = options
  const newRequestId = requestIds(clock)
  const fastify = createFastify({
    logger: false,
    genReqId: newRequestId,
    http: SERVED_HERE,
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => renderError(error, request, reply, logger),
  })
  fastify.decorateRequest('caller', null)
  addSecurityHeaders(fastify, false)
  addOddRequests(fastify, newRequestId)
  addErrorRenderer(fastify, logger)
  fastify.setNotFoundHandler(() => {
    throw notFound()
  })
  await registerRateLimit(fastify, { redis: null, nodeCounts: options.nodeCounts ?? null })
  const pages = createBudget(fastify, pagesPerMinute, request => request.ip)
  // With a port and a token, callers of the port need the token.
  const isPublic = token === null
  addMetricsRoute(fastify, { metrics, token, isPublic }, async (request, reply) =>
    pages.count(request, reply),
  )
  return {
    async listen(address) {
      await fastify.listen(address)
      const bound = fastify.server.address()
      assert(bound !== null && typeof bound === 'object', 'a listening server has an address')
      return bound
    },
    close: () => fastify.close(),
  }
}

const KEPT_MS = 1_000

/** The text of all metrics, at most a second old, so that the database is read at most once a second. */
function metricsText(metrics: MetricsText): () => Promise<Buffer> {
  let kept: Promise<Buffer> | null = null
  return () => {
    if (kept !== null) return kept
    const text = metrics.metrics().then(shown => Buffer.from(shown))
    kept = text
    const forget = () => {
      kept = null
    }
    text.then(() => setTimeout(forget, KEPT_MS).unref(), forget)
    return text
  }
}

function addMetricsRoute(
  fastify: FastifyInstance,
  { metrics, token, isPublic = false }: MetricsAccess & { readonly isPublic?: boolean },
  countPage: onRequestAsyncHookHandler,
): void {
  const read = metricsText(metrics)
  const digest = token === null ? null : sha256(token)
  fastify.get('/metrics', { onRequest: countPage }, async (request, reply) => {
    if (!isPublic && !isFromThisMachine(request.raw) && !hasToken(request, digest)) throw refused(digest)
    return reply.type(metrics.contentType).send(await read())
  })
}

/** Headers that a proxy adds. With one of them the connection is the proxy's, and the caller is unknown. */
const OF_PROXIES = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
]
const LOOPBACK = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/

function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  if (OF_PROXIES.some(name => headers[name] !== undefined)) return false
  return LOOPBACK.test(socket.remoteAddress ?? '')
}

/** Compares digests, so that the time taken depends neither on the token nor on its length. */
function hasToken({ headers }: FastifyRequest, digest: Buffer | null): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return digest !== null && given !== undefined && timingSafeEqual(sha256(given), digest)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function refused(digest: Buffer | null): AppError {
  const way =
    digest === null ? 'set METRICS_TOKEN or METRICS_PORT' : 'send Authorization: Bearer METRICS_TOKEN'
  return new AppError('authentication_error', `Metrics are shown to this machine alone; ${way}`, {
    headers: { 'www-authenticate': 'Bearer' },
  })
}
