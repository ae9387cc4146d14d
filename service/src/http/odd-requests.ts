import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/app-error.ts'
import { refuseOnSocket } from './client-error.ts'

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
    if (request.raw.headers.host !== undefined || request.raw.httpVersion === '1.0') done()
    else done(new AppError('validation_error', 'A request in HTTP/1.1 needs the header Host'))
  })
}

function noProxy(): AppError {
  return new AppError('method_not_allowed', 'This server opens no tunnels; call the API itself')
}
