import type { ErrorCode, OperationId, Route } from '@batua/contract'
import type { FastifyRequest, RouteOptions } from 'fastify'
import { appErrorOf } from './errors.ts'

/** Counts finished requests of some routes. A call is a few lookups in memory and never waits. */
export interface RequestMeter {
  /** The routes whose requests are counted. */
  readonly operations: readonly OperationId[]
  accepted(durationMs: number): void
  refused(code: ErrorCode): void
}

/**
 * The hooks that report each request of a route that is counted, no matter what refused it: admission, checks or the
 * handler.
 */
export function meteredBy(
  meter: RequestMeter,
  { operationId }: Route,
): Pick<RouteOptions, 'onError' | 'onResponse'> {
  if (!meter.operations.some(operation => operation === operationId)) return {}
  const refusals = new WeakMap<FastifyRequest, ErrorCode>()
  return {
    onError(request, _reply, error, done) {
      refusals.set(request, appErrorOf(error).code)
      done()
    },
    onResponse(request, reply, done) {
      const code = refusals.get(request)
      if (code !== undefined) meter.refused(code)
      else if (reply.statusCode < 400) meter.accepted(reply.elapsedTime)
      done()
    },
  }
}
