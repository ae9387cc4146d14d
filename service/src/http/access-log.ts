import { type ErrorCode, NO_ROUTE } from '@batua/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Uuid } from '../kernel/ids.ts'
import type { Logger } from '../kernel/logger.ts'
import { addHistogram, type Metrics } from '../kernel/metrics.ts'
import type { Span, Tracing } from '../kernel/tracing.ts'
import { callerName } from './caller.ts'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The label of requests that matched no route. The address itself is never a label and never logged. */
const UNMATCHED = NO_ROUTE

/** A finished request, by its route: it has no body, address or id but its own and that of an app. */
export interface FinishedRequest {
  readonly platformId: Uuid
  /** The connected app that made it; null: a secret or a key did. */
  readonly appId: Uuid | null
  readonly requestId: string
  readonly method: string
  /** As the contract writes it. */
  readonly route: string
  readonly status: number
  /** Empty: the response was no error. */
  readonly code: ErrorCode | ''
  readonly durationMs: number
}

export interface AccessLogOptions {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly onFinished?: (request: FinishedRequest) => void
  readonly tracing?: Tracing | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** null: requests are not traced. */
    span: Span | null
  }
}

/** Writes one log line and observes one duration for every finished request, and reports those of platforms. */
export function addAccessLog(
  fastify: FastifyInstance,
  { logger, metrics, onFinished, tracing = null }: AccessLogOptions,
): void {
  const durations = addHistogram(metrics, 'batua_http_request_duration_seconds', BUCKETS_S)
  if (tracing !== null) addSpans(fastify, tracing)
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, url = UNMATCHED } = request.routeOptions
    const route = { method: url === UNMATCHED ? request.method : String(method), route: url }
    durations.observe({ ...route, status: reply.statusCode }, reply.elapsedTime / 1000)
    if (logger.isLevelEnabled('info')) logger.info(lineOf(request, reply, url), 'request')
    const platformId = platformOf(request)
    if (platformId !== null) {
      onFinished?.({
        platformId,
        appId: appOf(request),
        requestId: request.id,
        method: route.method,
        route: contractPath(url),
        status: reply.statusCode,
        code: request.errorCode ?? '',
        durationMs: Math.round(reply.elapsedTime * 100) / 100,
      })
    }
    done()
  })
}

/** A span for each request, which continues the trace that the caller names. */
function addSpans(fastify: FastifyInstance, tracing: Tracing): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url } = request.routeOptions
    const name = url === undefined ? request.method : `${request.method} ${contractPath(url)}`
    const { traceparent } = request.headers
    request.span = tracing.root(name, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : undefined,
    })
    done()
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions
    const { errorCode, span } = request
    const isFailure = reply.statusCode >= 500
    span?.end(
      {
        'batua.request_id': request.id,
        'http.request.method': request.method,
        'http.response.status_code': reply.statusCode,
        ...(url === undefined ? {} : { 'http.route': contractPath(url) }),
        ...(errorCode === null ? {} : { 'error.type': errorCode }),
      },
      isFailure,
    )
    done()
  })
}

/** The platform whose secret, or whose agent's key, made the request; null for sessions and without a valid credential. */
function platformOf({ caller }: FastifyRequest): Uuid | null {
  if (caller === null) return null
  if (caller.kind === 'agent') return caller.platformId
  return caller.kind === 'platform' && caller.sessionId === undefined ? caller.platformId : null
}

function appOf({ caller }: FastifyRequest): Uuid | null {
  return caller?.kind === 'agent' ? (caller.app?.id ?? null) : null
}

/** There are as many entries as routes. */
const contractPaths = new Map<string, string>()

/** `/v1/agents/:agent_id` is `/v1/agents/{agent_id}` in the contract. */
function contractPath(url: string): string {
  let path = contractPaths.get(url)
  if (path === undefined) {
    path = url.replaceAll(/:(\w+)/g, '{$1}')
    contractPaths.set(url, path)
  }
  return path
}

function lineOf(request: FastifyRequest, reply: FastifyReply, route: string): object {
  return {
    request_id: request.id,
    ...traceOf(request),
    method: request.method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    ...(request.caller === null ? {} : { caller: callerName(request.caller) }),
  }
}

/** The id of a request's trace, for its log lines. */
export function traceOf({ span }: FastifyRequest): { readonly trace_id?: string } {
  return span === null ? {} : { trace_id: span.traceId }
}
