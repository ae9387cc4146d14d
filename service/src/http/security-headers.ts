import helmet from '@fastify/helmet'
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import { onBehalfOf } from '../db/database.ts'
import { partyOf } from './admission/rate-limit.ts'

const STRICT_TRANSPORT = 'max-age=31536000; includeSubDomains'

/**
 * The headers of every JSON response: no browser may render it, guess its type, frame it or cache it. A constant list,
 * because helmet's hooks cost 16 µs a request, half as much as all the rest; pages use helmet.
 */
export function addSecurityHeaders(fastify: FastifyInstance, secure: boolean): void {
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    ...(secure ? { 'strict-transport-security': STRICT_TRANSPORT } : {}),
  }
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(headers)
    done()
  })
}

/** A scope whose routes are HTML pages: nothing from other origins, no frames, and no cache unless a page says so. */
export function registerPages(
  fastify: FastifyInstance,
  secure: boolean,
  countPage: onRequestAsyncHookHandler,
  register: (scope: FastifyInstance) => void,
): void {
  void fastify.register(async scope => {
    scope.addHook('onRequest', countPage)
    // A header set through fastify replaces the one that helmet sets on the raw response.
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.removeHeader('content-security-policy').removeHeader('strict-transport-security')
      done()
    })
    await scope.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'"],
          imgSrc: ["'self'", 'data:'],
          fontSrc: ["'self'"],
          connectSrc: ["'self'"],
          formAction: ["'self'"],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      frameguard: { action: 'deny' },
      strictTransportSecurity: secure ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    })
    scope.addHook('preHandler', (request, _reply, done) => {
      onBehalfOf({ purpose: 'shared', party: partyOf(request), span: request.span }, done)
    })
    register(scope)
  })
}
