import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Verification, verifyWebhook } from './verify-webhook.ts'

/** One POST request. */
export interface Arrival {
  /** The body as received; it may be unverified, and then contain anything. */
  readonly text: string
  readonly verification: Verification
  /** A genuine webhook with this id came before, so it must not be handled again. */
  readonly isAgain: boolean
}

export interface ReceiverOptions {
  /** 0: a free port. */
  readonly port: number
  readonly secrets: readonly string[]
  /** The status for a genuine webhook; 204 unless a failing receiver is simulated. */
  readonly status?: number
  /** The delay before its response. */
  readonly delayMs?: number
  readonly onArrival: (arrival: Arrival) => void
  /** A genuine webhook has got its response. */
  readonly onResponse?: () => void
}

export interface Receiver {
  readonly address: string
  close(): void
}

const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 1024 * 1024
/** The number of remembered ids. A real receiver keeps them in its database, as unique keys. */
const MAX_SEEN = 100_000

/** Opens a receiver on this machine. Invalid requests get a response and have no other effect. */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    receive(request, response, options, seen).catch(() => response.destroy())
  })
  server.listen(options.port, HOST)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `http://${HOST}:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiverOptions,
  seen: Set<string>,
): Promise<void> {
  if (request.method !== 'POST') return end(response, 405, 'Webhooks come by POST.')
  const text = await readBody(request)
  if (text === null) return end(response, 413, 'No webhook is larger than 1 MiB.')
  const verification = verifyWebhook(options.secrets, request.headers, text)
  if (!verification.verified) {
    options.onArrival({ text, verification, isAgain: false })
    return end(response, 400, verification.reason)
  }
  options.onArrival({ text, verification, isAgain: isKnown(seen, verification.content.id) })
  await responded(response, options)
  options.onResponse?.()
}

async function responded(
  response: ServerResponse,
  { status = 204, delayMs = 0 }: ReceiverOptions,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  // A client that no longer waits gets no response.
  if (delayMs > 0) await delay(delayMs, undefined, { signal: gone.signal })
  response.writeHead(status).end()
  if (!gone.signal.aborted) await once(response, 'close')
}

/** null: it is too large, and the rest of it is not read. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return null
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function end(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`${sentence}\n`)
}

function isKnown(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return true
  seen.add(id)
  for (const oldest of seen) {
    if (seen.size <= MAX_SEEN) break
    seen.delete(oldest)
  }
  return false
}
