import { connect, type Socket } from 'node:net'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { route } from '@batua/contract'
import { Type } from 'typebox'
import { afterEach, expect, test } from 'vitest'
import { AS_AGENT, AS_PLATFORM, call, startTestServer, type TestServer } from '../../testing/test-server.ts'

const wait = route({
  operationId: 'wait',
  method: 'POST',
  path: '/v1/wait',
  tag: 'Test',
  summary: 'Responds when it is let',
  who: ['agent', 'platform'],
  status: 200,
  body: Type.Object({ fails: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
  response: Type.Object({ done: Type.Boolean() }),
  errors: [],
})
const quick = route({
  operationId: 'quick',
  method: 'GET',
  path: '/v1/quick',
  tag: 'Test',
  summary: 'Responds',
  who: ['agent', 'platform'],
  status: 200,
  response: Type.Object({ done: Type.Boolean() }),
  errors: [],
})

const MOST = 3

let server: TestServer
let sockets: Socket[] = []
/** Those that wait inside the handler. */
let arrived: (() => void)[] = []

async function start(maxInFlight = MOST): Promise<void> {
  arrived = []
  server = await startTestServer(
    ({ serve }) => {
      serve(wait, async ({ body }) => {
        await new Promise<void>(resolve => arrived.push(resolve))
        if (body.fails === true) throw new Error('failed')
        return { done: true }
      })
      serve(quick, () => ({ done: true }))
    },
    { maxInFlight },
  )
}

afterEach(async () => {
  for (const end of arrived) end()
  for (const socket of sockets) socket.destroy()
  sockets = []
  await server.close()
})

const ask = (headers: Record<string, string> = AS_AGENT) => call(server, 'GET', '/v1/quick', { headers })
const waitAs = (headers: Record<string, string> = AS_AGENT, body: object = {}) =>
  call(server, 'POST', '/v1/wait', { headers, body })

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await turnOfTheLoop()
}

const message = (body: string, length = body.length) =>
  `POST /v1/wait HTTP/1.1\r\nhost: batua\r\nx-agent-key: good-key\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`

/** Sends bytes on a connection of their own. */
function send(bytes: string): Socket {
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(bytes)
  sockets.push(socket)
  return socket
}

/** All places are free: as many requests wait inside the handler as one credential may have. */
async function expectAllFree(): Promise<void> {
  const before = arrived.length
  const waiting = Array.from({ length: MOST }, () => waitAs())
  await until(() => arrived.length === before + MOST)
  expect((await ask()).status).toBe(429)
  for (const end of arrived) end()
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
}

test('one credential has at most the limit of requests in flight, and a further one gets Retry-After', async () => {
  await start()
  const waiting = Array.from({ length: MOST }, () => waitAs())
  await until(() => arrived.length === MOST)
  const refused = await ask()
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
  expect(refused.headers.get('retry-after')).toBe('1')
  for (const end of arrived) end()
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
  expect((await ask()).status).toBe(200)
})

test('credentials are counted separately, also an agent and its platform', async () => {
  await start()
  const waiting = Array.from({ length: MOST }, () => waitAs(AS_AGENT))
  await until(() => arrived.length === MOST)
  expect((await ask(AS_PLATFORM)).status).toBe(200)
  for (const end of arrived) end()
  await Promise.all(waiting)
})

test('a limit of 0 admits any number of requests in flight', async () => {
  await start(0)
  const waiting = Array.from({ length: 40 }, () => waitAs())
  await until(() => arrived.length === 40)
  expect((await ask()).status).toBe(200)
  for (const end of arrived) end()
  await Promise.all(waiting)
})

test('a failed or refused request no longer counts as in flight', async () => {
  await start()
  const failing = Array.from({ length: MOST }, () => waitAs(AS_AGENT, { fails: true }))
  await until(() => arrived.length === MOST)
  for (const end of arrived) end()
  for (const { status } of await Promise.all(failing)) expect(status).toBe(500)
  for (let request = 0; request < MOST; request++) {
    expect((await waitAs(AS_AGENT, { unknown: 1 })).status).toBe(400)
  }
  await expectAllFree()
})

test('a request whose client disconnected counts as in flight until its work is done', async () => {
  await start()
  const hanging = Array.from({ length: MOST }, () => send(message('{}')))
  await until(() => arrived.length === MOST)
  for (const socket of hanging) socket.destroy()
  await until(() => hanging.every(socket => socket.closed))
  expect((await ask()).status).toBe(429)
  for (const end of arrived) end()
  await until(async () => (await ask()).status === 200)
  await expectAllFree()
})

test('a request with an incomplete body no longer counts when its connection ends', async () => {
  await start()
  const sending = Array.from({ length: MOST }, () => send(message('{', 100)))
  await until(async () => (await ask()).status === 429)
  for (const socket of sending) socket.destroy()
  await until(async () => (await ask()).status === 200)
  await expectAllFree()
})

test('pipelined requests count one by one, and none counts after their connection has ended', async () => {
  await start()
  const socket = send(message('{}').repeat(MOST))
  await until(() => arrived.length === MOST)
  expect((await ask()).status).toBe(429)
  // The last is done first; its response waits behind the others and will never be sent.
  arrived[MOST - 1]?.()
  socket.destroy()
  for (const end of arrived) end()
  await until(async () => (await ask()).status === 200)
  await expectAllFree()
})
