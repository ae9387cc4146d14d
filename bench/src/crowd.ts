import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** What a crowd does until it is stopped. */
export interface CrowdOrder {
  readonly port: number
  /** Whole requests over HTTP/1.1, each kept under way on so many connections. */
  readonly requests: readonly { readonly text: string; readonly connections: number }[]
  /** Pages that are read to their end, each entry on a connection of its own. */
  readonly pages: readonly {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }[]
}

/** How often the crowd was answered with which status, or with none. */
export interface CrowdReport {
  readonly statuses: Readonly<Record<string, number>>
}

export interface Crowd {
  stop(): Promise<CrowdReport>
}

const OPENED_WITHIN_MS = 15_000
const PROCESS = fileURLToPath(new URL('crowd-process.ts', import.meta.url))

/** Starts a crowd in a process of its own; resolves once its connections stand, or after 15 s. */
export async function startCrowd(order: CrowdOrder): Promise<Crowd> {
  const child = fork(PROCESS)
  child.send(order)
  // A service that is too busy to take all connections is measured with those that it took.
  await Promise.race([once(child, 'message'), delay(OPENED_WITHIN_MS, undefined, { ref: false })])
  return {
    async stop() {
      const ended = once(child, 'exit')
      const answered = new Promise<CrowdReport>(resolve => {
        child.on('message', message => {
          if (typeof message === 'object') resolve(message as CrowdReport)
        })
      })
      child.send('stop')
      const report = await answered
      await ended
      return report
    },
  }
}

/** One request as its bytes are. */
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
