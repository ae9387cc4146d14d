import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, errorOf } from '../kernel/app-error.ts'
import type { Uuid } from '../kernel/ids.ts'
import { rateLimitExceeded } from '../kernel/rate-limit-exceeded.ts'
import type { Caller } from './caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The credential in whose count of requests in flight this one stands. */
    inFlightOf: Uuid | null
    /** Its handler has begun and has not given its answer yet. */
    isHandled: boolean
  }
}

/** Counts the requests of each credential that this node has begun to serve and not finished. */
export interface InFlight {
  /** Counts one request until it ends; throws `rate_limit_exceeded` when its caller has too many already. */
  enter(request: FastifyRequest, reply: FastifyReply, caller: Caller): void
}

const RETRY_AFTER_MS = 1_000

/**
 * A request counts until its connection has taken the answer or is gone, and its handler is done: who hangs up does not
 * get another place while the work that it asked for goes on. `max` 0 is no limit. Whoever has no credential is bounded
 * by its share of the database and by the rate limit of its address.
 */
export function addInFlight(fastify: FastifyInstance, max: number): InFlight {
  fastify.decorateRequest('inFlightOf', null)
  fastify.decorateRequest('isHandled', false)
  if (max === 0) return { enter: () => {} }
  const counts = new Map<Uuid, number>()

  function release(request: FastifyRequest): void {
    const credential = request.inFlightOf
    if (credential === null) return
    request.inFlightOf = null
    const left = (counts.get(credential) ?? 0) - 1
    if (left > 0) counts.set(credential, left)
    else counts.delete(credential)
  }

  fastify.addHook('preHandler', (request, _reply, done) => {
    request.isHandled = true
    done()
  })
  // Answers and errors pass here, also when nobody is left to read them.
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    request.isHandled = false
    if (isGone(request, reply)) release(request)
    done()
  })
  return {
    enter(request, reply, caller) {
      const credential = credentialOf(caller)
      if (credential === null) return
      const count = counts.get(credential) ?? 0
      if (count >= max) throw tooMany(max)
      counts.set(credential, count + 1)
      request.inFlightOf = credential
      whenGone(request, reply, () => {
        if (!request.isHandled) release(request)
      })
      // It hung up while its credential was looked up.
      if (isGone(request, reply)) release(request)
    },
  }
}

function isGone(request: FastifyRequest, reply: FastifyReply): boolean {
  return reply.raw.destroyed || request.raw.socket.destroyed
}

/** Tells when the answer was taken or nobody is left to take it. */
function whenGone(request: FastifyRequest, reply: FastifyReply, gone: () => void): void {
  reply.raw.once('close', gone)
  if (reply.raw.socket !== null) return
  // Of a pipelined request whose answer waits behind others, only the connection tells when it ends.
  const { socket } = request.raw
  socket.setMaxListeners(0).once('close', gone)
  reply.raw.once('close', () => socket.off('close', gone))
}

/** The id that a credential stands for; ids of all kinds differ. */
function credentialOf(caller: Caller): Uuid | null {
  switch (caller.kind) {
    case 'agent':
      return caller.agentId
    case 'platform':
      return caller.platformId
    case 'owner':
    case 'admin':
      return caller.sessionId
    case 'public':
      return null
  }
}

function tooMany(max: number): AppError {
  const message = `This credential has ${max} requests in flight, as many as it may; wait for an answer first`
  return errorOf(rateLimitExceeded(message, max, RETRY_AFTER_MS))
}
