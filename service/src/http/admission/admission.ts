import type { Credential } from '@batua/contract'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { errorOf, type Refusal } from '../../kernel/app-error.ts'
import { type Authenticators, type Caller, type MaybePromise, whenReady } from '../caller.ts'
import { requireScopeOf } from './app-scopes.ts'
import { authenticatorFor, type Denial } from './credentials.ts'
import type { InFlight } from './in-flight.ts'
import type { RateLimits } from './rate-limit.ts'
import type { SameOriginRule } from './same-origin.ts'
import { endedCookie } from './session-cookies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, once its credentials were proved. */
    caller: Caller | null
  }
}

export interface Gate {
  readonly authenticators: Authenticators
  readonly rateLimits: RateLimits
  readonly inFlight: InFlight
  readonly refuseCrossSite: SameOriginRule
  /** The public address is https. */
  readonly secure: boolean
}

/** The conditions under which a route admits a request. */
export interface Admission {
  readonly operationId: string
  readonly who: readonly Credential[]
  readonly counted: boolean
  /** Only failed requests count on the caller's budget. */
  readonly countsFailuresOnly: boolean
  readonly opensSession: boolean
  /** The response is a stream, which does not count as a request in flight. */
  readonly staysOpen: boolean
}

/**
 * Admits a request before its body is read: looks its credential up, then counts its rate limit. A request without a valid
 * credential counts against its client address, which makes guessing of keys slow.
 */
export function admissionHook(admission: Admission, gate: Gate): onRequestHookHandler {
  const { who, opensSession } = admission
  const authenticate = authenticatorFor(who, gate.authenticators, gate.rateLimits.credentials)
  return (request, reply, done) => {
    const admitted = whenReady(authenticate(request), presented => {
      const found = fromThisSite(request, presented, opensSession, gate)
      if (found.kind !== 'refusal') request.caller = found
      const inBudget = countIn(gate.rateLimits, admission, request, reply)
      return whenReady(inBudget, () => {
        if (presented.kind === 'refusal') forgetDead(presented, reply, gate)
        if (found.kind === 'refusal') throw errorOf(found)
        requireScopeOf(found, admission.operationId, who)
        if (admission.counted && !admission.staysOpen) gate.inFlight.enter(request, reply, found)
      })
    })
    if (admitted instanceof Promise) admitted.then(() => done(), done)
    else done()
  }
}

function countIn(
  rateLimits: RateLimits,
  { counted, countsFailuresOnly }: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
): MaybePromise<void> {
  if (!counted) return
  if (!countsFailuresOnly || request.caller === null) return rateLimits.count(request, reply)
  return rateLimits.failures.requireLeft(request, reply)
}

function fromThisSite(
  { method, headers }: FastifyRequest,
  found: Caller | Denial,
  opensSession: boolean,
  { refuseCrossSite }: Gate,
): Caller | Refusal {
  if (found.kind === 'refusal') return found
  const refusal = opensSession
    ? refuseCrossSite.login(headers)
    : refuseCrossSite.change(method, headers, found)
  return refusal ?? found
}

/** Clears cookies of ended sessions, because a browser would send them with every request and be refused. */
function forgetDead({ deadSessions }: Denial, reply: FastifyReply, { secure }: Gate): void {
  for (const kind of deadSessions) reply.header('set-cookie', endedCookie(kind, secure))
}
