import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { freePort } from './free-port.ts'
import { type Behaviour, behave, OK } from './webhook-behaviour.ts'

/** One completely read request. */
export interface Arrival {
  readonly at: number
  readonly headers: IncomingHttpHeaders
  /** The trusted secrets with which its signature verifies. */
  readonly verifiedBy: readonly string[]
}

/** An event at the receiver, by its webhook-id. */
export interface ReceivedEvent {
  readonly id: string
  /** The JSON text, the same at every attempt. */
  readonly body: string
  readonly arrivals: readonly Arrival[]
  /** How often the receiver accepted it. */
  readonly accepted: number
}

/** What a receiver's behaviour depends on: the event, and the number of requests for it, this one included. */
export interface Asked {
  readonly eventId: string
  readonly attempt: number
}

export type Script = (asked: Asked) => Behaviour

/** A platform's webhook receiver on loopback, which verifies everything with the public library. */
export interface Receiver {
  readonly url: string
  /** All verified events, in the order of their first arrival. */
  readonly received: ReadonlyMap<string, ReceivedEvent>
  /** Faults of the sender: webhooks that did not verify, or that differ from an earlier attempt. */
  readonly faults: readonly string[]
  /** The number of requests, read or not. */
  hits(): number
  /** The platform's secrets. */
  trust(...secrets: readonly string[]): void
  /** From the next request on. */
  behave(how: Behaviour | Script): void
  /** Closes the port and every connection, with a response or not. */
  goDown(): Promise<void>
  /** Listens again, at the same address. */
  comeBack(): Promise<void>
  close(): Promise<void>
}

const HOST = '127.0.0.1'

export async function openReceiver(): Promise<Receiver> {
  const port = await freePort()
  const record = openRecord()
  const attempts = new Map<string, number>()
  let script: Script = () => OK
  let hits = 0

  const server = createServer((request, response) => {
    hits++
    receive(request, response).catch(error => record.faults.push(String(error)))
  })

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const eventId = String(request.headers['webhook-id'])
    const attempt = (attempts.get(eventId) ?? 0) + 1
    attempts.set(eventId, attempt)
    const behaviour = script({ eventId, attempt })
    if (behaviour.kind === 'reset' && behaviour.when === 'before reading') {
      request.socket.resetAndDestroy()
      return
    }
    const body = await textOf(request).catch(() => null)
    // The sender closed the connection before the end.
    if (body === null) return
    const event = record.note(eventId, body, request)
    behave(behaviour, request, response, () => {
      if (event !== null) event.accepted++
    })
  }

  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, HOST, () => {
        server.off('error', reject)
        resolve()
      })
    })
  const goDown = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })

  await listen()
  return {
    url: `http://${HOST}:${port}/webhooks`,
    received: record.received,
    faults: record.faults,
    hits: () => hits,
    trust: record.trust,
    behave(how) {
      script = typeof how === 'function' ? how : () => how
    },
    goDown,
    comeBack: listen,
    close: goDown,
  }
}

interface Kept extends ReceivedEvent {
  readonly arrivals: Arrival[]
  accepted: number
}

/** A receiver's record of its events. */
function openRecord() {
  const received = new Map<string, Kept>()
  const faults: string[] = []
  let trusted: readonly (readonly [secret: string, webhook: Webhook])[] = []

  /** null: it does not verify. */
  function note(id: string, body: string, { headers, method }: IncomingMessage): Kept | null {
    const matching = trusted.filter(([, webhook]) => verifies(webhook, body, headers))
    if (matching.length === 0) {
      faults.push(`${id} does not verify`)
      return null
    }
    const event = received.get(id) ?? { id, body, arrivals: [], accepted: 0 }
    received.set(id, event)
    if (method !== 'POST') faults.push(`${id} came by ${method}`)
    if (event.body !== body) faults.push(`${id} came with another body`)
    if ((JSON.parse(body) as { id: unknown }).id !== id) faults.push(`${id} is not its body's id`)
    event.arrivals.push({ at: Date.now(), headers, verifiedBy: matching.map(([secret]) => secret) })
    return event
  }
  function trust(...secrets: readonly string[]): void {
    trusted = secrets.map(secret => [secret, new Webhook(secret)])
  }
  return { received, faults, note, trust }
}

function verifies(webhook: Webhook, body: string, headers: IncomingHttpHeaders): boolean {
  try {
    webhook.verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
