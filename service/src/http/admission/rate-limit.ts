import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import { errorOf } from '../../kernel/app-error.ts'
import { rateLimitExceeded, rateLimitHeaders } from '../../kernel/rate-limit-exceeded.ts'
import { callerName, type MaybePromise } from '../caller.ts'
import { type CredentialLookups, openCredentialLookups } from './credential-lookups.ts'
import { type CountStore, countingOnEachNodeWithout, MemoryStore } from './rate-limit-store.ts'

/** Requests a minute for each kind of caller; 0 is no limit. They are read at every request, because they may be changed. */
export interface RateLimitConfig {
  /** For one agent, and for one session of an owner or administrator. */
  readonly agentPerMinute: number
  readonly platformPerMinute: number
  /** For one client address. */
  readonly unauthenticatedPerMinute: number
  /** Pages, documents and metrics for one client address. */
  readonly pagesPerMinute: number
}

/** A budget for each minute. Over the limit, a request is refused with `rate_limit_exceeded`. */
export interface Budget {
  /** Counts one and sets the headers with the remaining budget. */
  count(request: FastifyRequest, reply: FastifyReply): MaybePromise<void>
  /**
   * Refuses when nothing is left, without counting: for requests that count only when they fail. With a reply it sets the
   * headers with the remaining budget.
   */
  requireLeft(request: FastifyRequest, reply?: FastifyReply): MaybePromise<void>
  /** Counts a failed request and never refuses it, because its response is an error already. */
  countWrong(request: FastifyRequest, reply?: FastifyReply): MaybePromise<void>
  /** How many are left, and when the budget is renewed. */
  left(request: FastifyRequest): MaybePromise<{ readonly remaining: number; readonly waitMs: number }>
}

export interface RateLimits {
  /** Counts one request of `request.caller`, or of its address; throws `rate_limit_exceeded` when it is one too many. */
  count(request: FastifyRequest, reply: FastifyReply): MaybePromise<void>
  /** For requests of which only failures count: of each caller, ten times an agent's budget. */
  readonly failures: Budget
  /** Pages, documents and metrics, which need no credential, for each address. */
  readonly pages: Budget
  /** OAuth requests that are refused, for each address. */
  readonly oauthFailures: Budget
  /** Webhooks of gateways that fail verification, for each address. Genuine ones do not count. */
  readonly gatewayWebhooks: Budget
  /** Wrong credentials are counted for each address before the database is asked about the next. */
  readonly credentials: CredentialLookups
}

const WRONG_WEBHOOKS_PER_MINUTE = 300
const WINDOW_MS = 60_000

/** High enough that a caller with occasional failures never reaches the limit of failures. */
const FAILURES_PER_REQUEST = 10

/** What requests are counted in. */
export interface Counters {
  /** Shared by several nodes; null: there is none. While it fails, each node counts by itself. */
  readonly redis: Redis | null
  /** Shared by the worker processes of this node; absent or null: the memory of this process. */
  readonly nodeCounts?: CountStore | null
}

export async function createRateLimits(
  fastify: FastifyInstance,
  config: RateLimitConfig,
  counters: Counters,
): Promise<RateLimits> {
  await registerRateLimit(fastify, counters)
  const isShared = counters.redis !== null || (counters.nodeCounts ?? null) !== null
  const byAgentOrSession = createBudget(fastify, () => config.agentPerMinute, nameOf)
  const byPlatform = createBudget(fastify, () => config.platformPerMinute, nameOf)
  const byAddress = createBudget(fastify, () => config.unauthenticatedPerMinute, addressOf)
  const failures = createBudget(
    fastify,
    () => FAILURES_PER_REQUEST * config.agentPerMinute,
    request => `failures:${nameOf(request)}`,
    'failed requests of this kind',
  )
  const wrongCredentials = createBudget(
    fastify,
    () => config.unauthenticatedPerMinute,
    request => `wrong-credentials:${clientAddressOf(request)}`,
  )
  return {
    failures,
    count(request, reply) {
      switch (request.caller?.kind) {
        case 'agent':
        case 'owner':
        case 'admin':
          return byAgentOrSession.count(request, reply)
        case 'platform':
          return byPlatform.count(request, reply)
        default:
          return byAddress.count(request, reply)
      }
    },
    pages: createBudget(
      fastify,
      () => config.pagesPerMinute,
      request => `pages:${clientAddressOf(request)}`,
    ),
    oauthFailures: createBudget(
      fastify,
      () => config.unauthenticatedPerMinute,
      request => `oauth:${clientAddressOf(request)}`,
      'refused OAuth requests',
    ),
    gatewayWebhooks: createBudget(
      fastify,
      () => WRONG_WEBHOOKS_PER_MINUTE,
      request => `gateway-webhooks:${clientAddressOf(request)}`,
      'webhooks that failed verification',
    ),
    credentials: openCredentialLookups({
      max: () => config.unauthenticatedPerMinute,
      shared: isShared ? wrongCredentials : null,
      addressOf: clientAddressOf,
      nowMs: Date.now,
    }),
  }
}

/** The parameters of budgets. */
export async function registerRateLimit(
  fastify: FastifyInstance,
  { redis, nodeCounts }: Counters,
): Promise<void> {
  const onNode = nodeCounts ?? new MemoryStore()
  await fastify.register(rateLimit, {
    global: false,
    skipOnError: true,
    nameSpace: 'batua-rate:',
    ...(redis === null ? { store: storeOf(onNode) } : { redis: countingOnEachNodeWithout(redis, onNode) }),
  })
}

/** The plug-in makes its store by a constructor, and from it one for each budget. */
function storeOf(counts: CountStore): FastifyRateLimitStoreCtor {
  return class {
    readonly incr = counts.incr.bind(counts)
    readonly read = counts.read.bind(counts)
    readonly child = counts.child.bind(counts)
  }
}

function nameOf(request: FastifyRequest): string {
  return request.caller === null ? addressOf(request) : callerName(request.caller)
}

function addressOf(request: FastifyRequest): string {
  return `address:${clientAddressOf(request)}`
}

/**
 * The party with which a request shares its database connections: a platform with all of its agents, since it may create
 * any number of them; every other caller is a party of its own.
 */
export function partyOf(request: FastifyRequest): string {
  const { caller } = request
  switch (caller?.kind) {
    case 'platform':
    case 'agent':
      return caller.platformId
    case 'owner':
    case 'admin':
      return caller.sessionId
    default:
      return addressOf(request)
  }
}

/** The client address of a request. An IPv6 user has a whole /64, so that counts as one address. */
export function clientAddressOf(request: FastifyRequest): string {
  return rateLimit.normalizeIP(request.ip)
}

/** The network that an address belongs to: a customer of a provider may own a whole IPv6 /48. */
export function networkOf(clientAddress: string): string {
  return rateLimit.normalizeIP(clientAddress, 48)
}

/**
 * A budget of `maxNow()` a minute for each key; 0 is no limit. In Redis all budgets share one namespace, so the keys of each
 * budget need a prefix of their own.
 */
export function createBudget(
  fastify: FastifyInstance,
  maxNow: () => number,
  keyGenerator: (request: FastifyRequest) => string,
  what = 'requests',
): Budget {
  const count = fastify.createRateLimit({ max: maxNow, timeWindow: WINDOW_MS, keyGenerator })
  const exceeded = (max: number, waitMs: number) =>
    errorOf(rateLimitExceeded(`More than ${max} ${what} in a minute`, max, waitMs))
  async function countLimited(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const state = await count(request)
    if (state.isAllowed) return
    if (state.isExceeded) throw exceeded(state.max, state.ttl)
    showLeft(reply, state)
  }
  async function requireLimited(request: FastifyRequest, reply?: FastifyReply): Promise<void> {
    const state = await count(request, { increment: false })
    if (state.isAllowed) return
    // A store that is not available returns a count of 0 with nothing left: then requests pass.
    if (state.remaining === 0 && state.ttl > 0) throw exceeded(state.max, state.ttl)
    showLeft(reply, state)
  }
  return {
    count: (request, reply) => (maxNow() === 0 ? undefined : countLimited(request, reply)),
    requireLeft: (request, reply) => (maxNow() === 0 ? undefined : requireLimited(request, reply)),
    async countWrong(request, reply) {
      if (maxNow() === 0) return
      const state = await count(request)
      if (!state.isAllowed) showLeft(reply, state)
    },
    async left(request) {
      const max = maxNow()
      if (max === 0) return { remaining: Number.POSITIVE_INFINITY, waitMs: 0 }
      const state = await count(request, { increment: false })
      return state.isAllowed
        ? { remaining: max, waitMs: 0 }
        : { remaining: state.remaining, waitMs: state.ttl }
    },
  }
}

interface Counted {
  readonly max: number
  readonly remaining: number
  readonly ttlInSeconds: number
}

function showLeft(
  reply: FastifyReply | undefined,
  { max: limit, remaining, ttlInSeconds: resetS }: Counted,
): void {
  reply?.headers(rateLimitHeaders({ limit, remaining, resetS }))
}
