import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { ERROR_STATUS, type ErrorCode, route } from '@batua/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseUnavailable } from '../../db/errors.ts'
import { call, startTestServer, type TestServer } from '../../testing/test-server.ts'

const echo = route({
  operationId: 'echo',
  method: 'POST',
  path: '/v1/echo/{name}',
  tag: 'Test',
  summary: 'Gives back what it got',
  who: [],
  params: Type.Object({ name: Type.String() }),
  body: Type.Object({ text: Type.String(), more: Type.Optional(Type.Unknown()) }),
  status: 200,
  response: Type.Object({ text: Type.String() }),
  errors: [],
})

const away = route({
  operationId: 'away',
  method: 'GET',
  path: '/v1/away',
  tag: 'Test',
  summary: 'Its database is away',
  who: [],
  status: 200,
  response: Type.Object({}),
  errors: [],
})

let server: TestServer
let handled = 0

beforeAll(async () => {
  server = await startTestServer(({ serve }) => {
    serve(echo, ({ body }) => {
      handled++
      return { text: body.text }
    })
    serve(away, () => {
      throw new DatabaseUnavailable('connection to 10.0.0.5 refused')
    })
  })
})

afterAll(() => server.close())

interface RawReply {
  readonly status: number
  readonly head: string
  readonly error: { code: ErrorCode; message: string; request_id: string; field?: string }
}

/** Sends bytes as they are and reads until the server closes. */
async function raw(request: string | Buffer): Promise<RawReply> {
  const socket = connect(server.port, '127.0.0.1')
  socket.write(request)
  const response = await text(socket)
  const [head = '', body = ''] = response.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, ...JSON.parse(body) }
}

const post = (body: string | Buffer, headers = 'content-type: application/json', path = '/v1/echo/a') =>
  Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`),
    Buffer.from(`content-length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ])

const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`

test.each<[string, string | Buffer, number, ErrorCode]>([
  ['malformed JSON', post('{"text":'), 400, 'validation_error'],
  ['text behind the JSON', post('{"text":"a"} x'), 400, 'validation_error'],
  ['a byte order mark', post('\ufeff{"text":"a"}'), 400, 'validation_error'],
  ['bad UTF-8', post(Buffer.from('{"text":"\xff"}', 'latin1')), 400, 'validation_error'],
  ['a field given twice', post('{"text":"a","text":"b"}'), 400, 'validation_error'],
  [
    'a field given twice, written differently',
    post('{"text":"a","\\u0074ext":"b"}'),
    400,
    'validation_error',
  ],
  ['a field given twice further in', post('{"text":"a","more":[{"x":1,"x":2}]}'), 400, 'validation_error'],
  ['an empty body', post(''), 400, 'validation_error'],
  [
    'another content type',
    post('text=a', 'content-type: application/x-www-form-urlencoded'),
    415,
    'unsupported_media_type',
  ],
  ['a content type that is none', post('{}', 'content-type: @@'), 415, 'unsupported_media_type'],
  ['no content type', post('{"text":"a"}', 'x: y'), 415, 'unsupported_media_type'],
  [
    'another character set',
    post('{}', 'content-type: application/json; charset=latin1'),
    415,
    'unsupported_media_type',
  ],
  [
    'a compressed body',
    post('{}', 'content-type: application/json\r\ncontent-encoding: gzip'),
    415,
    'unsupported_media_type',
  ],
  ['a body over 64 KiB', post(JSON.stringify({ text: 'x'.repeat(65_536) })), 413, 'payload_too_large'],
  ['an unknown route', get('/v1/nothing'), 404, 'not_found'],
  ['an unknown route with a bad body', post('{', undefined, '/v1/nothing'), 404, 'not_found'],
  [
    'an unknown route with a foreign content type',
    post('x', 'content-type: text/plain', '/v1/nothing'),
    404,
    'not_found',
  ],
  ['another method of a route', get('/v1/echo/a'), 405, 'method_not_allowed'],
  [
    'a method nobody takes',
    'PROPFIND /v1/nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    404,
    'not_found',
  ],
  ['bad percent-encoding', post('{}', undefined, '/v1/echo/%zz'), 400, 'validation_error'],
  ['bad UTF-8 in an address', post('{}', undefined, '/v1/echo/%ff'), 400, 'validation_error'],
  [
    'a parameter over its length',
    post('{}', undefined, `/v1/echo/${'a'.repeat(300)}`),
    400,
    'validation_error',
  ],
  ['an address too long', get(`/v1/${'a'.repeat(20_000)}`), 400, 'validation_error'],
  ['a header too long', get('/v1/away', `x: ${'a'.repeat(20_000)}\r\n`), 400, 'validation_error'],
  ['two different Hosts', get('/v1/away', 'host: y\r\n'), 400, 'validation_error'],
  ['two Hosts that agree', get('/v1/away', 'HOST: x\r\n'), 400, 'validation_error'],
  ['two Hosts in HTTP/1.0', 'GET /v1/away HTTP/1.0\r\nhost: x\r\nhost: y\r\n\r\n', 400, 'validation_error'],
  ['no Host', 'GET /v1/away HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'validation_error'],
  [
    'two Hosts in one header',
    'GET /v1/away HTTP/1.1\r\nhost: x, y\r\nconnection: close\r\n\r\n',
    400,
    'validation_error',
  ],
  [
    'a Host with a user in it',
    'GET /v1/away HTTP/1.1\r\nhost: a@x\r\nconnection: close\r\n\r\n',
    400,
    'validation_error',
  ],
  ['an absolute address of another host', get('http://y/v1/away'), 400, 'validation_error'],
  ['an absolute address with a user in it', get('http://a@x/v1/away'), 400, 'validation_error'],
  ['an absolute address of another scheme', get('ftp://x/v1/away'), 400, 'validation_error'],
  ['an unknown route of another host', get('http://y/v1/nothing'), 400, 'validation_error'],
  ['something that is not HTTP', 'HELLO\r\n\r\n', 400, 'validation_error'],
  [
    'a body shorter than announced',
    'POST /v1/echo/a HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n',
    400,
    'validation_error',
  ],
  ['a database that is away', get('/v1/away'), 503, 'service_unavailable'],
])('%s gets the error envelope', async (_what, request, status, code) => {
  const before = handled
  const reply = await raw(request)
  expect(reply).toMatchObject({ status, error: { code } })
  expect(reply.head.toLowerCase()).toContain(`x-request-id: ${reply.error.request_id}`)
  expect(reply.head.toLowerCase()).toContain('content-type: application/json')
  expect(status).toBe(ERROR_STATUS[code])
  expect(handled).toBe(before)
})

test('the error for a wrong method names the methods of the address', async () => {
  const { headers } = await call(server, 'DELETE', '/v1/away')
  expect(headers.get('allow')).toBe('GET, HEAD')
})

test('the error for an unavailable database has Retry-After and does not show the database’s address', async () => {
  const { headers, body } = await call(server, 'GET', '/v1/away')
  expect(headers.get('retry-after')).toBe('1')
  expect(JSON.stringify(body)).not.toContain('10.0.0.5')
})

test.each([
  ['a character set written otherwise', 'application/json; charset="UTF-8"'],
  ['no character set', 'Application/JSON'],
])('%s is understood', async (_what, type) => {
  const response = await fetch(`${server.url}/v1/echo/a`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: '{"text":"नमस्ते 💸"}',
  })
  expect(await response.json()).toEqual({ text: 'नमस्ते 💸' })
})

test('an empty form, as curl sends it, is no body', async () => {
  const reply = await raw(post('', 'content-type: application/x-www-form-urlencoded'))
  expect(reply).toMatchObject({
    status: 400,
    error: { message: expect.stringContaining('needs a JSON body') },
  })
})

test('an absolute address of the Host that the request names is served', async () => {
  expect(await raw(get('http://X/v1/away'))).toMatchObject({ status: 503 })
})

const arrays = (depth: number, inside = '') => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`

test.each([
  ['5,000 arrays around a number that is read digit by digit', arrays(5_000, '0.125')],
  ['as many arrays as a body can hold', arrays(30_000)],
  ['10,000 objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['arrays that are never closed', '['.repeat(60_000)],
  ['one level more than 32', arrays(32)],
])('JSON nested too deep is refused before it is parsed: %s', async (_what, more) => {
  const before = handled
  const response = await call(server, 'POST', '/v1/echo/a', { body: `{"text":"a","more":${more}}` })
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } })
  expect(response.body).toMatchObject({
    error: { message: expect.stringContaining('deeper than 32 levels') },
  })
  expect(handled).toBe(before)
})

test('JSON of 32 levels is accepted, and brackets in strings do not count', async () => {
  const text = '[{"\\'.repeat(100)
  const body = `{"text":${JSON.stringify(text)},"more":${arrays(31, JSON.stringify(text))}}`
  expect(await call(server, 'POST', '/v1/echo/a', { body })).toMatchObject({ status: 200, body: { text } })
  const side = JSON.stringify({ text, more: Array.from({ length: 100 }, () => [[]]) })
  expect(await call(server, 'POST', '/v1/echo/a', { body: side })).toMatchObject({ status: 200 })
})

test('an idempotency_key in a body that takes none points to the header', async () => {
  for (const body of [
    { text: 'a', idempotency_key: 'k' },
    { text: 'a', idempotency_key: 'k', other: 1 },
  ]) {
    const response = await call(server, 'POST', '/v1/echo/a', { body })
    expect(response).toMatchObject({ status: 400, body: { error: { field: 'idempotency_key' } } })
    expect(response.body).toMatchObject({
      error: { message: expect.stringContaining('the header Idempotency-Key') },
    })
  }
})

const tooLarge = (head: string) =>
  `POST /v1/echo/a HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${head}\r\n\r\n`

test.each([
  ['a known length', 'content-length: 3000000', 'x'.repeat(3_000_000)],
  [
    'a known length on a connection to be closed',
    'connection: close\r\ncontent-length: 3000000',
    'x'.repeat(3_000_000),
  ],
  [
    'an unknown length',
    'transfer-encoding: chunked',
    `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(40) + '0\r\n\r\n',
  ],
])('a client that sends a large body of %s reads the whole refusal', async (_what, head, body) => {
  const socket = connect(server.port, '127.0.0.1')
  const response = text(socket)
  const request = Buffer.from(tooLarge(head) + body)
  for (let sent = 0; sent < request.length; sent += 65_536) {
    socket.write(request.subarray(sent, sent + 65_536))
    await setImmediate()
  }
  expect(await response).toContain('413 Payload Too Large')
})

test('the connection of a body without an end is closed', async () => {
  const socket = connect(server.port, '127.0.0.1')
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  const endless = async function* () {
    yield tooLarge('transfer-encoding: chunked')
    for (;;) yield chunk
  }
  socket.resume()
  await expect(pipeline(endless, socket)).rejects.toMatchObject({ syscall: 'write' })
})

test('a body of exactly 64 KiB is accepted', async () => {
  const body = JSON.stringify({ text: 'x'.repeat(65_536 - 11) })
  expect(Buffer.byteLength(body)).toBe(65_536)
  expect((await call(server, 'POST', '/v1/echo/a', { body })).status).toBe(200)
})

test('a number of 64 KiB is refused quickly, wherever its significant digits are', async () => {
  const literal = `10.${'0'.repeat(65_000)}1`
  const startedMs = performance.now()
  const reply = await call(server, 'POST', '/v1/echo/asha', { body: `{"text":"a","more":${literal}}` })
  // Compared digit by digit it takes seconds; reading it takes a thousandth of that.
  expect(performance.now() - startedMs).toBeLessThan(1_000)
  expect(reply.status).toBe(200)
  const refused = await call(server, 'POST', '/v1/echo/asha', { body: `{"text":${literal}}` })
  expect(refused.status).toBe(400)
})
