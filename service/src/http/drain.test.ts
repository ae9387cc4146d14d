import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { route } from '@batua/contract'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing/test-server.ts'

const wait = route({
  operationId: 'wait',
  method: 'GET',
  path: '/v1/wait',
  tag: 'Test',
  summary: 'Responds when it is let',
  who: [],
  status: 200,
  response: Type.Object({ done: Type.Boolean() }),
  errors: [],
})
const quick = route({ ...wait, operationId: 'quick', path: '/v1/quick' })

interface Gate {
  readonly server: TestServer
  /** Resolves when a request waits inside the handler. */
  readonly arrived: Promise<void>
  release(): void
}

async function startWithGate(): Promise<Gate> {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const server = await startTestServer(({ serve }) => {
    serve(wait, async () => {
      arrived.resolve()
      await released.promise
      return { done: true }
    })
    serve(quick, () => ({ done: true }))
  })
  return { server, arrived: arrived.promise, release: released.resolve }
}

interface Reply {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly body: string
}

function request(server: TestServer, path: string, agent: Agent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = get({ port: server.port, host: '127.0.0.1', path, agent }, response => {
      const { statusCode: status, headers } = response
      text(response).then(body => resolve({ status, connection: headers.connection, body }), reject)
    })
    sent.on('error', reject)
  })
}

test('an accepted request is finished during a close, and its connection ends', async () => {
  const { server, arrived, release } = await startWithGate()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const response = request(server, '/v1/wait', agent)
  await arrived
  const closed = server.close()
  expect(server.isClosing()).toBe(true)
  await expect(request(server, '/v1/quick', new Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  release()
  expect(await response).toMatchObject({ status: 200, connection: 'close', body: '{"done":true}' })
  await closed
  agent.destroy()
})

test('idle keep-alive connections do not delay a close', async () => {
  const { server } = await startWithGate()
  const agent = new Agent({ keepAlive: true })
  await request(server, '/v1/quick', agent)
  const startedAt = performance.now()
  await server.close()
  expect(performance.now() - startedAt).toBeLessThan(1000)
  agent.destroy()
})

test('a request that arrives during a close is refused before anything is done', async () => {
  const { server, arrived, release } = await startWithGate()
  const held = request(server, '/v1/wait', new Agent())
  await arrived
  const socket = connect(server.port, '127.0.0.1')
  const began = new Promise(resolve => server.fastify.server.once('connection', resolve))
  socket.write('GET /v1/quick HTTP/1.1\r\n')
  await began
  await turnsOfTheLoop(5)
  const closed = server.close()
  await turnsOfTheLoop(5)
  socket.write('host: x\r\n\r\n')
  const response = await text(socket)
  expect(response).toMatch(/^HTTP\/1\.1 503 /)
  expect(response.toLowerCase()).toContain('connection: close')
  expect(response).toContain('"code":"service_unavailable"')
  release()
  expect(await held).toMatchObject({ status: 200 })
  await closed
})

async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}

test('a request that does not end is cut off after a bounded time', async () => {
  const { server, arrived } = await startWithGate()
  const agent = new Agent({ keepAlive: true })
  const response = request(server, '/v1/wait', agent)
  await arrived
  const cut = expect(response).rejects.toMatchObject({ code: 'ECONNRESET' })
  await server.close({ graceMs: 50 })
  await cut
  agent.destroy()
})

test('a keep-alive client gets Connection: close before its connection ends, and loses no request', async () => {
  const { server } = await startWithGate()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await request(server, '/v1/quick', agent)
  const closed = server.close({ sendAwayMs: 100 })
  expect(server.isClosing()).toBe(true)
  expect(await request(server, '/v1/quick', agent)).toMatchObject({ status: 200, connection: 'close' })
  await closed
  agent.destroy()
})

test('a second close has no further effect', async () => {
  const { server } = await startWithGate()
  await Promise.all([server.close(), server.close()])
})

test('a connection on which nothing moves is closed, also when a response was not read', async () => {
  const bytes = Buffer.alloc(32 * 1024 * 1024)
  const server = await startTestServer(({ fastify }) => void fastify.get('/large', async () => bytes))
  const { server: http } = server.fastify
  expect(http.timeout).toBe(120_000)
  http.timeout = 20
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  socket.pause()
  socket.write('GET /large HTTP/1.1\r\nHost: batua.test\r\n\r\n')
  const [taken] = await once(http, 'connection')
  await once(taken, 'close')
  socket.destroy()
  await server.close()
})
