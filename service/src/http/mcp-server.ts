import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import {
  type ActingRequest,
  createWalletServer,
  MAX_PAGE_BYTES,
  memoryPins,
  type Pins,
  ToolRefusal,
  type Wallet,
} from '@batua/mcp'
import { openGuardedFetch } from '@batua/outgoing'
import { createClient } from '@batua/sdk'
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DatabaseBusy, DatabaseUnavailable } from '../db/errors.ts'
import { AppError } from '../kernel/app-error.ts'
import { assert } from '../kernel/assert.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import type { Logger } from '../kernel/logger.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { AppCalls, CallingApp } from './admission/app-calls.ts'
import { bearerOf } from './admission/bearer.ts'
import type { ActingApp, AgentCaller, AppIdentity } from './caller.ts'

export interface McpOptions {
  readonly mode: 'sandbox' | 'live'
  readonly logger: Logger
  readonly serviceName: string
  readonly version: string
  readonly appCalls: AppCalls
  readonly vault: Vault
  /** Counts the calls of apps; null: it was counted without a query. */
  readonly toolCalls: { note(app: CallingApp, tool: string): Promise<void> | null }
  /** Records a request that a tool is about to send to a page, if it may act. */
  readonly requestPage: (
    asked: ActingRequest & { readonly agentId: Uuid; readonly app: AppIdentity | null },
  ) => Promise<unknown>
}

/** The MCP server of an agent's wallet. */
export interface McpServer {
  respond(request: FastifyRequest, reply: FastifyReply): Promise<Response>
  /** Aborts what is in progress. */
  close(): Promise<void>
}

/** `fetch` needs an absolute address; nothing is ever connected to this one. */
const HERE = 'http://localhost'

/**
 * Its tools call the routes of `fastify` as the agent would over HTTP, so limits, checks, idempotency and audit are the
 * same. Whatever a tool waits for is a response of these routes or of a page, so a call lasts no longer than these.
 */
export function openMcpServer(fastify: FastifyInstance, options: McpOptions): McpServer {
  const { mode, logger, serviceName, version, appCalls, vault, requestPage } = options
  const pages = openGuardedFetch({ mode, maxBodyBytes: MAX_PAGE_BYTES })
  const pins = memoryPins()
  const onFault = (error: unknown) => logger.error({ err: error }, 'a call of a tool failed')
  const handler = createMcpHandler(
    ({ authInfo }) => {
      assert(authInfo !== undefined, 'a request is admitted before it is served')
      const caller = callerIn(authInfo)
      const wallet = walletOf(fastify, authInfo, {
        pins,
        fetch: pages.fetch,
        allowHttp: mode === 'sandbox',
        voucherSecret: voucherSecretOf(vault, caller.app),
        beforeActing: asked =>
          orRefusal(requestPage({ agentId: caller.agentId, app: caller.app ?? null, ...asked })),
      })
      const common = { wallet, name: serviceName, version, onFault }
      return createWalletServer({ ...common, ...ofApp(caller, options) })
    },
    // Nothing here changes, so there is nothing to subscribe to.
    { maxSubscriptions: 0, onerror: error => logger.debug({ reason: error.message }, 'mcp request refused') },
  )
  return {
    respond: (request, reply) =>
      handler.fetch(webRequest(request, reply), {
        parsedBody: request.body,
        authInfo: authOf(request, reply, appCalls),
      }),
    async close() {
      await handler.close()
      await pages.close()
    },
  }
}

/**
 * What the wallet's server learns of the request: the key with which it calls the routes, the agent, and the address that
 * sent it. A call of an app has a key of its own, which ends with the response.
 */
function authOf(request: FastifyRequest, reply: FastifyReply, appCalls: AppCalls): AuthInfo {
  const { caller, headers } = request
  const token = bearerOf(headers)
  assert(caller?.kind === 'agent' && token !== undefined, 'only agents are admitted here, by their key')
  const clientId = formatId('agt', caller.agentId)
  const extra: Extra = { address: request.ip, caller }
  if (caller.app === undefined) return { token, clientId, scopes: [], extra: { ...extra } }
  const { id, scopes } = caller.app
  const { key, end } = appCalls.open({ agentId: caller.agentId, id })
  reply.raw.once('close', end)
  return { token: key, clientId, scopes: [...scopes], extra: { ...extra } }
}

interface Extra {
  readonly address: string
  readonly caller: AgentCaller
}

function callerIn({ extra }: AuthInfo): AgentCaller {
  const { caller }: Partial<Extra> = { ...extra }
  assert(caller !== undefined, 'the caller of an admitted request is known')
  return caller
}

/** Made of the master key for an app, whose calls have no key that lasts, and of the agent’s key for the agent itself. */
function voucherSecretOf(vault: Vault, app: ActingApp | undefined): string | null {
  return app === undefined ? null : vault.blindIndex(app.id, 'vouchers of an app').toString('base64url')
}

/** What an app may do, and the count of what it does; nothing if the agent itself calls. */
function ofApp({ agentId, app }: AgentCaller, { toolCalls }: McpOptions) {
  if (app === undefined) return {}
  const { id, scopes } = app
  return {
    scopes,
    beforeCall(name: string) {
      const stored = toolCalls.note({ agentId, id }, name)
      return stored && orRefusal(stored)
    },
  }
}

/** What this process refuses, or could not store, as the tool’s refusal. */
async function orRefusal(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (error instanceof AppError) throw new ToolRefusal({ code: error.code, message: error.message })
    if (!(error instanceof DatabaseUnavailable || error instanceof DatabaseBusy)) throw error
    const message = 'The service cannot store that this was called; repeat the call'
    throw new ToolRefusal({ code: 'service_unavailable', message })
  }
}

function walletOf(
  fastify: FastifyInstance,
  { token, clientId, extra }: AuthInfo,
  outside: Omit<Wallet, 'client' | 'agentId'>,
): Wallet {
  return {
    ...outside,
    pins: pinsOf(clientId, outside.pins),
    // A model decides itself whether it waits: `retry_at` says until when.
    client: createClient({
      baseUrl: HERE,
      agentKey: token,
      maxRetries: 0,
      fetch: fetchHere(fastify, String(extra?.['address'])),
    }),
    agentId: async () => clientId,
  }
}

function pinsOf(agentId: string, pins: Pins): Pins {
  return {
    payeeOf: host => pins.payeeOf(`${agentId} ${host}`),
    pin: (host, payeeId) => pins.pin(`${agentId} ${host}`, payeeId),
  }
}

/** A `fetch` of this server's own routes, without a connection. */
function fetchHere(fastify: FastifyInstance, remoteAddress: string): typeof fetch {
  return async (input, init = {}) => {
    assert(typeof input === 'string', 'the client names its addresses as text')
    const { pathname, search } = new URL(input)
    const { statusCode, headers, rawPayload } = await fastify.inject({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: pathname + search,
      headers: Object.fromEntries(new Headers(init.headers)),
      remoteAddress,
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
    })
    return new Response(new Uint8Array(rawPayload), { status: statusCode, headers: webHeaders(headers) })
  }
}

function webRequest({ headers }: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return new Request(`${HERE}/mcp`, { method: 'POST', headers: webHeaders(headers), signal: gone.signal })
}

function webHeaders(headers: IncomingHttpHeaders | OutgoingHttpHeaders): Headers {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map(one => [name, String(one)] as [string, string]),
  )
  return new Headers(list)
}
