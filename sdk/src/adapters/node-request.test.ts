import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, createServer as createServerOfStreams, type Http2ServerResponse } from 'node:http2'
import { type AddressInfo, connect as connectLine } from 'node:net'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Acceptance } from '../seller/options.ts'
import { paymentFor } from '../seller/paid-requests.ts'
import type { Seller } from '../seller/seller.ts'
import { admit } from './node-request.ts'
import { breakOff } from './node-response.ts'

/** More than the buffers of a connection, so that a reader that stops reading stops the writer. */
const MUCH = Buffer.alloc(16 * 1024 * 1024)
const payment = { paymentId: 'pay_1', from: 'agt_1', amount: '1.00', nonce: 'nonce' }

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

let server: Server
/** The server around the paywall. */
let prepare: (response: ServerResponse) => unknown = () => undefined
let handler: Handler
/** The result of a payment check. */
let accept: () => Promise<Acceptance>
let finish: ReturnType<typeof vi.fn<(status: number) => Promise<void>>>
/** Resolves when the server knows that the connection is closed. */
let lineClosed: Promise<unknown>

const seller: Seller<object> = {
  challenge: async () => ({ status: 402, headers: {}, body: '' }),
  accept: () => accept(),
}

beforeAll(async () => {
  server = createServer((request, response) => {
    lineClosed = new Promise(resolve => request.socket.once('close', resolve))
    prepare(response)
    void admit(seller, request.url ?? '/', request, response).then(admission =>
      admission === 'serve' ? handler(request, response) : undefined,
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => server.close())
beforeEach(() => {
  finish = vi.fn(async () => undefined)
  accept = async () => ({ kind: 'accepted', head: () => ({}), payment, finish })
})

/** Sends a request and disconnects at the given point; resolves when both ends are closed. */
async function askAndHangUp(at: 'once it arrived' | 'the first bytes'): Promise<void> {
  const { port } = server.address() as AddressInfo
  const asked = request({ port, host: '127.0.0.1' }).on('error', () => undefined)
  const arrived = once(server, 'request')
  if (at === 'the first bytes') {
    const [response] = (await once(asked.end(), 'response')) as [IncomingMessage]
    await once(response, 'data')
  } else {
    asked.end()
    await arrived
  }
  asked.destroy()
  await lineClosed
}

/** Sends a request and returns the status; 'cut' if the connection broke before the end. */
async function ask(): Promise<number | 'cut'> {
  const { port } = server.address() as AddressInfo
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`)
    await response.arrayBuffer()
    return response.status
  } catch {
    return 'cut'
  }
}

async function begin(response: ServerResponse): Promise<void> {
  response.write('the beginning')
  await new Promise(resolve => setImmediate(resolve))
}

const ENDINGS: readonly (readonly [string, Handler, number | 'cut', number])[] = [
  ['a response', (_request, response) => response.end('here'), 200, 200],
  ['a response without a body', (_request, response) => response.writeHead(204).end(), 204, 204],
  ['a failure', (_request, response) => response.writeHead(503).end(), 503, 503],
  [
    'a response that this side broke off',
    async (_request, response) => {
      await begin(response)
      response.destroy()
    },
    'cut',
    500,
  ],
  [
    'a response that this side broke off with bytes still waiting',
    async (_request, response) => {
      await begin(response)
      response.write(MUCH)
      await new Promise(resolve => setImmediate(resolve))
      response.destroy()
    },
    'cut',
    500,
  ],
  [
    'a response whose handler failed with bytes still waiting',
    async (_request, response) => {
      await begin(response)
      response.write(MUCH)
      breakOff(response)
    },
    'cut',
    500,
  ],
  [
    'a line that this side cut before the response',
    (request: IncomingMessage) => request.socket.destroy(),
    'cut',
    500,
  ],
  [
    'a stream whose source failed',
    async (_request, response) => {
      await begin(response)
      const source = new PassThrough()
      source.destroy(Object.assign(new Error('the source is gone'), { code: 'ECONNRESET' }))
      await pipeline(source, response).catch(() => undefined)
    },
    'cut',
    500,
  ],
]

test.each(ENDINGS)(
  '%s is reported once, by its status or as a failure',
  async (_name, how, seen, reported) => {
    handler = how
    expect(await ask()).toBe(seen)
    await expect.poll(() => finish.mock.calls).toEqual([[reported]])
  },
)

test.each(ENDINGS)(
  '%s is also reported once if the response waits until its price is stored',
  async (_name, how, seen, reported) => {
    const stored = () => new Promise<null>(resolve => setImmediate(resolve, null))
    accept = async () => ({ kind: 'accepted', head: () => ({}), stored, payment, finish })
    handler = how
    expect(await ask()).toBe(seen)
    await expect.poll(() => finish.mock.calls).toEqual([[reported]])
  },
)

test.each([
  ['before the response began', 'once it arrived', () => undefined],
  ['while it was sent', 'the first bytes', (_request, response) => response.end(MUCH)],
  ['while it was still made', 'the first bytes', (_request, response) => response.write(MUCH)],
] as const satisfies readonly (readonly [string, unknown, Handler])[])(
  'a client that disconnects %s gets no refund',
  async (_when, at, how) => {
    handler = how
    await askAndHangUp(at)
    await expect.poll(() => finish.mock.calls).toEqual([[200]])
  },
)

test('a client that reads nothing until the server’s time-out gets no refund', async () => {
  handler = (_request, response) => response.write(MUCH)
  server.timeout = 50
  const { port } = server.address() as AddressInfo
  const reader = connectLine(port, '127.0.0.1').pause()
  try {
    reader.write('GET / HTTP/1.1\r\nhost: shop\r\n\r\n')
    await expect.poll(() => finish.mock.calls).toEqual([[200]])
  } finally {
    server.timeout = 0
    reader.destroy()
  }
})

test('a response that is aborted while it waits for the previous one is reported as a failure', async () => {
  const brokenOff = Promise.withResolvers<void>()
  handler = async (request, response) => {
    if (request.url === '/first') {
      await brokenOff.promise
      response.end('here')
    } else {
      response.write('half')
      response.destroy()
      brokenOff.resolve()
    }
  }
  const { port } = server.address() as AddressInfo
  const line = connectLine(port, '127.0.0.1')
    .on('error', () => undefined)
    .resume()
  line.write(['/first', '/second'].map(path => `GET ${path} HTTP/1.1\r\nhost: shop\r\n\r\n`).join(''))
  await expect.poll(() => finish.mock.calls.flat().toSorted()).toEqual([200, 500])
  line.destroy()
})

test('a response that other code began while the payment was checked is reported as a failure', async () => {
  prepare = response => {
    response.write('begun')
    setImmediate(() => response.end())
  }
  handler = vi.fn<Handler>()
  expect(await ask()).toBe(200)
  prepare = () => undefined
  await expect.poll(() => finish.mock.calls).toEqual([[503]])
  expect(handler).not.toHaveBeenCalled()
})

test('a client that disconnects while its payment is checked is not served, and is reported as a failure', async () => {
  const looking = Promise.withResolvers<Acceptance>()
  accept = () => looking.promise
  handler = vi.fn<Handler>()
  await askAndHangUp('once it arrived')
  looking.resolve({ kind: 'accepted', head: () => ({}), payment, finish })
  await expect.poll(() => finish.mock.calls).toEqual([[503]])
  expect(handler).not.toHaveBeenCalled()
})

test('a paid response is not cacheable by shared caches unless its handler says so', async () => {
  const { port } = server.address() as AddressInfo
  const cacheControl = async () => (await fetch(`http://127.0.0.1:${port}/`)).headers.get('cache-control')
  handler = (_request, response) => response.end()
  expect(await cacheControl()).toBe('private')
  prepare = response => response.setHeader('cache-control', 'no-cache')
  expect(await cacheControl()).toBe('no-cache')
  prepare = () => undefined
  handler = (_request, response) => response.setHeader('cache-control', 'public').end()
  expect(await cacheControl()).toBe('public')
  accept = async () => ({ kind: 'free' })
  handler = (_request, response) => response.end()
  expect(await cacheControl()).toBeNull()
})

test('HTTP/2 streams count by their status too, even if they end early', async () => {
  const shared = createServerOfStreams((request, response) => {
    void admit(seller, request.url, request, response).then(admission => {
      if (admission === 'serve' && request.url === '/failing') response.writeHead(503).end()
    })
  })
  await once(shared.listen(0, '127.0.0.1'), 'listening')
  const { port } = shared.address() as AddressInfo
  const session = connect(`http://127.0.0.1:${port}`)
  await once(session.request({ ':path': '/failing' }).resume(), 'close')
  await expect.poll(() => finish.mock.calls).toEqual([[503]])

  const arrived = once(shared, 'request')
  session.request({ ':path': '/endless' }).on('error', () => undefined)
  await arrived
  session.destroy()
  await expect.poll(() => finish.mock.calls).toEqual([[503], [200]])

  const looking = Promise.withResolvers<Acceptance>()
  accept = () => looking.promise
  const again = connect(`http://127.0.0.1:${port}`)
  const heardAgain = once(shared, 'request')
  again.request({ ':path': '/failing' }).on('error', () => undefined)
  const [, { stream }] = (await heardAgain) as [unknown, Http2ServerResponse]
  again.destroy()
  await once(stream, 'close')
  looking.resolve({ kind: 'accepted', head: () => ({}), payment, finish })
  await expect.poll(() => finish.mock.calls).toEqual([[503], [200], [503]])
  shared.close()
})

test('an HTTP/2 response whose handler fails midway is a failure and does not look complete', async () => {
  const shared = createServerOfStreams((request, response) => {
    void admit(seller, request.url, request, response).then(() => {
      response.write('half')
      breakOff(response)
    })
  })
  await once(shared.listen(0, '127.0.0.1'), 'listening')
  const session = connect(`http://127.0.0.1:${(shared.address() as AddressInfo).port}`)
  const failed = vi.fn<() => void>()
  const response = session.request({ ':path': '/' }).on('error', failed).resume()
  await new Promise(resolve => response.once('close', resolve))
  expect(failed).toHaveBeenCalledOnce()
  await expect.poll(() => finish.mock.calls).toEqual([[500]])
  session.destroy()
  shared.close()
})

test('the handler gets the payment of a request, and none for a free one', async () => {
  const seen: unknown[] = []
  handler = (request, response) => {
    seen.push(paymentFor(request))
    response.end()
  }
  await ask()
  accept = async () => ({ kind: 'free' })
  await ask()
  expect(seen).toEqual([payment, undefined])
})
