import { connect } from 'node:net'
import { readResponse } from './response-reader.ts'

/** The events of a connection. */
export interface ConnectionEvents {
  /** One response; `body` is valid only during the call. */
  onResponse(status: number, milliseconds: number, body: Buffer): void
  onLost(reason: string): void
}

/** A kept-alive HTTP connection with one request in progress at a time. */
export interface Connection {
  send(request: Buffer): void
  close(): void
}

const READ_BUFFER_BYTES = 16 * 1024

/** Bytes are read directly into one buffer of the connection: no stream, no copy and no object for each response. */
export function openConnection(port: number, events: ConnectionEvents): Promise<Connection> {
  let sentMs = 0
  let partial: Buffer | undefined
  let closed = false

  function onBytes(length: number, buffer: Buffer): void {
    const fresh = buffer.subarray(0, length)
    const bytes = partial === undefined ? fresh : Buffer.concat([partial, fresh])
    const response = readResponse(bytes)
    partial = response === undefined ? Buffer.from(bytes) : undefined
    if (response === undefined) return
    events.onResponse(
      response.status,
      performance.now() - sentMs,
      bytes.subarray(response.bodyStart, response.end),
    )
  }
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
      callback(length, buffer) {
        onBytes(length, buffer as Buffer)
        return true
      },
    },
  })
  const lose = (reason: string) => {
    if (!closed) events.onLost(reason)
    closed = true
  }
  socket.on('error', error => lose(error.message))
  socket.on('close', () => lose('the service closed the connection'))
  const connection: Connection = {
    send(request) {
      sentMs = performance.now()
      socket.write(request)
    },
    close() {
      closed = true
      socket.destroy()
    },
  }
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(connection))
    socket.once('error', reject)
  })
}
