import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The requests of a flood, which are repeated until it is stopped. */
export interface FloodOrder {
  readonly port: number
  /** Complete HTTP/1.1 requests, each repeated on so many connections. */
  readonly requests: readonly { readonly text: string; readonly connections: number }[]
  /** Pages that are read to their end, each entry on its own connection. */
  readonly pages: readonly {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }[]
  /** Complete requests for streams, each held open on so many connections. */
  readonly streams?: readonly { readonly text: string; readonly connections: number }[]
}

/** The number of responses by status, or by error. */
export interface FloodReport {
  readonly statuses: Readonly<Record<string, number>>
}

export interface Flood {
  stop(): Promise<FloodReport>
}

const OPENED_WITHIN_MS = 30_000
const PROCESS = fileURLToPath(new URL('flood-process.ts', import.meta.url))

/** Starts a flood in a separate process; resolves once its connections are open, or after 30 s. */
export async function startFlood(order: FloodOrder): Promise<Flood> {
  const child = fork(PROCESS)
  child.send(order)
  // A service that is too busy to accept all connections is measured with those that it accepted.
  await Promise.race([once(child, 'message'), delay(OPENED_WITHIN_MS, undefined, { ref: false })])
  return {
    async stop() {
      const ended = once(child, 'exit')
      const reported = new Promise<FloodReport>(resolve => {
        child.on('message', message => {
          if (typeof message === 'object') resolve(message as FloodReport)
        })
      })
      child.send('stop')
      const report = await reported
      await ended
      return report
    },
  }
}

/** The text of one HTTP request. */
export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`
}
