import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { AppError } from '../kernel/app-error.ts'
import { callerName } from './caller.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** Requests a minute for each kind of caller; 0 is no limit. */
export interface RateLimitConfig {
  /** For one agent, and for one session of an owner or administrator. */
  readonly agentPerMinute: number
  readonly platformPerMinute: number
  /** For one client address. */
  readonly unauthenticatedPerMinute: number
}

export interface RateLimits {
  /** Counts one request of `request.caller`, or of its address; throws `rate_limit_exceeded` when it is one too many. */
  count(request: FastifyRequest, reply: FastifyReply): MaybePromise<void>
}

const WINDOW_MS = 60_000
/** How many callers of one kind are remembered at once; the longest unseen is forgotten first. */
const REMEMBERED_CALLERS = 100_000

type Limiter = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<void>

const noLimit: Limiter = () => {}

/** Counters in memory or, for several nodes together, in Redis. Without Redis for a moment, requests pass. */
export async function createRateLimits(
  fastify: FastifyInstance,
  config: RateLimitConfig,
  redis: Redis | null,
): Promise<RateLimits> {
  await fastify.register(rateLimit, {
    global: false,
    skipOnError: true,
    nameSpace: 'batua-rate:',
    ...(redis === null ? {} : { redis }),
  })
  const byAgentOrSession = limiter(fastify, config.agentPerMinute, nameOf)
  const byPlatform = limiter(fastify, config.platformPerMinute, nameOf)
  const byAddress = limiter(fastify, config.unauthenticatedPerMinute, addressOf)
  return {
    count(request, reply) {
      switch (request.caller?.kind) {
        case 'agent':
        case 'owner':
        case 'admin':
          return byAgentOrSession(request, reply)
        case 'platform':
          return byPlatform(request, reply)
        default:
          return byAddress(request, reply)
      }
    },
  }
}

function nameOf(request: FastifyRequest): string {
  return request.caller === null ? addressOf(request) : callerName(request.caller)
}

function addressOf(request: FastifyRequest): string {
  return `address:${clientAddressOf(request)}`
}

/** Where a request comes from. An IPv6 user owns a whole /64, so that is one address. */
export function clientAddressOf(request: FastifyRequest): string {
  return rateLimit.normalizeIP(request.ip)
}

function limiter(
  fastify: FastifyInstance,
  max: number,
  keyGenerator: (request: FastifyRequest) => string,
): Limiter {
  if (max === 0) return noLimit
  const options = { max, timeWindow: WINDOW_MS, keyGenerator, cache: REMEMBERED_CALLERS }
  const count = fastify.createRateLimit(options)
  return async (request, reply) => {
    const state = await count(request)
    if (state.isAllowed) return
    const headers = {
      'ratelimit-limit': String(state.max),
      'ratelimit-remaining': String(state.remaining),
      'ratelimit-reset': String(state.ttlInSeconds),
    }
    reply.headers(headers)
    if (state.isExceeded) throw exceeded(state.max, state.ttlInSeconds)
  }
}

function exceeded(max: number, retryAfterS: number): AppError {
  const message = `More than ${max} requests in a minute; try again in ${retryAfterS} s`
  return new AppError('rate_limit_exceeded', message, { headers: { 'retry-after': String(retryAfterS) } })
}
