import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection } from './connection.ts'
import type { CrowdOrder, CrowdReport } from './crowd.ts'

/** What a refused request waits before it is sent again: the second that Retry-After asks for. */
const RETRY_AFTER_MS = 1_000
const OPENED_AT_ONCE = 100

let stopping = false
const statuses: Record<string, number> = {}

function count(status: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1
}

/** Sends one request again and again on a connection of its own: at once, or a second after it was turned away. */
async function repeat(port: number, bytes: Buffer): Promise<void> {
  const connection = await openConnection(port, {
    onAnswer(status) {
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

/** Requests one page again and again and reads it to its end. A refused client repeats its request at once. */
async function ask(
  port: number,
  { method, path, headers, body }: CrowdOrder['pages'][number],
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!stopping) {
    await new Promise<void>(resolve => {
      const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent }, answer => {
        count(String(answer.statusCode))
        answer.resume().on('close', () => resolve())
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

process.on('message', (order: CrowdOrder | 'stop') => {
  if (order === 'stop') {
    stopping = true
    process.send?.({ statuses } satisfies CrowdReport, () => process.exit(0))
    return
  }
  void begin(order)
})

async function begin({ port, requests, pages }: CrowdOrder): Promise<void> {
  const all = requests.flatMap(({ text, connections }) =>
    Array.from({ length: connections }, () => Buffer.from(text)),
  )
  for (let from = 0; from < all.length; from += OPENED_AT_ONCE) {
    const some = all.slice(from, from + OPENED_AT_ONCE)
    await Promise.all(some.map(bytes => repeat(port, bytes).catch(() => count('not connected'))))
    await delay(1)
  }
  for (const page of pages) void ask(port, page)
  process.send?.('begun')
}
