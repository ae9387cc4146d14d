import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { LOCALHOST } from './localhost-certificate.ts'

/** What a receiver has heard of a request. */
export interface Heard {
  readonly path: string | undefined
  readonly method: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Receiver {
  readonly port: number
  /** `http://127.0.0.1:…`, or `https://localhost:…` with TLS. */
  readonly origin: string
  readonly heard: readonly Heard[]
  /** How many connections it has been offered. */
  readonly connections: () => number
  /** How many of them stand. */
  readonly open: () => number
}

/** A receiver of webhooks that does as it is told, and else answers 204; it is gone when the test is over. */
export async function startReceiver(
  answer: (response: ServerResponse, request: Heard) => void = response => response.writeHead(204).end(),
  { tls = false } = {},
): Promise<Receiver> {
  const heard: Heard[] = []
  const listen: RequestListener = (request, response) => {
    const { url: path, method, headers } = request
    request.setEncoding('utf8')
    let body = ''
    request.on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const all = { path, method, headers, body }
      heard.push(all)
      answer(response, all)
    })
  }
  const server = tls
    ? createTlsServer({ cert: LOCALHOST.certificate, key: LOCALHOST.key }, listen)
    : createServer(listen)
  const standing = await listening(server)
  return { ...standing, heard, ...(tls ? { origin: `https://localhost:${standing.port}` } : {}) }
}

/** A receiver that talks TCP: what it does with a connection is up to the test. */
export async function startTcpReceiver(onRequest: (socket: Socket) => void): Promise<Receiver> {
  const server = createTcpServer(socket => {
    socket.on('error', () => {})
    socket.on('data', () => onRequest(socket))
  })
  return { ...(await listening(server)), heard: [] }
}

async function listening(server: Server): Promise<Omit<Receiver, 'heard'>> {
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

/** A port of this machine at which nobody listens. */
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
