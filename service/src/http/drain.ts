import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/app-error.ts'

/** Whether the server is letting its last requests out. */
export interface Drain {
  isOpen(): boolean
  open(): void
}

/**
 * Once open, what was accepted is finished with `Connection: close`, and what still comes in over a connection that was
 * kept alive is refused with 503: nothing of it was done, so repeating it elsewhere is safe.
 */
export function addDrain(fastify: FastifyInstance): Drain {
  let isOpen = false
  fastify.addHook('onRequest', (_request, _reply, done) => {
    if (isOpen) done(shuttingDown())
    else done()
  })
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (isOpen) reply.header('connection', 'close')
    done()
  })
  return {
    isOpen: () => isOpen,
    open: () => {
      isOpen = true
    },
  }
}

function shuttingDown(): AppError {
  const message = 'This server is shutting down; repeat the request'
  return new AppError('service_unavailable', message, { headers: { 'retry-after': '1' } })
}
