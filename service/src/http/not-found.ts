import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/app-error.ts'
import type { Gate } from './admission/admission.ts'
import { authenticatorFor } from './admission/credentials.ts'
import { whenReady } from './caller.ts'
import { notFound } from './errors.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

/** Responds to unknown addresses before their body is read. These requests count on the caller's budget too. */
export function addNotFound(
  fastify: FastifyInstance,
  gate: Pick<Gate, 'authenticators' | 'rateLimits'>,
): void {
  const authenticate = authenticatorFor([], gate.authenticators, gate.rateLimits.credentials)
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) {
      done()
      return
    }
    const counted = whenReady(authenticate(request), found => {
      if (found.kind !== 'refusal') request.caller = found
      return gate.rateLimits.count(request, reply)
    })
    const refuse = () => done(refusalOf(fastify, request))
    if (counted instanceof Promise) counted.then(refuse, done)
    else refuse()
  })
}

function refusalOf(fastify: FastifyInstance, request: FastifyRequest): AppError {
  const allowed = METHODS.filter(method => fastify.findRoute({ method, url: request.url }) !== null)
  if (allowed.length === 0) return notFound()
  return new AppError(
    'method_not_allowed',
    `This address takes ${allowed.join(', ')}, not ${request.method}`,
    {
      headers: { allow: allowed.join(', ') },
    },
  )
}
