import { describe, expect, test, vi } from 'vitest'
import { LOCALHOST } from '../testing/localhost-certificate.ts'
import { closedPort, startReceiver, startTcpReceiver } from '../testing/receiver.ts'
import { noResponse, responded, senderForTest, webhookTo } from '../testing/sending.ts'

const SHORT_MS = 60
const LATE = { kind: 'no_response', error: 'No response within 0.06 seconds' }
const BROKE = noResponse('The connection broke before a response')
const NO_HTTP = noResponse('The response is not valid HTTP')
const TOO_LONG = noResponse('The headers of the response are too long')

describe('a receiver that is too slow', () => {
  test('gets at most 15 seconds, then its connection is closed', async () => {
    const receiver = await startReceiver(() => {})
    expect(await senderForTest({ timeoutMs: SHORT_MS }).send(webhookTo(receiver.origin))).toEqual(LATE)
    await vi.waitUntil(() => receiver.open() === 0, { interval: 2 })
  })

  test('gets no more time by sending its headers byte by byte', async () => {
    const receiver = await startTcpReceiver(socket => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      const drip = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => clearInterval(drip))
    })
    expect(await senderForTest({ timeoutMs: SHORT_MS }).send(webhookTo(receiver.origin))).toEqual(LATE)
    await vi.waitUntil(() => receiver.open() === 0, { interval: 2 })
  })

  test('gets no more time by sending 102 Processing again and again', async () => {
    const { origin } = await startTcpReceiver(socket => {
      const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10)
      socket.on('close', () => clearInterval(drip))
    })
    expect(await senderForTest({ timeoutMs: SHORT_MS }).send(webhookTo(origin))).toEqual(LATE)
  })

  test('gets no more time if it does not complete the TLS handshake', async () => {
    const { port } = await startTcpReceiver(() => {})
    const sender = senderForTest({ timeoutMs: SHORT_MS })
    expect(await sender.send(webhookTo(`https://127.0.0.1:${port}/`))).toEqual(LATE)
  })

  test('gets no more time if its name is never resolved', async () => {
    const sender = senderForTest({ timeoutMs: SHORT_MS, lookup: () => new Promise(() => {}) })
    expect(await sender.send(webhookTo('http://slow.test/'))).toEqual(LATE)
  })

  test('does not delay the next attempt', async () => {
    let requests = 0
    const { origin } = await startReceiver(response => {
      requests += 1
      if (requests > 1) response.end()
    })
    const sender = senderForTest({ timeoutMs: SHORT_MS, maxConnections: 1 })
    expect(await sender.send(webhookTo(origin))).toEqual(LATE)
    expect(await sender.send(webhookTo(origin))).toEqual(responded(200))
  })
})

test.each([
  ['nothing', '', BROKE],
  ['half a status line', 'HTTP/1.1 2', BROKE],
  ['half of its headers', 'HTTP/1.1 200 OK\r\ncontent-le', BROKE],
  ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', NO_HTTP],
  ['bytes', '\u0000\u0001\u0002\r\n\r\n', NO_HTTP],
  ['an invalid status', 'HTTP/1.1 2xx OK\r\n\r\n', NO_HTTP],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', NO_HTTP],
  ['a header bomb', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(64 * 1024)}\r\n\r\n`, TOO_LONG],
  ['a thousand headers', `HTTP/1.1 200 OK\r\n${'xxxxxxxxxxxxxxxxxx: y\r\n'.repeat(1000)}\r\n`, TOO_LONG],
])('a response of %s counts as no response', async (_, bytes, expected) => {
  const { origin } = await startTcpReceiver(socket => socket.end(bytes, 'latin1'))
  expect(await senderForTest().send(webhookTo(origin))).toEqual(expected)
})

test('endless headers are cut off at the limit', async () => {
  const receiver = await startTcpReceiver(socket => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const pour = () => {
      while (!socket.destroyed && socket.write(`x: ${'x'.repeat(1000)}\r\n`));
    }
    socket.on('drain', pour)
    pour()
  })
  expect(await senderForTest().send(webhookTo(receiver.origin))).toEqual(TOO_LONG)
  await vi.waitUntil(() => receiver.open() === 0, { interval: 2 })
})

test.each([
  ['empty lines', '', '\r\n'],
  ['a reason', 'HTTP/1.1 200 ', 'x'],
  ['an extension of a chunk', 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'],
])('a response of endless %s is cut off at the limit', async (_, head, more) => {
  let sent = 0
  const receiver = await startTcpReceiver(socket => {
    socket.write(head)
    const pour = () => {
      for (let goesOn = true; goesOn && !socket.destroyed; sent += 65_536) {
        goesOn = socket.write(more.repeat(65_536 / more.length))
      }
    }
    socket.on('drain', pour)
    pour()
  })
  const result = await senderForTest({ timeoutMs: 1_000 }).send(webhookTo(receiver.origin))
  expect(result).toEqual(head.includes('500') ? responded(500) : noResponse('The response is too long'))
  await vi.waitUntil(() => receiver.open() === 0, { interval: 2 })
  // The bytes in socket buffers were sent but not read.
  expect(sent).toBeLessThan(32 * 1024 * 1024)
})

test('a connection reset counts as no response', async () => {
  const { origin } = await startTcpReceiver(socket => socket.resetAndDestroy())
  expect(await senderForTest().send(webhookTo(origin))).toEqual(BROKE)
})

describe('an informational response', () => {
  test.each(['102 Processing', '103 Early Hints'])('of %s precedes the response that counts', async early => {
    const { origin } = await startTcpReceiver(socket => {
      socket.write(
        `HTTP/1.1 ${early}\r\nretry-after: 5\r\n\r\nHTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n`,
      )
    })
    expect(await senderForTest().send(webhookTo(origin))).toEqual(responded(503))
  })

  test.each(['100 Continue', '101 Switching Protocols'])(
    'of %s was not requested, so the attempt fails',
    async odd => {
      const { origin } = await startTcpReceiver(socket => {
        socket.write(`HTTP/1.1 ${odd}\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`)
      })
      expect(await senderForTest().send(webhookTo(origin))).toEqual(BROKE)
    },
  )

  test('is cut off when there are too many', async () => {
    const { origin } = await startTcpReceiver(socket =>
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)),
    )
    expect(await senderForTest().send(webhookTo(origin))).toEqual(
      noResponse('The receiver sent too much before its response'),
    )
  })
})

describe('the attempt fails when', () => {
  test('nothing listens at the address', async () => {
    const result = await senderForTest().send(webhookTo(`http://127.0.0.1:${await closedPort()}/`))
    expect(result).toEqual(noResponse('Nobody listens at this address'))
  })

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'ESERVFAIL'])('the name is not resolved (%s)', async code => {
    const failure = Object.assign(new Error(`getaddrinfo ${code} internal.test`), { code })
    const sender = senderForTest({ lookup: () => Promise.reject(failure) })
    const result = await sender.send(webhookTo('http://internal.test/'))
    expect(result).toEqual(noResponse('The name of the host could not be resolved'))
  })

  test('the name has no address', async () => {
    const sender = senderForTest({ lookup: () => Promise.resolve([]) })
    const result = await sender.send(webhookTo('http://empty.test/'))
    expect(result).toEqual(noResponse('The name of the host could not be resolved'))
  })

  test.each(['', 'hook', 'ftp://example.com/', 'file:///etc/passwd', 'https://'])(
    'the webhook_url is %j',
    async url => {
      const result = await senderForTest().send(webhookTo(url))
      expect(result).toEqual(noResponse('The address is not an http or https one'))
    },
  )
})

describe('TLS', () => {
  test('a trusted certificate is accepted', async () => {
    const receiver = await startReceiver(response => response.writeHead(204).end(), { tls: true })
    const sender = senderForTest({ ca: LOCALHOST.certificate })
    for (const _ of [1, 2])
      expect(await sender.send(webhookTo(`${receiver.origin}/in`))).toEqual(responded(204))
    expect(receiver.connections()).toBe(1)
    expect(receiver.requests).toHaveLength(2)
  })

  test('a self-signed certificate is refused', async () => {
    const receiver = await startReceiver(response => response.end(), { tls: true })
    const result = await senderForTest().send(webhookTo(receiver.origin))
    expect(result).toEqual(noResponse('The TLS certificate is not valid'))
    expect(receiver.requests).toEqual([])
  })

  test.each(['other.test', '127.0.0.1'])('a certificate of another host is refused (%s)', async host => {
    const receiver = await startReceiver(response => response.end(), { tls: true })
    const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    const sender = senderForTest({ ca: LOCALHOST.certificate, lookup })
    const result = await sender.send(webhookTo(`https://${host}:${receiver.port}/`))
    expect(result).toEqual(noResponse('The TLS certificate is not valid'))
    expect(receiver.requests).toEqual([])
  })

  test('a receiver that speaks plain HTTP receives no request', async () => {
    const receiver = await startReceiver(response => response.end())
    const result = await senderForTest().send(webhookTo(`https://127.0.0.1:${receiver.port}/`))
    expect(result).toEqual(noResponse('No TLS connection could be made'))
    expect(receiver.requests).toEqual([])
  })
})
