import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, errorOf } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { rateLimitExceeded } from '../../kernel/rate-limit-exceeded.ts'
import type { Caller } from '../caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The credential on which this request in flight is counted. */
    inFlightOf: Uuid | null
    /** Its handler runs. */
    isHandled: boolean
  }
}

/** Counts the requests in flight of each credential on this node. */
export interface InFlight {
  /** Counts one request until it ends; throws `rate_limit_exceeded` when its caller has too many already. */
  enter(request: FastifyRequest, reply: FastifyReply, caller: Caller): void
}

const RETRY_AFTER_MS = 1_000

/**
 * A request counts until its response was sent or its connection closed, and its handler ended. So a client that
 * disconnects gets no further place while its work goes on. `max` 0 is no limit. Callers without a credential are bounded
 * by their share of the database and by the rate limit of their address.
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
  // Responses and errors pass here, also when the client has disconnected.
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
      // The client disconnected while its credential was looked up.
      if (isGone(request, reply)) release(request)
    },
  }
}

function isGone(request: FastifyRequest, reply: FastifyReply): boolean {
  return reply.raw.destroyed || request.raw.socket.destroyed
}

/** Calls back when the response was sent or the client disconnected. */
function whenGone(request: FastifyRequest, reply: FastifyReply, gone: () => void): void {
  reply.raw.once('close', gone)
  if (reply.raw.socket !== null) return
  // For a pipelined request whose response waits for earlier ones, only the connection reports its end.
  const { socket } = request.raw
  socket.setMaxListeners(0).once('close', gone)
  reply.raw.once('close', () => socket.off('close', gone))
}

/** The id behind a credential; ids of different kinds differ. */
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
  const message = `This credential has ${max} requests in flight, as many as it may; wait for a response first`
  return errorOf(rateLimitExceeded(message, max, RETRY_AFTER_MS))
}
