import type { SellerRequest, SellerResponse } from '../seller/options.ts'
import { rememberPayment } from '../seller/paid-requests.ts'
import type { Seller } from '../seller/seller.ts'
import { holdBack, isBrokenOff, type NodeResponse, setAtHead } from './node-response.ts'

/** The used part of a request of Node, or of a framework on it. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The client's address according to a framework, behind the proxies that it trusts. */
  readonly ip?: string | undefined
  /** Its connection. */
  readonly socket?: NodeSocket | null
}

interface NodeSocket {
  readonly remoteAddress?: string | undefined
  readonly readableEnded: boolean
  readonly errored?: (Error & { readonly code?: string }) | null
  once(event: 'timeout', listener: () => void): unknown
  off(event: 'timeout', listener: () => void): unknown
}

/** @internal `serve`: the handler runs. `gone`: the client has disconnected. Or the 402 response. */
export type Admission = 'serve' | 'gone' | SellerResponse

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
  if (acceptance.kind === 'refused') return acceptance.response
  if (acceptance.kind === 'free') return 'serve'
  // If the client disconnected or got a response while the payment was checked, the handler does not run.
  if (response.destroyed || response.stream?.destroyed === true || response.headersSent) {
    await acceptance.finish(NOT_SERVED)
    return 'gone'
  }
  rememberPayment(request, acceptance.payment)
  if (acceptance.stored === undefined) setAtHead(response, acceptance.head)
  else holdBack(response, acceptance.head, acceptance.stored)
  whenResponded(request, response, status => acceptance.finish(status))
  // A shared cache must not serve a paid response to others; a handler may override this.
  if (response.getHeader('cache-control') === undefined) response.setHeader('Cache-Control', 'private')
  return 'serve'
}

function sellerRequest(path: string, { method, headers, ip, socket }: NodeRequest): SellerRequest {
  return {
    method: method ?? 'GET',
    path,
    header: name => headers[name]?.toString() ?? null,
    address: ip ?? socket?.remoteAddress ?? null,
  }
}

/** Calls back once with the status with which a response ended. */
function whenResponded(
  { socket }: NodeRequest,
  response: NodeResponse,
  report: (status: number) => Promise<void>,
): void {
  // Over HTTP/2 many streams share one connection, so its end says nothing about this response.
  const line = response.stream === undefined && socket ? watch(socket) : null
  let isReported = false
  function end(): void {
    if (isReported) return
    isReported = true
    line?.leave()
    void report(statusOf(response, line))
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
  if (isBrokenOff(response)) return FAILED
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
