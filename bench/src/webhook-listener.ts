import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { latencyHistogram } from './latency-histogram.ts'
import { headersOf, readRequest, type WholeRequest } from './request-reader.ts'
import type { Manner, ReceiverFigures } from './webhook-messages.ts'

/** A webhook receiver that uses almost no processor time. */
export interface WebhookListener {
  readonly port: number
  trust(secret: string): void
  behave(manner: Manner): void
  mark(): void
  read(): ReceiverFigures
  close(): Promise<void>
}

const RESPONSE = 'HTTP/1.1 204 No Content\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\n\r\n'
/** Enough to detect webhooks that are not signed. */
const CHECKED_ONE_IN = 1_000
/** Delays of up to 20 s. */
const STEP_US = 100
const TIMESTAMP = Buffer.from('"timestamp":"')
const TIMESTAMP_LENGTH = '2026-11-20T10:15:30.000Z'.length
const MICROSECONDS = 1e6

export async function listenForWebhooks(): Promise<WebhookListener> {
  const sockets = new Set<Socket>()
  const counter = openCounter()
  let manner: Manner = 'respond'

  /** Handles each complete request in some bytes; returns the rest of them. */
  function takeAll(socket: Socket, bytes: Buffer): Buffer {
    let rest = bytes
    while (rest.length > 0) {
      const request = readRequest(rest)
      if (request === 'partial') return rest
      if (request === 'unreadable') {
        counter.countUnreadable()
        socket.destroy()
        return Buffer.alloc(0)
      }
      rest = rest.subarray(request.end)
      if (manner === 'hang') counter.countHeld()
      else {
        counter.take(request)
        socket.write(RESPONSE)
      }
    }
    return rest
  }

  const server = createServer({ noDelay: true }, socket => {
    let partial = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('data', (chunk: Buffer) => {
      partial = Buffer.from(takeAll(socket, partial.length === 0 ? chunk : Buffer.concat([partial, chunk])))
    })
    // The sender may be killed at any time; its webhook is counted by then.
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    trust: counter.trust,
    behave(wanted) {
      // Open requests get no response any more.
      if (manner === 'hang' && wanted === 'respond') hangUp()
      manner = wanted
    },
    mark: counter.mark,
    read: () => ({ ...counter.read(), connections: sockets.size }),
    async close() {
      hangUp()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Counts webhooks, measures their delays, and verifies some of their signatures. */
function openCounter() {
  const delays = latencyHistogram(STEP_US)
  const ofAllTime = { total: 0, held: 0, checked: 0, forged: 0, unreadable: 0 }
  let perSecond: number[] = []
  let longestMs = 0
  let markedMs = performance.now()
  let originMs = readOrigin()
  let cpuBefore = process.cpuUsage()
  let webhook: Webhook | undefined

  function countDelay(body: Buffer, nowMs: number): void {
    const at = body.indexOf(TIMESTAMP) + TIMESTAMP.length
    const happenedMs = Date.parse(body.toString('latin1', at, at + TIMESTAMP_LENGTH))
    const delayMs = Math.max(0, originMs + nowMs - happenedMs)
    delays.add(delayMs)
    longestMs = Math.max(longestMs, delayMs)
  }
  function check({ head, body }: WholeRequest): void {
    ofAllTime.checked++
    try {
      webhook?.verify(body, headersOf(head))
    } catch {
      ofAllTime.forged++
    }
  }
  return {
    trust(secret: string) {
      webhook = new Webhook(secret)
    },
    take(request: WholeRequest) {
      if (!request.body.includes(TIMESTAMP)) {
        ofAllTime.unreadable++
        return
      }
      if (webhook !== undefined && ofAllTime.total % CHECKED_ONE_IN === 0) check(request)
      ofAllTime.total++
      const nowMs = performance.now()
      const second = Math.floor((nowMs - markedMs) / 1000)
      while (perSecond.length <= second) perSecond.push(0)
      perSecond[second] = (perSecond[second] ?? 0) + 1
      countDelay(request.body, nowMs)
    },
    countHeld: () => void ofAllTime.held++,
    countUnreadable: () => void ofAllTime.unreadable++,
    mark() {
      delays.clear()
      perSecond = []
      longestMs = 0
      originMs = readOrigin()
      markedMs = performance.now()
      cpuBefore = process.cpuUsage()
    },
    read(): Omit<ReceiverFigures, 'connections'> {
      const cpu = process.cpuUsage(cpuBefore)
      return {
        ...ofAllTime,
        counted: delays.count(),
        seconds: (performance.now() - markedMs) / 1000,
        perSecond,
        p50Ms: delays.percentile(0.5),
        p99Ms: delays.percentile(0.99),
        longestMs,
        cpuSeconds: (cpu.user + cpu.system) / MICROSECONDS,
      }
    },
  }
}

/** The time when `performance.now()` was 0, more precise than a date's milliseconds, because delays are short. */
function readOrigin(): number {
  const beforeMs = Date.now()
  let nowMs = beforeMs
  while (nowMs === beforeMs) nowMs = Date.now()
  return nowMs - performance.now()
}
