import { connect } from 'node:net'
import { readAnswer } from './answer-reader.ts'

/** What a connection reports to its driver. */
export interface ConnectionEvents {
  /** One answer; `body` is good only during the call. */
  onAnswer(status: number, milliseconds: number, body: Buffer): void
  onLost(reason: string): void
}

/** A kept-alive HTTP connection with one request under way at a time. */
export interface Connection {
  send(request: Buffer): void
  close(): void
}

const READ_BUFFER_BYTES = 16 * 1024

/** Bytes come straight into one buffer of the connection: no stream, no copy and no object for each answer. */
export function openConnection(port: number, events: ConnectionEvents): Promise<Connection> {
  let sentMs = 0
  let partial: Buffer | undefined
  let closed = false

  function onBytes(length: number, buffer: Buffer): void {
    const fresh = buffer.subarray(0, length)
    const bytes = partial === undefined ? fresh : Buffer.concat([partial, fresh])
    const answer = readAnswer(bytes)
    partial = answer === undefined ? Buffer.from(bytes) : undefined
    if (answer === undefined) return
    events.onAnswer(answer.status, performance.now() - sentMs, bytes.subarray(answer.bodyStart, answer.end))
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
