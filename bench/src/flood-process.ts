import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection } from './connection.ts'
import type { FloodOrder, FloodReport } from './flood.ts'

/** How long a refused request waits before it is repeated: the second that Retry-After asks for. */
const RETRY_AFTER_MS = 1_000
const OPENED_AT_ONCE = 100

let stopping = false
const statuses: Record<string, number> = {}

function count(status: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1
}

/** Repeats one request on its own connection: at once, or a second after a refusal. */
async function repeat(port: number, bytes: Buffer): Promise<void> {
  const connection = await openConnection(port, {
    onResponse(status) {
      if (stopping) return
      count(String(status))
      if (status === 429 || status === 503) setTimeout(() => send(), RETRY_AFTER_MS)
      else send()
    },
    onLost(reason) {
      if (!stopping) count(reason)
    },
  })
  const send = () => {
    if (!stopping) connection.send(bytes)
  }
  send()
}

/** Repeats one request for a page and reads it to its end. A refused client repeats its request at once. */
async function ask(
  port: number,
  { method, path, headers, body }: FloodOrder['pages'][number],
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!stopping) {
    await new Promise<void>(resolve => {
      const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent }, response => {
        count(String(response.statusCode))
        response.resume().on('close', () => resolve())
      })
      sent.on('error', error => {
        count(error.message)
        resolve()
      })
      sent.end(body)
    })
  }
  agent.destroy()
}

/** Opens a stream and reads it to its end; resolves once it was answered. */
function hold(port: number, text: string): Promise<void> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text))
    socket.once('data', head => {
      count(head.toString('latin1').split(' ')[1] ?? 'none')
      resolve()
    })
    socket.on('data', () => undefined)
    socket.on('error', error => {
      count(error.message)
      resolve()
    })
    socket.on('close', () => {
      if (!stopping) count('a stream was closed')
    })
  })
}

process.on('message', (order: FloodOrder | 'stop') => {
  if (order === 'stop') {
    stopping = true
    process.send?.({ statuses } satisfies FloodReport, () => process.exit(0))
    return
  }
  void begin(order)
})

async function begin({ port, requests, pages, streams = [] }: FloodOrder): Promise<void> {
  const all = requests.flatMap(({ text, connections }) =>
    Array.from({ length: connections }, () => Buffer.from(text)),
  )
  for (let from = 0; from < all.length; from += OPENED_AT_ONCE) {
    const some = all.slice(from, from + OPENED_AT_ONCE)
    await Promise.all(some.map(bytes => repeat(port, bytes).catch(() => count('not connected'))))
    await delay(1)
  }
  const held = streams.flatMap(({ text, connections }) => Array.from({ length: connections }, () => text))
  for (let from = 0; from < held.length; from += OPENED_AT_ONCE) {
    await Promise.all(held.slice(from, from + OPENED_AT_ONCE).map(text => hold(port, text)))
  }
  for (const page of pages) void ask(port, page)
  process.send?.('begun')
}
