import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createServerOfStreams } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { SellerResponse } from '../seller/options.ts'
import type { Seller } from '../seller/seller.ts'
import { admit } from './node-request.ts'
import { breakOff } from './node-response.ts'

const payment = { paymentId: 'ath_1', from: 'agt_1', amount: '0.10', nonce: 'nonce' }
const UNAVAILABLE: SellerResponse = {
  status: 503,
  headers: { 'Retry-After': '1', 'Access-Control-Expose-Headers': 'Retry-After' },
  body: 'The payment cannot be checked now.',
}

const server = createServer(serve)
let handler: (request: IncomingMessage, response: ServerResponse) => unknown
/** The end of the store's write. */
let storing: PromiseWithResolvers<SellerResponse | null>
let total: string
const finish = vi.fn(async () => undefined)

const seller: Seller<object> = {
  challenge: async () => UNAVAILABLE,
  accept: async () => ({
    ...{ kind: 'accepted', payment, finish },
    head: status => (status < 400 ? { 'X-Total': total } : {}),
    stored: () => storing.promise,
  }),
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', 'X-Shop')
  void admit(seller, request.url ?? '/', request, response).then(admission =>
    admission === 'serve' ? handler(request, response) : undefined,
  )
}

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => server.close())
beforeEach(() => {
  storing = Promise.withResolvers()
  total = '0.10'
  finish.mockClear()
})

const ask = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)

/** Sends a request; what the response looks like to the handler after it has written it. */
async function askAndWrite(write: (response: ServerResponse) => unknown) {
  const written = Promise.withResolvers<ServerResponse>()
  handler = (_request, response) => {
    write(response)
    written.resolve(response)
  }
  const reply = ask()
  const arrived = vi.fn<() => void>()
  reply.then(arrived, () => {})
  return { reply, arrived, response: await written.promise }
}

test('no part of a response is sent before its price is stored', async () => {
  const { reply, arrived, response } = await askAndWrite(each => {
    each.setHeader('X-Kind', 'rain').writeHead(201, { 'X-More': 'much' })
    each.flushHeaders()
    each.write('sun')
    each.end('ny')
  })
  expect([response.headersSent, response.writableEnded, response.socket?.bytesWritten]).toEqual([
    true,
    true,
    0,
  ])
  expect(arrived).not.toHaveBeenCalled()
  // Other calls were counted meanwhile.
  total = '0.30'
  storing.resolve(null)
  const { status, headers } = await reply
  expect([status, headers.get('x-total'), headers.get('x-kind'), headers.get('x-more')]).toEqual([
    ...[201, '0.30', 'rain', 'much'],
  ])
  expect(await (await reply).text()).toBe('sunny')
  await expect.poll(() => finish.mock.calls).toEqual([[201]])
})

test('a response that is written at once keeps its content-length', async () => {
  const { reply } = await askAndWrite(each => each.end('sunny'))
  storing.resolve(null)
  expect((await reply).headers.get('content-length')).toBe('5')
})

test('a stream continues where it waited', async () => {
  const chunks = Array.from({ length: 40 }, () => Buffer.alloc(10_000, 'x'))
  const { reply } = await askAndWrite(each => void pipeline(Readable.from(chunks), each))
  storing.resolve(null)
  expect((await (await reply).arrayBuffer()).byteLength).toBe(400_000)
})

test('a response that cannot be stored is not sent: the buyer gets another response, which says so, and the handler continues', async () => {
  const ended = vi.fn<() => void>()
  const { reply, response } = await askAndWrite(each => {
    each.writeHead(200, { 'X-More': 'much' })
    each.setHeader('X-Kind', 'rain')
    each.write('sun', ended)
  })
  storing.resolve(UNAVAILABLE)
  const { status, headers } = await reply
  expect([status, headers.get('x-total'), headers.get('x-kind'), headers.get('x-more')]).toEqual([
    ...[503, null, null, null],
  ])
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-expose-headers')).toBe('X-Shop, Retry-After')
  expect(await (await reply).text()).toBe(UNAVAILABLE.body)
  expect([response.write('ny'), response.writableNeedDrain]).toEqual([true, false])
  response.end()
  expect(ended).toHaveBeenCalledOnce()
  await expect.poll(() => finish.mock.calls).toEqual([[503]])
})

test('a handler that fails after the response began aborts it, and the call does not count', async () => {
  const { reply } = await askAndWrite(each => {
    each.write('sun')
    breakOff(each)
  })
  storing.resolve(null)
  await expect(reply).rejects.toThrow('fetch failed')
  await expect.poll(() => finish.mock.calls).toEqual([[500]])
})

test('a call whose response Node refuses to write does not count, and the process continues', async () => {
  const { reply } = await askAndWrite(each => each.writeHead(200, { 'X-More': 'line\nbreak' }).end('sunny'))
  storing.resolve(null)
  expect((await reply).status).toBe(500)
  await expect.poll(() => finish.mock.calls).toEqual([[500]])
})

test('an HTTP/2 response also waits, and is also replaced', async () => {
  const streams = createServerOfStreams((request, response) =>
    serve(request as unknown as IncomingMessage, response as unknown as ServerResponse),
  )
  await once(streams.listen(0, '127.0.0.1'), 'listening')
  const session = connect(`http://127.0.0.1:${(streams.address() as AddressInfo).port}`)
  for (const [reply, status, body] of [
    [null, 201, 'sunny'],
    [UNAVAILABLE, 503, UNAVAILABLE.body],
  ] as const) {
    storing = Promise.withResolvers()
    handler = (_request, response) => {
      response.writeHead(201)
      response.write('sun')
      response.end('ny')
      storing.resolve(reply)
    }
    const asked = session.request({ ':path': '/' })
    const [headers] = (await once(asked, 'response')) as [Record<string, unknown>]
    expect([headers[':status'], Buffer.concat(await asked.toArray()).toString()]).toEqual([status, body])
  }
  await expect.poll(() => finish.mock.calls).toEqual([[201], [503]])
  session.close()
  streams.close()
})
