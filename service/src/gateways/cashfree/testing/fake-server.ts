import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseExactJson } from '../../exact-json.ts'
import { createFaultScript, type Fault, type FaultScript } from './faults.ts'
import { type Fields, type Handler, type Incoming, type Reply, refused } from './reply.ts'

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** One of Cashfree's interfaces: who may ask there, in which version, and what it returns. */
export interface Interface {
  readonly prefix: '/pg' | '/payout' | '/verification'
  readonly credentials: Credentials
  readonly needsVersion: boolean
  readonly handle: Handler
}

export interface FakeServer {
  readonly url: string
  readonly faults: FaultScript
  /** Every request that came in, oldest first: `POST /pg/orders`. */
  readonly lines: string[]
  readonly requests: Incoming[]
  /** What was wrong with requests, in words; empty after a clean run. */
  readonly violations: string[]
  /** Fields that responses without a refusal have beside their own, each for requests whose line begins so. */
  readonly additions: Addition[]
  close(): Promise<void>
}

export interface Addition {
  readonly line: string
  readonly fields: Fields
}

export async function startFakeServer(interfaces: readonly Interface[]): Promise<FakeServer> {
  const faults = createFaultScript()
  const [lines, requests, violations]: [string[], Incoming[], string[]] = [[], [], []]
  const additions: Addition[] = []
  const kept = new Map<string, { readonly text: string; readonly reply: Reply }>()
  const server = createServer((request, response) => {
    void serve(request, response)
  })
  // A connection that is closed while the next question is sent looks like a gateway that gives no response.
  server.keepAliveTimeout = 120_000

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const incoming = await read(request)
    const line = `${incoming.method} ${incoming.path}`
    lines.push(line)
    requests.push(incoming)
    await reply(response, faults.take(line), () => once(incoming))
  }

  /** An idempotency key responds as it did at first; with another body it is refused. */
  function once(request: Incoming): Reply {
    const problem = problemOf(interfaces, request)
    if (problem !== null) {
      violations.push(`${request.method} ${request.path}: ${problem.what}`)
      return problem.reply
    }
    const key = request.headers['x-idempotency-key']
    const name = `${request.method} ${request.path} ${key}`
    const before = key === undefined ? undefined : kept.get(name)
    if (before !== undefined && before.text !== request.text) {
      return refused(422, 'idempotency_key_reused', 'idempotency_error')
    }
    const reply = before?.reply ?? withAdditions(additions, request, handle(interfaces, request))
    // A refusal is not kept, so that what was wrong can be put right.
    if (key !== undefined && reply.status < 300) kept.set(name, { text: request.text, reply })
    if (isMisfit(reply)) violations.push(`${request.method} ${request.path}: ${JSON.stringify(reply.body)}`)
    return reply
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    lines,
    requests,
    violations,
    additions,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function read(request: IncomingMessage): Promise<Incoming> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const url = new URL(request.url ?? '/', 'http://localhost')
  return {
    method: request.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: request.headers as Record<string, string | undefined>,
    body: (parseExactJson(text) ?? {}) as Fields,
    text,
  }
}

function handle(interfaces: readonly Interface[], request: Incoming): Reply {
  const found = interfaces.find(({ prefix }) => request.path.startsWith(`${prefix}/`))
  const path = request.path.slice(found?.prefix.length ?? 0)
  return found?.handle({ ...request, path }) ?? refused(404, 'route_not_found')
}

function withAdditions(additions: readonly Addition[], { method, path }: Incoming, reply: Reply): Reply {
  if (reply.status >= 300) return reply
  const fitting = additions.filter(({ line }) => `${method} ${path}`.startsWith(line))
  return {
    ...reply,
    body: fitting.reduce<unknown>((body, { fields }) => withFields(body, fields), reply.body),
  }
}

/** Each entry of a list gets them. Fields that a response already has stay as they are. */
function withFields(body: unknown, fields: Fields): unknown {
  if (Array.isArray(body)) return body.map(entry => withFields(entry, fields))
  if (!isObject(body)) return body
  const added = Object.entries(fields).map(([name, value]) => {
    const own = body[name]
    return [name, own === undefined || own === null ? value : isObject(value) ? withFields(own, value) : own]
  })
  return { ...body, ...(Object.fromEntries(added) as Fields) }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

interface Problem {
  readonly what: string
  readonly reply: Reply
}

/** What every request must have, as the documents have it. */
function problemOf(interfaces: readonly Interface[], request: Incoming): Problem | null {
  const { method, path, headers } = request
  const found = interfaces.find(({ prefix }) => path.startsWith(`${prefix}/`))
  const bad = (what: string, status = 400): Problem => ({ what, reply: refused(status, 'request_invalid') })
  if (found === undefined) return bad('no such interface', 404)
  const { clientId, clientSecret } = found.credentials
  const isOpen = path === '/pg/orders/sessions'
  if (isOpen && headers['x-client-secret'] !== undefined) return bad('credentials where a browser has none')
  const isKnown = headers['x-client-id'] === clientId && headers['x-client-secret'] === clientSecret
  if (!isOpen && !isKnown) return bad('wrong credentials', 401)
  if (found.needsVersion && !/^\d{4}-\d\d-\d\d$/.test(headers['x-api-version'] ?? ''))
    return bad('no version')
  if (!headers['x-request-id']) return bad('no request id')
  if (method === 'GET') return null
  if (headers['content-type'] !== 'application/json') return bad('no JSON')
  if (path !== '/pg/recon' && !headers['x-idempotency-key']) return bad('no idempotency key')
  return null
}

function isMisfit({ status, body }: Reply): boolean {
  return status === 400 && JSON.stringify(body).includes('_misfit')
}

async function reply(response: ServerResponse, fault: Fault | null, effect: () => Reply): Promise<void> {
  switch (fault?.kind) {
    case undefined:
      return send(response, effect())
    case 'refuse':
      if (fault.after === true) effect()
      return send(response, refused(fault.status, fault.code, fault.type))
    case 'no response':
      if (fault.after) effect()
      return
    case 'reset':
      if (fault.after) effect()
      response.destroy()
      return
    case 'slow': {
      const reply = effect()
      await new Promise(resolve => setTimeout(resolve, fault.ms))
      return send(response, reply)
    }
    case 'text':
      effect()
      response.writeHead(200, { 'content-type': 'application/json' }).end(fault.text)
      return
    case 'stall':
      effect()
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"order_id": ')
      return
    case 'endless':
      return pourOut(response, JSON.stringify(effect().body))
    case 'redirect':
      response.writeHead(307, { location: fault.to }).end()
  }
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** What it says is whole, but it never ends: nobody can know that no more is to come. */
function pourOut(response: ServerResponse, text: string): void {
  const chunk = ' '.repeat(64 * 1024)
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour)
  }
  response.writeHead(200).write(text)
  pour()
}
