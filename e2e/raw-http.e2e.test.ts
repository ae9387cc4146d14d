import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf } from './src/api.ts'
import type { ServiceDatabase } from './src/database.ts'
import { exchangeBytes, repliesIn, requestText, sendAndHangUp, sendAndReset } from './src/raw-http.ts'
import type { Service } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { openWorld, type World } from './src/world.ts'

let stage: Stage
let database: ServiceDatabase
let service: Service
let world: World
let before: Record<string, string>

beforeAll(async () => {
  stage = await sharedStage()
  ;({ database, service } = stage)
  world = await openWorld(stage.api)
  before = await database.fingerprint()
})
afterAll(() => stage.close())

const POST = 'POST /v1/platforms HTTP/1.1'
const JSON_TYPE = 'Content-Type: application/json'
const body = '{"name":"Smuggled"}'
const length = `Content-Length: ${body.length}`
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
/** A second request that an attacker tries to smuggle. */
const smuggled = requestText(POST, [JSON_TYPE, length], body)

/** Byte sequences that are not a request, by their fault. */
const BROKEN: Readonly<Record<string, string>> = {
  'no HTTP at all': 'hello\r\n\r\n',
  'a TLS greeting': '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an unknown method': requestText('STEAL /v1/agents HTTP/1.1'),
  'a method in lower case': requestText('get /healthz HTTP/1.1'),
  'an unknown version': requestText('GET /healthz HTTP/9.9'),
  'a tunnel': requestText('CONNECT example.com:443 HTTP/1.1'),
  'no Host': 'GET /v1/agents HTTP/1.1\r\nConnection: close\r\n\r\n',
  'two Hosts': requestText('GET /v1/agents HTTP/1.1', ['Host: example.com']),
  'two Hosts that agree': requestText('GET /healthz HTTP/1.1', ['host: localhost']),
  'two Hosts in one header':
    'GET /healthz HTTP/1.1\r\nHost: localhost, example.com\r\nConnection: close\r\n\r\n',
  'an address of another host': requestText('GET http://example.com/healthz HTTP/1.1'),
  'both lengths': requestText(POST, [JSON_TYPE, length, 'Transfer-Encoding: chunked'], chunked),
  'both lengths, the other way round': requestText(
    POST,
    [JSON_TYPE, 'Transfer-Encoding: chunked', 'Content-Length: 4'],
    `0\r\n\r\n${smuggled}`,
  ),
  'two different lengths': requestText(POST, [JSON_TYPE, 'Content-Length: 2', length], body),
  'a list of lengths': requestText(POST, [JSON_TYPE, `Content-Length: 2, ${body.length}`], body),
  'a negative length': requestText(POST, [JSON_TYPE, 'Content-Length: -1'], body),
  'a signed length': requestText(POST, [JSON_TYPE, `Content-Length: +${body.length}`], body),
  'a hexadecimal length': requestText(POST, [JSON_TYPE, 'Content-Length: 0x13'], body),
  'a length beyond all numbers': requestText(
    POST,
    [JSON_TYPE, 'Content-Length: 99999999999999999999999'],
    body,
  ),
  'an unknown encoding': requestText(POST, [JSON_TYPE, 'Transfer-Encoding: xchunked'], chunked),
  'chunked twice': requestText(POST, [JSON_TYPE, 'Transfer-Encoding: chunked, identity'], chunked),
  'a space before a colon': requestText(POST, [JSON_TYPE, 'Transfer-Encoding : chunked'], chunked),
  'a folded header': requestText(POST, [JSON_TYPE, 'X-A: b\r\n c', length], body),
  'a line feed alone': `POST /v1/platforms HTTP/1.1\nHost: localhost\n${JSON_TYPE}\n${length}\n\n${body}`,
  'a carriage return in a header': requestText(POST, [JSON_TYPE, 'X-A: b\rc', length], body),
  'a NUL in a header': requestText(POST, [JSON_TYPE, 'X-A: b\u0000c', length], body),
  'a space in a header name': requestText(POST, [JSON_TYPE, 'X A: b', length], body),
  'a chunk size that is none': requestText(
    POST,
    [JSON_TYPE, 'Transfer-Encoding: chunked'],
    `zz\r\n${body}\r\n0\r\n\r\n`,
  ),
  'a negative chunk': requestText(
    POST,
    [JSON_TYPE, 'Transfer-Encoding: chunked'],
    `-1\r\n${body}\r\n0\r\n\r\n`,
  ),
  'a chunk larger than said': requestText(
    POST,
    [JSON_TYPE, 'Transfer-Encoding: chunked'],
    `2\r\n${body}\r\n0\r\n\r\n`,
  ),
  'headers of 20 KiB': requestText('GET /v1/agents HTTP/1.1', [`X-A: ${'a'.repeat(20_000)}`]),
  'an address of 20 KiB': requestText(`GET /v1/agents/${'a'.repeat(20_000)} HTTP/1.1`),
}

describe('invalid HTTP', () => {
  test.each(Object.entries(BROKEN))(
    '%s is refused with a JSON error, and the connection is closed',
    async (_name, bytes) => {
      const replies = repliesIn(await exchangeBytes(service.port, bytes))
      expect(replies.length).toBeGreaterThanOrEqual(1)
      for (const reply of replies) {
        expect(reply.status, reply.text).toBeGreaterThanOrEqual(400)
        expect(reply.status, reply.text).toBeLessThan(500)
        expect(errorOf(reply).code).toBe(reply.status === 405 ? 'method_not_allowed' : 'validation_error')
      }
    },
  )

  test('a body that ends early has no effect', async () => {
    const early = requestText(POST, [JSON_TYPE, 'Content-Length: 1000'], body)
    expect(repliesIn(await sendAndHangUp(service.port, early)).filter(reply => reply.status < 400)).toEqual(
      [],
    )
  })

  test('a request inside the body of another is not executed', async () => {
    const outer = requestText('GET /healthz HTTP/1.1', [`Content-Length: ${smuggled.length}`], smuggled)
    expect(repliesIn(await exchangeBytes(service.port, outer)).length).toBe(1)
  })

  test('the service still works after a hundred clients disconnect during their requests', async () => {
    const request = requestText(
      'GET /v1/agents HTTP/1.1',
      Object.entries(world.platform.headers).map(([name, value]) => `${name}: ${value}`),
    )
    const beginnings = Array.from({ length: 100 }, (_, index) =>
      request.slice(0, 1 + ((index * 7) % request.length)),
    )
    await Promise.all([...beginnings, request, request].map(bytes => sendAndReset(service.port, bytes)))
    const bytes = requestText('GET /healthz HTTP/1.1')
    expect(repliesIn(await exchangeBytes(service.port, bytes)).map(reply => reply.status)).toEqual([200])
  })

  test('no invalid request changed the database', async () => {
    expect(await database.fingerprint()).toEqual(before)
  })
})

describe('unusual HTTP', () => {
  const authorised = () => Object.entries(world.platform.headers).map(([name, value]) => `${name}: ${value}`)

  test('two requests sent at once over one connection get their responses in order', async () => {
    const first = `GET /v1/agents?limit=1 HTTP/1.1\r\nHost: localhost\r\n${authorised().join('\r\n')}\r\n\r\n`
    const replies = repliesIn(await exchangeBytes(service.port, first + requestText('GET /healthz HTTP/1.1')))
    expect(replies.map(reply => reply.status)).toEqual([200, 200])
    expect(replies[0]?.body).toHaveProperty('agents')
    expect(replies[1]?.body).toEqual({ status: 'ok' })
  })

  test('a chunked body is accepted like one with a length', async () => {
    const bytes = requestText(POST, [JSON_TYPE, 'Transfer-Encoding: chunked'], chunked)
    expect(repliesIn(await exchangeBytes(service.port, bytes)).map(reply => reply.status)).toEqual([201])
  })

  test('a client that sends Expect: 100-continue gets 100 Continue', async () => {
    const bytes = requestText(POST, [JSON_TYPE, length, 'Expect: 100-continue'], body)
    const response = await exchangeBytes(service.port, bytes)
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue/)
    expect(repliesIn(response).map(reply => reply.status)).toEqual([201])
  })

  test('an unknown expectation is ignored', async () => {
    const bytes = requestText(POST, [JSON_TYPE, length, 'Expect: a-miracle'], body)
    expect(repliesIn(await exchangeBytes(service.port, bytes)).map(reply => reply.status)).toEqual([201])
  })

  test('an upgrade to another protocol is ignored', async () => {
    const headers = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: x',
      'Sec-WebSocket-Version: 13',
    ]
    const bytes = requestText('GET /healthz HTTP/1.1', headers)
    const statuses = repliesIn(await exchangeBytes(service.port, bytes)).map(reply => reply.status)
    expect(statuses).toEqual([200])
  })

  test('a credential that is sent twice is refused', async () => {
    const headers = [`X-Agent-Key: ${world.payer.key}`, `X-Agent-Key: ${world.payee.key}`]
    const [reply] = repliesIn(
      await exchangeBytes(service.port, requestText('GET /v1/agents/me HTTP/1.1', headers)),
    )
    expect(reply?.status).toBe(401)
  })
})
