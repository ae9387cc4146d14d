import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** A proxy of a TCP port that can be cut as a network is: what is sent does not arrive, and no connection is closed. */
export interface TcpProxy {
  readonly port: number
  cut(): void
  /** Closes the connections that were cut, and passes new ones on. */
  heal(): void
  close(): Promise<void>
}

/** `target`: a port of this machine, or the path of a socket. */
export async function openTcpProxy(target: number | string): Promise<TcpProxy> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let isCut = false

  const server = createServer(client => {
    keep(client)
    if (isCut) return
    const upstream = keep(typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1'))
    client.pipe(upstream).pipe(client)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.once('close', () => {
        // Behind a cut network nobody learns of the end of the other side.
        if (!isCut) other.destroy()
      })
    }
  })
  function keep(socket: Socket): Socket {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket.on('error', () => {})
  }
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    port,
    cut() {
      isCut = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    heal() {
      for (const socket of sockets) socket.destroy()
      isCut = false
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
