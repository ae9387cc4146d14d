import { describe, expect, test, vi } from 'vitest'
import { startReceiver, startTcpReceiver } from '../testing/receiver.ts'
import { responded, senderForTest, webhookTo } from '../testing/sending.ts'

const SHORT_MS = 60

test('the signed body arrives once, byte for byte, at the full URL', async () => {
  const receiver = await startReceiver(response => response.end('thanks'))
  const body = '{"name":"आपा","amount":1.50}'
  const webhook = webhookTo(`${receiver.origin}/in/a%20b?token=x&y=#part`, body)
  expect(await senderForTest().send(webhook)).toEqual(responded(200))
  expect(receiver.requests).toEqual([
    { method: 'POST', path: '/in/a%20b?token=x&y=', body, headers: expect.objectContaining(webhook.headers) },
  ])
  expect(receiver.requests[0]?.headers).toMatchObject({
    host: `127.0.0.1:${receiver.port}`,
    'content-length': String(Buffer.byteLength(body)),
  })
})

test.each([
  [200, null],
  [204, null],
  [299, null],
  [400, null],
  [410, null],
  [429, '120'],
  [500, null],
  [503, 'Fri, 20 Nov 2026 10:02:00 GMT'],
])('a response of %i with Retry-After %j is returned unchanged', async (status, retryAfter) => {
  const { origin } = await startReceiver(response => {
    if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
    response.writeHead(status).end()
  })
  expect(await senderForTest().send(webhookTo(origin))).toEqual(responded(status, retryAfter))
})

test('the first of several Retry-After headers counts', async () => {
  const { origin } = await startReceiver(response => {
    response.setHeader('retry-after', ['7', '9']).writeHead(503).end()
  })
  expect(await senderForTest().send(webhookTo(origin))).toEqual(responded(503, '7'))
})

test.each([301, 302, 303, 307, 308])('a redirect is not followed (%i)', async status => {
  const target = await startReceiver(response => response.end())
  for (const location of [target.origin, 'http://169.254.169.254/latest/meta-data/']) {
    const { origin } = await startReceiver(response => response.writeHead(status, { location }).end())
    expect(await senderForTest().send(webhookTo(origin))).toEqual(responded(status))
  }
  expect(target.connections()).toBe(0)
})

describe('a sender’s connections', () => {
  test('one connection is reused for one request after another', async () => {
    const receiver = await startReceiver(response => response.end('x'.repeat(16 * 1024)))
    const sender = senderForTest()
    for (const _ of [1, 2, 3]) expect(await sender.send(webhookTo(receiver.origin))).toEqual(responded(200))
    expect(receiver.connections()).toBe(1)
    expect(receiver.requests).toHaveLength(3)
  })

  test('there are never more connections than allowed, and each carries one request at a time', async () => {
    let underWay = 0
    let most = 0
    const receiver = await startReceiver(response => {
      underWay += 1
      most = Math.max(most, underWay)
      setTimeout(() => {
        underWay -= 1
        response.end()
      }, 5)
    })
    const sender = senderForTest({ maxConnections: 3 })
    const all = await Promise.all(Array.from({ length: 12 }, () => sender.send(webhookTo(receiver.origin))))
    expect(all).toEqual(Array.from({ length: 12 }, () => responded(200)))
    expect(receiver.connections()).toBe(3)
    expect(most).toBe(3)
  })

  test('no connection waits until another has negotiated its protocol', async () => {
    const withoutTls = await startTcpReceiver(() => {})
    const sender = senderForTest()
    const sending = [1, 2, 3].map(() => sender.send(webhookTo(`https://127.0.0.1:${withoutTls.port}`)))
    await vi.waitUntil(() => withoutTls.open() === 3, { interval: 2 })
    await sender.close()
    await Promise.all(sending)
  })

  test('a connection that the receiver closes is replaced', async () => {
    const receiver = await startReceiver(response => response.writeHead(200, { connection: 'close' }).end())
    const sender = senderForTest()
    for (const _ of [1, 2]) expect(await sender.send(webhookTo(receiver.origin))).toEqual(responded(200))
    expect(receiver.connections()).toBe(2)
  })

  test('data that a receiver sends without a request is not taken for its next response', async () => {
    let requests = 0
    const { origin } = await startTcpReceiver(socket => {
      requests += 1
      const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
      socket.write(requests === 1 ? ok + ok : 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n')
    })
    const sender = senderForTest()
    expect(await sender.send(webhookTo(origin))).toEqual(responded(200))
    expect(await sender.send(webhookTo(origin))).not.toEqual(responded(200))
  })

  test('closing the sender ends all connections at once, in any state', async () => {
    const silent = await startReceiver(() => {})
    const quick = await startReceiver(response => response.end())
    const withoutTls = await startTcpReceiver(() => {})
    const sender = senderForTest()
    await sender.send(webhookTo(quick.origin))
    const underWay = [silent.origin, `https://127.0.0.1:${withoutTls.port}`].map(url =>
      sender.send(webhookTo(url)),
    )
    await vi.waitUntil(() => silent.requests.length === 1 && withoutTls.open() === 1, { interval: 2 })
    await sender.close()
    for (const result of await Promise.all(underWay)) expect(result.kind).toBe('no_response')
    await vi.waitUntil(() => [silent, quick, withoutTls].every(({ open }) => open() === 0), { interval: 2 })
    expect(await sender.send(webhookTo(quick.origin))).toMatchObject({ kind: 'no_response' })
  })
})

describe('the body of a response', () => {
  test('may be endless: the status counts and the connection is closed', async () => {
    const receiver = await startReceiver(response => {
      response.writeHead(202)
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      }
      response.on('drain', pour)
      pour()
    })
    expect(await senderForTest().send(webhookTo(receiver.origin))).toEqual(responded(202))
    await vi.waitUntil(() => receiver.open() === 0, { interval: 2 })
  })

  test('is read no longer than the timeout of the attempt', async () => {
    const receiver = await startReceiver(response => {
      const drip = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(drip))
    })
    const startedAt = performance.now()
    const result = await senderForTest({ timeoutMs: SHORT_MS }).send(webhookTo(receiver.origin))
    expect(result).toEqual(responded(200))
    expect(performance.now() - startedAt).toBeLessThan(SHORT_MS + 500)
    await vi.waitUntil(() => receiver.open() === 0, { interval: 2 })
  })

  test('may break off: the status counts', async () => {
    const { origin } = await startTcpReceiver(socket => {
      socket.end('HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\nhalf of')
    })
    expect(await senderForTest().send(webhookTo(origin))).toEqual(responded(500))
  })
})

describe('an aborted attempt', () => {
  test('rejects with the reason of the abort and closes the connection', async () => {
    const receiver = await startReceiver(() => {})
    const abort = new AbortController()
    const sending = senderForTest().send(webhookTo(receiver.origin), abort.signal)
    await vi.waitUntil(() => receiver.requests.length === 1, { interval: 2 })
    abort.abort(new Error('the lease is lost'))
    await expect(sending).rejects.toThrow('the lease is lost')
    await vi.waitUntil(() => receiver.open() === 0, { interval: 2 })
  })

  test('sends no request if its connection was not established yet', async () => {
    const receiver = await startReceiver(response => response.end())
    const resolved = Promise.withResolvers<[{ address: string; family: number }]>()
    const asked = Promise.withResolvers<void>()
    const lookup = () => {
      asked.resolve()
      return resolved.promise
    }
    const sender = senderForTest({ lookup })
    const abort = new AbortController()
    const sending = sender.send(webhookTo(`http://slow.test:${receiver.port}/`), abort.signal)
    await asked.promise
    abort.abort(new Error('stopping'))
    await expect(sending).rejects.toThrow('stopping')
    resolved.resolve([{ address: '127.0.0.1', family: 4 }])
    await vi.waitUntil(() => receiver.connections() === 1 && receiver.open() === 0, { interval: 2 })
    expect(receiver.requests).toEqual([])
  })

  test('opens no connection if it was aborted before it began', async () => {
    const receiver = await startReceiver(response => response.end())
    const aborted = AbortSignal.abort(new Error('too late'))
    await expect(senderForTest().send(webhookTo(receiver.origin), aborted)).rejects.toThrow('too late')
    expect(receiver.connections()).toBe(0)
  })

  test('keeps its result if the abort comes after the response', async () => {
    const { origin } = await startReceiver(response => response.end())
    const abort = new AbortController()
    const sender = senderForTest()
    const result = await sender.send(webhookTo(origin), abort.signal)
    abort.abort()
    expect(result).toEqual(responded(200))
    expect(await sender.send(webhookTo(origin))).toEqual(responded(200))
  })
})

test('the timeout of an attempt includes waiting for a free connection', async () => {
  const receiver = await startReceiver(() => {})
  const sender = senderForTest({ maxConnections: 1, timeoutMs: SHORT_MS })
  const results = await Promise.all([1, 2, 3].map(() => sender.send(webhookTo(receiver.origin))))
  const late = { kind: 'no_response', error: 'No response within 0.06 seconds' }
  expect(results).toEqual([late, late, late])
})
