import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/app-error.ts'

/** How a server closes without losing requests. */
export interface Drain {
  /** True from the start of the close. */
  isClosing(): boolean
  /** Still serves, but sends `Connection: close` with every response. */
  sendAway(): void
  /** Finishes accepted requests and refuses later ones. */
  refuse(): void
}

/**
 * A client with a kept-alive connection may send a request just when the server closes it, and would not know its
 * outcome. So clients first get `Connection: close`. A later request is refused with 503: nothing was done, so it is safe
 * to repeat it elsewhere.
 */
export function addDrain(fastify: FastifyInstance): Drain {
  let state: 'serving' | 'sending away' | 'refusing' = 'serving'
  fastify.addHook('onRequest', (_request, _reply, done) => {
    if (state === 'refusing') done(shuttingDown())
    else done()
  })
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (state !== 'serving') reply.header('connection', 'close')
    done()
  })
  return {
    isClosing: () => state !== 'serving',
    sendAway: () => {
      if (state === 'serving') state = 'sending away'
    },
    refuse: () => {
      state = 'refusing'
    },
  }
}

function shuttingDown(): AppError {
  const message = 'This server is shutting down; repeat the request'
  return new AppError('service_unavailable', message, { headers: { 'retry-after': '1' } })
}
