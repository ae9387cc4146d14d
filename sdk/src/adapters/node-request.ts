import type { SellerAnswer, SellerRequest } from '../seller/options.ts'
import { rememberPayment } from '../seller/paid-requests.ts'
import type { Seller } from '../seller/seller.ts'
import { headersToSet } from './response-headers.ts'

/** The used part of a request of Node, or of a framework on it. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The client's address according to a framework, behind the proxies that it trusts. */
  readonly ip?: string | undefined
  /** Its connection. */
  readonly socket?: NodeSocket | null
}

/** The used part of a response of Node, over HTTP/1 or 2. */
export interface NodeResponse {
  statusCode: number
  readonly destroyed: boolean
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly errored?: Error | null
  /** Present over HTTP/2. */
  readonly stream?: { readonly destroyed: boolean }
  once(event: 'finish' | 'close', listener: () => void): unknown
  getHeader(name: string): number | string | readonly string[] | undefined
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

interface NodeSocket {
  readonly remoteAddress?: string | undefined
  readonly readableEnded: boolean
  readonly errored?: (Error & { readonly code?: string }) | null
  once(event: 'timeout', listener: () => void): unknown
  off(event: 'timeout', listener: () => void): unknown
}

/** @internal `serve`: the handler runs. `gone`: the client has disconnected. Or the 402 response. */
export type Admission = 'serve' | 'gone' | SellerAnswer

/** The status of a paid request that could not be served. */
const NOT_SERVED = 503
const FAILED = 500

/** @internal Whether a request may be served. A paid one is finished automatically when its response ends. */
export async function admit<Request extends NodeRequest>(
  seller: Seller<Request>,
  path: string,
  request: Request,
  response: NodeResponse,
): Promise<Admission> {
  const asked = sellerRequest(path, request)
  const acceptance = await seller.accept(asked, request)
  if (acceptance.kind === 'refused') return acceptance.answer
  if (acceptance.kind === 'free') return 'serve'
  // If the client disconnected or got a response while the payment was checked, the handler does not run.
  if (response.destroyed || response.stream?.destroyed === true || response.headersSent) {
    await acceptance.finish(NOT_SERVED)
    return 'gone'
  }
  rememberPayment(request, acceptance.payment)
  whenAnswered(request, response, status => acceptance.finish(status))
  // A shared cache must not serve a paid response to others; a handler may override this.
  if (response.getHeader('cache-control') === undefined) response.setHeader('Cache-Control', 'private')
  return 'serve'
}

/** @internal Sends a response, unless another one was started meanwhile, for example by a timeout. */
export function sendAnswer(response: NodeResponse, answer: SellerAnswer): void {
  if (response.headersSent) return
  response.statusCode = answer.status
  for (const [name, value] of headersToSet(answer, name => response.getHeader(name))) {
    response.setHeader(name, value)
  }
  response.end(answer.body)
}

function sellerRequest(path: string, { method, headers, ip, socket }: NodeRequest): SellerRequest {
  return {
    method: method ?? 'GET',
    path,
    header: name => headers[name]?.toString() ?? null,
    address: ip ?? socket?.remoteAddress ?? null,
  }
}

const brokenOff = new WeakSet<NodeResponse>()

/** @internal Reports a failure; once a response has started, only a broken connection can report it. */
export function breakOff(response: NodeResponse & { destroy(error: Error): unknown }): void {
  if (!response.headersSent) {
    response.statusCode = FAILED
    response.end('')
  } else if (!response.writableEnded) {
    brokenOff.add(response)
    // Without an error an HTTP/2 stream would end as if it were complete.
    response.destroy(new Error('The response could not be completed'))
  }
}

/** Calls back once with the status with which a response ended. */
function whenAnswered(
  { socket }: NodeRequest,
  response: NodeResponse,
  tell: (status: number) => Promise<void>,
): void {
  // Over HTTP/2 many streams share one connection, so its end says nothing about this response.
  const line = response.stream === undefined && socket ? watch(socket) : null
  let isReported = false
  function end(): void {
    if (isReported) return
    isReported = true
    line?.leave()
    void tell(statusOf(response, line))
  }
  response.once('finish', end)
  response.once('close', end)
}

interface Line {
  readonly socket: NodeSocket
  hasIdled(): boolean
  leave(): void
}

/** A connection, and whether its other end read nothing for longer than the server waits. */
function watch(socket: NodeSocket): Line {
  let hasIdled = false
  const onTimeout = () => {
    hasIdled = true
  }
  socket.once('timeout', onTimeout)
  return { socket, hasIdled: () => hasIdled, leave: () => socket.off('timeout', onTimeout) }
}

/**
 * A payer that disconnects gets no refund: it may have read what it wanted of the response, and the handler has done
 * its work. So such a response counts by its status; one that this side aborted has failed, whatever its status was.
 */
function statusOf(response: NodeResponse, line: Line | null): number {
  if (brokenOff.has(response)) return FAILED
  if (response.writableEnded || isLeftByClient(response, line)) return response.statusCode
  return FAILED
}

function isLeftByClient(response: NodeResponse, line: Line | null): boolean {
  if (line === null) return true
  const { readableEnded, errored: fault = null } = line.socket
  if (readableEnded || line.hasIdled()) return true
  // Data that waits to be sent when this side closes the connection is cancelled.
  return fault !== null && fault !== response.errored && fault.code !== 'ECANCELED'
}
