import type { Credential } from '@batua/contract'
import type { onRequestHookHandler } from 'fastify'
import { errorOf } from '../kernel/app-error.ts'
import type { Authenticators, Caller } from './caller.ts'
import { authenticatorFor } from './credentials.ts'
import { settle } from './maybe-promise.ts'
import type { RateLimits } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, once its credentials were found valid. */
    caller: Caller | null
  }
}

export interface Gate {
  readonly authenticators: Authenticators
  readonly rateLimits: RateLimits
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
    const admitted = settle(authenticate(request.headers), found => {
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
