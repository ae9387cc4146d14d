import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/app-error.ts'
import { refuseOnSocket } from './client-error.ts'
import { hostProblem } from './host-header.ts'

/** Node would answer these by itself, or drop them without a word; here they get the one shape of every error. */
export const SERVED_HERE = { requireHostHeader: false } as const

/** Requests that are HTTP and yet nothing that an API is for. */
export function addOddRequests(fastify: FastifyInstance, newRequestId: () => string): void {
  fastify.server.on('connect', (_request, socket) => {
    refuseOnSocket(socket as Socket, '405 Method Not Allowed', noProxy(), newRequestId())
  })
  // An expectation that is not known may be ignored (RFC 9110, section 10.1.1).
  fastify.server.on('checkExpectation', (request, response) => fastify.routing(request, response))
  fastify.addHook('onRequest', (request, _reply, done) => {
    const problem = hostProblem(request.raw)
    if (problem === null) done()
    else done(problem)
  })
}

function noProxy(): AppError {
  return new AppError('method_not_allowed', 'This server opens no tunnels; call the API itself')
}
