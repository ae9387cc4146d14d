import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { addressOf } from './pay-per-call-shop.ts'

/** A proxy of a server that can stop a process: each request and each response passes it. */
export interface Proxy {
  readonly address: string
  close(): Promise<void>
}

/** Called before a request is passed on, and before its response is returned. `drop`: the client is gone, and its
 * request is dropped; `go on alone`: the client is gone, and its request is passed on.
 */
export type Watch = (request: IncomingMessage, passing: 'before' | 'after') => Promise<Decision>
export type Decision = 'go on' | 'go on alone' | 'drop'

export async function openProxy(target: string, watch: Watch): Promise<Proxy> {
  const server = createServer((request, response) => {
    pass(target, watch, request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: addressOf(server),
    close: () => new Promise(resolve => server.close(() => resolve()).closeAllConnections()),
  }
}

async function pass(
  target: string,
  watch: Watch,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A killed client closes its connection, and the server behind the proxy sees this as it would without one.
  const hungUp = new AbortController()
  response.once('close', () => hungUp.abort())
  const body = await textOf(request)
  const decision = await watch(request, 'before')
  if (decision === 'drop') return
  const reply = await fetch(target + request.url, {
    method: request.method ?? 'GET',
    headers: headersOf(request),
    body: body === '' ? null : body,
    signal: decision === 'go on alone' ? null : hungUp.signal,
  })
  const text = await reply.text()
  if ((await watch(request, 'after')) === 'drop') return
  response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(text)
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

const OF_THE_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding']

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers(request.headers as Record<string, string>)
  for (const name of OF_THE_CONNECTION) headers.delete(name)
  return headers
}
