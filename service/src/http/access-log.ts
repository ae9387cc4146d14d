import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Histogram } from 'prom-client'
import type { Logger } from '../kernel/logger.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { callerName } from './caller.ts'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The label of requests that matched no route. The address itself is never a label and never logged. */
const UNMATCHED = 'unmatched'

/** Writes one log line and observes one duration for every finished request. */
export function addAccessLog(fastify: FastifyInstance, logger: Logger, metrics: Metrics): void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_S,
    registers: [metrics],
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, url = UNMATCHED } = request.routeOptions
    const route = { method: url === UNMATCHED ? request.method : String(method), route: url }
    durations.observe({ ...route, status: reply.statusCode }, reply.elapsedTime / 1000)
    if (logger.isLevelEnabled('info')) logger.info(lineOf(request, reply, url), 'request')
    done()
  })
}

function lineOf(request: FastifyRequest, reply: FastifyReply, route: string): object {
  return {
    request_id: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    ...(request.caller === null ? {} : { caller: callerName(request.caller) }),
  }
}
