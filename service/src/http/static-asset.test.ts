import { request as httpRequest, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing/test-server.ts'
import { encodingFor, staticAsset } from './static-asset.ts'

const TEXT = 'the same words again and again, '.repeat(1_000)
let server: TestServer
let made = 0

beforeAll(async () => {
  const send = staticAsset({
    type: 'text/plain; charset=utf-8',
    headers: { 'cache-control': 'no-cache' },
    make: async () => {
      made++
      return TEXT
    },
  })
  server = await startTestServer(({ fastify }) => fastify.get('/asset', send))
})
afterAll(() => server.close())

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

/** Unlike fetch it sends only the headers that it is given, and shows the bytes as they came. */
async function ask(headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${server.url}/asset`, { method, headers }, resolve).on('error', reject).end()
  })
  const bytes = Buffer.concat(await response.toArray())
  return { status: response.statusCode ?? 0, headers: response.headers, bytes }
}

test('an asset is made once and sent in the smallest encoding that the client accepts', async () => {
  const plain = await ask()
  expect(plain).toMatchObject({ status: 200, headers: { vary: 'accept-encoding' } })
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.bytes.toString()).toBe(TEXT)
  const zipped = await ask({ 'accept-encoding': 'gzip' })
  expect(zipped.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(zipped.bytes).toString()).toBe(TEXT)
  const brotli = await ask({ 'accept-encoding': 'gzip, deflate, br' })
  expect(brotli.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': 'text/plain; charset=utf-8',
  })
  expect(brotliDecompressSync(brotli.bytes).toString()).toBe(TEXT)
  expect(brotli.bytes.length).toBeLessThan(TEXT.length / 10)
  expect(made).toBe(1)
})

test('each encoding has its own strong ETag, and a client that has it gets 304 without a body', async () => {
  const tags = new Set<string>()
  for (const encoding of ['identity', 'gzip', 'br']) {
    const accept = { 'accept-encoding': encoding }
    const tag = String((await ask(accept)).headers.etag)
    expect(tag).toMatch(/^"[\w-]+"$/)
    tags.add(tag)
    for (const named of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
      const again = await ask({ ...accept, 'if-none-match': named })
      expect(again).toMatchObject({ status: 304, headers: { etag: tag, 'cache-control': 'no-cache' } })
      expect(again.bytes.length).toBe(0)
    }
    expect((await ask({ ...accept, 'if-none-match': '"other"' })).status).toBe(200)
  }
  expect(tags.size).toBe(3)
})

test('HEAD has the headers of GET and no body', async () => {
  const accept = { 'accept-encoding': 'br' }
  const [got, head] = [await ask(accept), await ask(accept, 'HEAD')]
  expect(head.status).toBe(200)
  expect(head.bytes.length).toBe(0)
  for (const name of ['etag', 'content-length', 'content-type', 'content-encoding', 'vary', 'cache-control'])
    expect([name, head.headers[name]]).toEqual([name, got.headers[name]])
})

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0, br;q=0', 'identity'],
  ['*', 'br'],
  ['*, br;q=0', 'gzip'],
  ['GZIP', 'gzip'],
  ['deflate', 'identity'],
  ['br;q=nonsense', 'identity'],
] as const)('Accept-Encoding %s gets %s', (accepted, encoding) => {
  expect(encodingFor(accepted)).toBe(encoding)
})
