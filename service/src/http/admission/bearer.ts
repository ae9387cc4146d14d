import type { IncomingHttpHeaders } from 'node:http'
import { SECRET_PREFIXES } from '@batua/contract'
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { AppError } from '../../kernel/app-error.ts'
import type { Authenticators } from '../caller.ts'
import type { RateLimits } from './rate-limit.ts'
import { isOwnOrigin } from './same-origin.ts'

export interface BearerOptions {
  readonly authenticators: Pick<Authenticators, 'agent' | 'app'>
  readonly rateLimits: RateLimits
  readonly baseUrl: string
}

/** The credential of `Authorization: Bearer`; undefined: there is none. */
export function bearerOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return BEARER.exec(authorization)?.[1]
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i

/**
 * Admits a request by `Authorization: Bearer` and the key of an agent or the token of a connected app, for `/mcp`: no other
 * credential counts there
 * (contract section 12, MCP). A request from a page of another origin is refused whatever it sends, because a page could
 * otherwise reach a server on the machine of the person who reads it (MCP, Streamable HTTP). Each request counts on the
 * agent's budget, and one without a valid key on that of its address.
 */
export function bearerHook({
  authenticators,
  rateLimits,
  baseUrl,
}: BearerOptions): onRequestAsyncHookHandler {
  const base = new URL(baseUrl)
  const challenge = `Bearer resource_metadata="${base.origin}/.well-known/oauth-protected-resource/mcp"`
  const { app } = authenticators
  const callerOf = (request: FastifyRequest, key: string) => {
    const isToken = app !== undefined && !key.startsWith(SECRET_PREFIXES.agentKey)
    return rateLimits.credentials.lookUp(request, 'agent', key, () =>
      isToken ? app(key) : authenticators.agent(key),
    )
  }
  return async (request, reply) => {
    const { origin, host } = request.headers
    if (origin !== undefined && !isOwnOrigin(origin, base, host)) {
      throw new AppError('authorization_error', 'Pages of other sites cannot use this address')
    }
    const key = bearerOf(request.headers)
    const found = key === undefined ? null : await callerOf(request, key)
    request.caller = found
    await rateLimits.count(request, reply)
    if (found !== null) return
    const message = 'Send the key of an agent or the token of a connected app: Authorization: Bearer …'
    throw new AppError('authentication_error', message, { headers: { 'www-authenticate': challenge } })
  }
}
