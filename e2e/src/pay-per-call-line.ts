import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { freePort } from './free-port.ts'

/**
 * How the line to a service is: `open`; `closed`, nobody listens; `slow`, nothing is answered; `deaf`, the service hears
 * and does all, and its answers are lost; or something else answers in its place.
 */
export type LineState = 'open' | 'closed' | 'slow' | 'deaf' | StandInAnswer

export interface StandInAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** A line to a service that can be made bad, at one address. */
export interface ServiceLine {
  readonly address: string
  become(state: LineState): Promise<void>
  close(): Promise<void>
}

export async function openServiceLine(service: string): Promise<ServiceLine> {
  const port = await freePort()
  let state: LineState = 'open'
  const server = createServer((request, response) => {
    answer(service, state, request, response).catch(() => response.destroy())
  })
  await listen(server, port)
  return {
    address: `http://127.0.0.1:${port}`,
    async become(next) {
      if (next === 'closed') await close(server)
      else if (state === 'closed') await listen(server, port)
      state = next
    },
    close: () => close(server),
  }
}

async function answer(
  service: string,
  state: LineState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (state === 'slow' || state === 'closed') return
  if (typeof state === 'object') {
    response.writeHead(state.status, { 'content-type': 'application/json', ...state.headers }).end(state.body)
    return
  }
  const heard = await fetch(service + (request.url ?? '/'), {
    method: request.method ?? 'GET',
    headers: { 'x-agent-key': String(request.headers['x-agent-key']) },
  })
  const body = await heard.text()
  if (state === 'open') response.writeHead(heard.status, { 'content-type': 'application/json' }).end(body)
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve())
  })
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()).closeAllConnections())
}
