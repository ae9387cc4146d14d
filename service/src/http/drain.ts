import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/app-error.ts'

/** How a server lets its last requests out. */
export interface Drain {
  /** True from the moment that it was told to close. */
  isClosing(): boolean
  /** Still serves, but tells every client to take its next request elsewhere. */
  sendAway(): void
  /** From now on finishes what was accepted and refuses the rest. */
  refuse(): void
}

/**
 * A client that keeps its connection alive may be sending just when the server closes it, and then cannot know
 * what became of its request. So clients are first sent away with `Connection: close`; what still comes in later
 * is refused with 503: nothing of it was done, so repeating it elsewhere is safe.
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
