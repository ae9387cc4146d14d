import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/app-error.ts'
import { refuseOnSocket } from './client-error.ts'
import { hostProblem } from './host-header.ts'

/** Requests that Node would answer or drop by itself. Here they get the error envelope. */
export const SERVED_HERE = { requireHostHeader: false } as const

/** Responds to valid HTTP requests that no API route serves, such as CONNECT. */
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
