import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { LOCALHOST } from './localhost-certificate.ts'

/** What a receiver has requests of a request. */
export interface ReceivedRequest {
  readonly path: string | undefined
  readonly method: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Receiver {
  readonly port: number
  /** `http://127.0.0.1:…`, or `https://localhost:…` with TLS. */
  readonly origin: string
  readonly requests: readonly ReceivedRequest[]
  /** How many connections it has accepted. */
  readonly connections: () => number
  /** How many of them are open. */
  readonly open: () => number
}

/** A receiver of webhooks that responds with 204 unless `respond` says otherwise; it is closed when the test ends. */
export async function startReceiver(
  respond: (response: ServerResponse, request: ReceivedRequest) => void = response =>
    response.writeHead(204).end(),
  { tls = false } = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  const listen: RequestListener = (request, response) => {
    const { url: path, method, headers } = request
    request.setEncoding('utf8')
    let body = ''
    request.on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const all = { path, method, headers, body }
      requests.push(all)
      respond(response, all)
    })
  }
  const server = tls
    ? createTlsServer({ cert: LOCALHOST.certificate, key: LOCALHOST.key }, listen)
    : createServer(listen)
  const opened = await listening(server)
  return { ...opened, requests, ...(tls ? { origin: `https://localhost:${opened.port}` } : {}) }
}

/** A receiver at the level of TCP: the test writes to the socket itself. */
export async function startTcpReceiver(onRequest: (socket: Socket) => void): Promise<Receiver> {
  const server = createTcpServer(socket => {
    socket.on('error', () => {})
    socket.on('data', () => onRequest(socket))
  })
  return { ...(await listening(server)), requests: [] }
}

async function listening(server: Server): Promise<Omit<Receiver, 'requests'>> {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, origin: `http://127.0.0.1:${port}`, connections: () => count, open: () => sockets.size }
}

/** A local port at which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer()
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const { port } = server.address() as AddressInfo
  const closed = Promise.withResolvers<void>()
  server.close(() => closed.resolve())
  await closed.promise
  return port
}
