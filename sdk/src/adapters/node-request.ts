import type { SellerAnswer, SellerRequest } from '../seller/options.ts'
import { rememberPayment } from '../seller/paid-requests.ts'
import type { Seller } from '../seller/seller.ts'
import { headersToSet } from './answer-headers.ts'

/** What is used of a request of Node's, or of a framework upon it. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** What is used of a response of Node's, over HTTP/1 or 2. */
export interface NodeResponse {
  statusCode: number
  readonly destroyed: boolean
  readonly writableEnded: boolean
  readonly errored?: Error | null
  readonly socket: NodeSocket | null
  /** There is one over HTTP/2. */
  readonly stream?: { readonly destroyed: boolean }
  once(event: 'finish' | 'close', listener: () => void): unknown
  getHeader(name: string): number | string | readonly string[] | undefined
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

interface NodeSocket {
  readonly readableEnded: boolean
  readonly errored?: Error | null
}

/** `serve`: the handler is to run. `gone`: nobody waits for an answer any more. Or the answer that asks for money. */
export type Admission = 'serve' | 'gone' | SellerAnswer

/** The status of a request that was paid for and could not be served. */
const NOT_SERVED = 503
const FAILED = 500

/** Whether a request may be served. One that was paid for is finished by itself when its response ends. */
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
  // Who hung up while the payment was looked at got nothing and sees nothing of what the handler would do.
  if (response.destroyed || response.stream?.destroyed === true) {
    await acceptance.finish(NOT_SERVED)
    return 'gone'
  }
  rememberPayment(request, acceptance.payment)
  whenAnswered(response, status => acceptance.finish(status))
  // A shared cache must not hand to others what one has paid for; a handler may say otherwise.
  if (response.getHeader('cache-control') === undefined) response.setHeader('Cache-Control', 'private')
  return 'serve'
}

export function sendAnswer(response: NodeResponse, answer: SellerAnswer): void {
  response.statusCode = answer.status
  for (const [name, value] of headersToSet(answer, name => response.getHeader(name))) {
    response.setHeader(name, value)
  }
  response.end(answer.body)
}

function sellerRequest(path: string, { method, headers }: NodeRequest): SellerRequest {
  return {
    method: method ?? 'GET',
    path,
    header: name => headers[name]?.toString() ?? null,
  }
}

/** Tells once with which status a response ended, whichever way it did. */
function whenAnswered(response: NodeResponse, tell: (status: number) => Promise<void>): void {
  // Over HTTP/2 many share one line, so that its end says nothing of this response.
  const socket = response.stream === undefined ? response.socket : null
  let isTold = false
  function end(): void {
    if (isTold) return
    isTold = true
    void tell(statusOf(response, socket))
  }
  response.once('finish', end)
  response.once('close', end)
}

/**
 * A payer that hangs up does not get its money back: it has seen what it wanted of the answer, and the handler has done
 * its work. So such an answer counts by its status; one that this side broke off has failed, whatever its status was.
 */
function statusOf(response: NodeResponse, socket: NodeSocket | null): number {
  if (response.writableEnded || isLeftByClient(response, socket)) return response.statusCode
  return FAILED
}

function isLeftByClient(response: NodeResponse, socket: NodeSocket | null): boolean {
  if (socket === null) return true
  const fault = socket.errored ?? null
  return socket.readableEnded || (fault !== null && fault !== response.errored)
}
