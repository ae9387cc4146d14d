import type { Accepted, SellerResponse } from '../seller/options.ts'
import type { documentResponse } from '../seller/pay-document.ts'
import { headersToSet, isOfOthers } from './response-headers.ts'

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

const FAILED = 500

/** @internal Sends the document of a shop. */
export function sendDocument(response: NodeResponse, shop: ReturnType<typeof documentResponse>): void {
  response.statusCode = shop.status
  for (const [name, value] of Object.entries(shop.headers)) response.setHeader(name, value)
  response.end(shop.body)
}

/** @internal Sends a response, unless another one was started meanwhile, for example by a timeout. */
export function sendResponse(response: NodeResponse, reply: SellerResponse): void {
  if (response.headersSent) return
  response.statusCode = reply.status
  setHeaders(response, reply.headers)
  response.end(reply.body)
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

/** @internal */
export function isBrokenOff(response: NodeResponse): boolean {
  return brokenOff.has(response)
}

type Method = (...given: unknown[]) => unknown

/** What sends something of a response. */
const METHODS = ['writeHead', 'write', 'end', 'flushHeaders'] as const

type Sender = NodeResponse & { [name in (typeof METHODS)[number]]: Method } & {
  readonly writableNeedDrain?: boolean
  emit(event: 'drain'): unknown
  getHeaderNames(): readonly string[]
  removeHeader(name: string): void
  destroy(error: Error): unknown
}

/** @internal Sets the headers of a response when its head is written, because they depend on its status. */
export function setAtHead(
  response: NodeResponse,
  headOf: (status: number) => Readonly<Record<string, string>>,
): void {
  const sender = response as Sender
  const { writeHead } = sender
  sender.writeHead = (status, ...rest) => {
    sender.writeHead = writeHead
    setHeaders(response, headOf(Number(status)))
    return writeHead.call(sender, status, ...rest)
  }
}

/** @internal Sets headers; those that are lists keep what other middleware has set. */
export function setHeaders(response: NodeResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of headersToSet({ headers }, each => response.getHeader(each))) {
    response.setHeader(name, value)
  }
}

/**
 * @internal Sends nothing of a response until its price is stored; the response that `stored` returns is sent in its
 * place. The handler writes as usual: meanwhile the response looks as if it were being sent, and asks for no more data.
 */
export function holdBack(
  response: NodeResponse,
  head: Accepted['head'],
  stored: () => Promise<SellerResponse | null>,
): void {
  const sender = response as Sender
  const held: { readonly send: Method; readonly given: unknown[] }[] = []
  let state: 'new' | 'held' | 'sent' | 'dropped' = 'new'
  let hasEnded = false

  async function sendLater(status: number): Promise<void> {
    head(status)
    const reply = await stored()
    for (const name of ['headersSent', 'writableEnded']) Reflect.deleteProperty(response, name)
    state = 'sent'
    if (response.destroyed || response.stream?.destroyed === true) drop()
    else if (reply === null) sendHeld(status)
    else {
      for (const name of sender.getHeaderNames()) if (!isOfOthers(name)) sender.removeHeader(name)
      sendResponse(response, reply)
      drop()
    }
  }

  function sendHeld(status: number): void {
    response.statusCode = status
    // Once more: other calls may have been counted meanwhile.
    setHeaders(response, head(status))
    for (const { send, given } of held) send.apply(response, given)
    if (!hasEnded && sender.writableNeedDrain !== true) sender.emit('drain')
  }

  /** Nothing more is sent; those who wait for it continue. */
  function drop(): void {
    state = 'dropped'
    for (const { given } of held) given.forEach(each => void (typeof each === 'function' && each()))
  }

  for (const method of METHODS) {
    const send = sender[method]
    sender[method] = (...given) => {
      if (state === 'sent') return send.apply(response, given)
      const status = method === 'writeHead' ? Number(given[0]) : response.statusCode
      if (state !== 'dropped') held.push({ send, given })
      if (method === 'end') hasEnded = true
      if (state === 'new') {
        state = 'held'
        response.statusCode = status
        Object.defineProperties(response, {
          headersSent: { configurable: true, get: () => true },
          writableEnded: { configurable: true, get: () => hasEnded },
        })
        // The handler gets no error for a body that it should not have written.
        sendLater(status).catch(() => breakOff(sender))
      }
      return method === 'write' ? state === 'dropped' : response
    }
  }
}
