import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { freePort } from './free-port.ts'

/** The state of the connection to a service: `open`; `closed`, nothing listens; `slow`, nothing responds; `deaf`, the
 * service gets and executes all requests, and its responses are lost; or something else responds in its place.
 */
export type ProxyState = 'open' | 'closed' | 'slow' | 'deaf' | FakeResponse

export interface FakeResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** The response of a service that is away. */
export const AWAY: FakeResponse = {
  status: 503,
  body: '{"error":{"code":"service_unavailable","message":"Away"}}',
}

/** A proxy of a service at one address, whose state can be changed. */
export interface ServiceProxy {
  readonly address: string
  /** How often a path was asked for while the proxy was open. */
  asked(path: string): number
  become(state: ProxyState): Promise<void>
  close(): Promise<void>
}

export async function openServiceProxy(service: string): Promise<ServiceProxy> {
  const port = await freePort()
  let state: ProxyState = 'open'
  const asked = new Map<string, number>()
  const server = createServer((request, response) => {
    const { url = '/' } = request
    if (state === 'open') asked.set(url, (asked.get(url) ?? 0) + 1)
    respond(service, state, request, response).catch(() => response.destroy())
  })
  await listen(server, port)
  return {
    address: `http://127.0.0.1:${port}`,
    asked: path => asked.get(path) ?? 0,
    async become(next) {
      if (next === 'closed') await close(server)
      else if (state === 'closed') await listen(server, port)
      state = next
    },
    close: () => close(server),
  }
}

async function respond(
  service: string,
  state: ProxyState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (state === 'slow' || state === 'closed') return
  if (typeof state === 'object') {
    response.writeHead(state.status, { 'content-type': 'application/json', ...state.headers }).end(state.body)
    return
  }
  const { 'x-agent-key': key, 'content-type': type } = request.headers
  const sent = await text(request)
  const reply = await fetch(service + (request.url ?? '/'), {
    method: request.method ?? 'GET',
    headers: { 'x-agent-key': String(key), ...(type === undefined ? {} : { 'content-type': type }) },
    ...(sent === '' ? {} : { body: sent }),
  })
  const body = await reply.text()
  if (state === 'open') response.writeHead(reply.status, { 'content-type': 'application/json' }).end(body)
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve())
  })
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()).closeAllConnections())
}
