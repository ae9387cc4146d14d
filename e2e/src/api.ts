import type { BodyOf, ErrorCode, ErrorEnvelope, ResponseOf, Route } from '@batua/contract'
import { envelopeFaultOf, faultOf } from './responses.ts'

export type Headers = Readonly<Record<string, string>>

/** One call of a route. Everything is sent unchanged, valid or not. */
export interface Sent {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  readonly headers?: Headers
  /** How long a response is waited for; absent: for ever. */
  readonly patienceMs?: number
}

/** A call with the types of its route. */
export interface CallOf<R extends Route> extends Sent {
  readonly body?: BodyOf<R>
}

export interface Reply {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly text: string
  readonly body: unknown
}

export interface Exchange {
  readonly route: Route
  readonly reply: Reply
}

export type ApiError = ErrorEnvelope['error']

export interface Api {
  readonly address: string
  /** Every call so far, with its response. */
  readonly exchanges: readonly Exchange[]
  send(route: Route, call?: Sent): Promise<Reply>
  /** The response to a call that must succeed, checked against the route's schema. */
  ok<R extends Route>(route: R, call?: CallOf<R>): Promise<ResponseOf<R>>
  /** The error of a call that must be refused with this status and code. */
  refused(route: Route, status: number, code: ErrorCode, call?: Sent): Promise<ApiError>
}

/** What is sent in place of the body of a call. */
export type Bodies = (body: unknown) => unknown

/** A client of a service, made from the contract's routes. */
export function openApi(address: string, bodies: Bodies = body => body): Api {
  const exchanges: Exchange[] = []
  async function send(route: Route, call: Sent = {}): Promise<Reply> {
    const sent = 'body' in call ? { ...call, body: bodies(call.body) } : call
    const reply = await request(address, route.method, pathOf(route, call), sent)
    exchanges.push({ route, reply })
    return reply
  }
  return {
    address,
    exchanges,
    send,
    async ok<R extends Route>(route: R, call: CallOf<R> = {}): Promise<ResponseOf<R>> {
      const reply = await send(route, call)
      const isWaiting = route.waiting !== undefined && reply.status === 200
      if (reply.status !== route.status && !isWaiting) throw unexpected(route, String(route.status), reply)
      const fault = faultOf(route, reply.body, reply.status)
      if (fault !== null) throw new Error(fault)
      return reply.body as ResponseOf<R>
    },
    async refused(route, status, code, call) {
      const reply = await send(route, call)
      if (reply.status !== status) throw unexpected(route, `${status} ${code}`, reply)
      const error = errorOf(reply)
      if (error.code !== code) throw unexpected(route, `${status} ${code}`, reply)
      return error
    },
  }
}

function unexpected(route: Route, wanted: string, reply: Reply): Error {
  return new Error(`${route.operationId}: expected ${wanted}, got ${reply.status} ${reply.text}`)
}

/** The path of a call, with its parameters and query encoded. */
export function pathOf(route: Route, { params = {}, query = {} }: Sent): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(params[name] ?? `no-${name}`),
  )
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

/** Sends one request. A body that is bytes or text is sent unchanged; anything else is sent as JSON. */
export async function request(
  address: string,
  method: string,
  path: string,
  call: Sent = {},
): Promise<Reply> {
  const { body } = call
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const type: Headers = body === undefined || isRaw ? {} : { 'content-type': 'application/json' }
  const bytes = isRaw ? Buffer.from(body) : body === undefined ? null : Buffer.from(JSON.stringify(body))
  const { patienceMs } = call
  const response = await fetch(address + path, {
    method,
    headers: { ...type, ...call.headers },
    body: bytes,
    signal: patienceMs === undefined ? null : AbortSignal.timeout(patienceMs),
  })
  const { status, headers } = response
  if (headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel()
    return { status, headers, text: '', body: '' }
  }
  const text = await response.text()
  return { status, headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error in a response, which must have the envelope of every error (contract section 1, Errors). */
export function errorOf(reply: Reply): ApiError {
  const fault = envelopeFaultOf(reply.body)
  if (fault !== null)
    throw new Error(`${reply.status} without the envelope: ${fault} (${reply.text.slice(0, 500)})`)
  const { error } = reply.body as ErrorEnvelope
  if (reply.headers.get('x-request-id') !== error.request_id)
    throw new Error(`x-request-id differs: ${reply.text}`)
  return error
}
