import type { Credential } from '@batua/contract'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { errorOf, type Refusal } from '../kernel/app-error.ts'
import type { Authenticators, Caller } from './caller.ts'
import { authenticatorFor } from './credentials.ts'
import { settle } from './maybe-promise.ts'
import type { RateLimits } from './rate-limit.ts'
import type { SameOriginRule } from './same-origin.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, once its credentials were found valid. */
    caller: Caller | null
  }
}

export interface Gate {
  readonly authenticators: Authenticators
  readonly rateLimits: RateLimits
  readonly refuseCrossSite: SameOriginRule
}

/**
 * Lets a request in before its body is read: whose it is, then whether its budget allows it. What has no valid
 * credential counts against the address it came from, so guessing keys is slow.
 */
export function admissionHook(
  who: readonly Credential[],
  counted: boolean,
  gate: Gate,
): onRequestHookHandler {
  const authenticate = authenticatorFor(who, gate.authenticators)
  return (request, reply, done) => {
    const admitted = settle(authenticate(request.headers), presented => {
      const found = fromThisSite(request, presented, gate)
      if (found.kind !== 'refusal') request.caller = found
      const inBudget = counted ? gate.rateLimits.count(request, reply) : undefined
      return settle(inBudget, () => {
        if (found.kind === 'refusal') throw errorOf(found)
      })
    })
    if (admitted instanceof Promise) admitted.then(() => done(), done)
    else done()
  }
}

function fromThisSite(
  { method, headers }: FastifyRequest,
  found: Caller | Refusal,
  { refuseCrossSite }: Gate,
): Caller | Refusal {
  return found.kind === 'refusal' ? found : (refuseCrossSite(method, headers, found) ?? found)
}
