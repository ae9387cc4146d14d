import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

/** Servers of a test on this machine. */
export interface LocalServers {
  /** Its address. */
  serve(handle: Handle): Promise<string>
  /** A service in front of which something happens to payments: each is executed, then `then` decides. */
  inFrontOf(service: string, then: (response: ServerResponse, reply: Response) => unknown): Promise<string>
  close(): void
}

export function openLocalServers(): LocalServers {
  const servers: Server[] = []
  const serve = async (handle: Handle) => {
    const server = createServer(handle)
    servers.push(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  return {
    serve,
    inFrontOf: (service, then) =>
      serve(async (request, response) => {
        const body = await buffer(request)
        const { host: _host, connection: _hop, 'content-length': _length, ...headers } = request.headers
        const reply = await fetch(service + (request.url ?? ''), {
          method: request.method ?? 'GET',
          headers: headers as Record<string, string>,
          body: body.length === 0 ? null : body,
        })
        if (request.url?.endsWith('/pay')) then(response, reply)
        else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text())
      }),
    close() {
      for (const server of servers.splice(0)) server.close().closeAllConnections()
    },
  }
}
