import { createServer, type Socket, type Server as TcpServer } from 'node:net'
import { route } from '@batua/contract'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { silentLogger } from '../../kernel/logger.ts'
import {
  AS_AGENT,
  call,
  startTestServer,
  TEST_AGENT,
  type TestServer,
  testAuthenticators,
  UNLIMITED,
} from '../../testing/test-server.ts'
import { connectRedis } from './rate-limit-store.ts'

const ping = route({
  operationId: 'ping',
  method: 'GET',
  path: '/v1/ping',
  tag: 'Test',
  summary: 'Responds',
  who: ['agent'],
  status: 200,
  response: Type.Object({ pong: Type.Boolean() }),
  errors: [],
})

const LIMITS = { ...UNLIMITED, agentPerMinute: 3, platformPerMinute: 3, unauthenticatedPerMinute: 3 }

interface FakeRedis {
  readonly port: number
  readonly counts: Map<string, number>
  close(): void
}

/** Counts under the key it is given for every script that has arguments, and reads it for one without; says OK to all else. */
async function startFakeRedis(): Promise<FakeRedis> {
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  const server: TcpServer = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', data => {
      for (const command of data.toString().split(/(?=\*\d+\r\n)/)) socket.write(responseTo(command, counts))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: address.port, counts, close }
}

function responseTo(command: string, counts: Map<string, number>): string {
  const words = command.split('\r\n').filter((_, index) => index > 0 && index % 2 === 0)
  const [name = '', , , key = '', ...values] = words
  if (!/^eval/i.test(name)) return '+OK\r\n'
  if (values.length > 0) counts.set(key, (counts.get(key) ?? 0) + 1)
  return `*2\r\n:${counts.get(key) ?? 0}\r\n:60000\r\n`
}

test('two nodes with one Redis share each budget', async () => {
  const fake = await startFakeRedis()
  const stores = await Promise.all(
    [0, 1].map(() => connectRedis(`redis://127.0.0.1:${fake.port}`, silentLogger())),
  )
  await Promise.all(stores.map(redis => new Promise(resolve => redis.once('ready', resolve))))
  const nodes = await Promise.all(
    stores.map(redis =>
      startTestServer(({ serve }) => serve(ping, () => ({ pong: true })), { rateLimits: LIMITS, redis }),
    ),
  )
  const statuses: number[] = []
  for (const node of [...nodes, ...nodes]) {
    statuses.push((await call(node, 'GET', '/v1/ping', { headers: AS_AGENT })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
  expect([...fake.counts.values()]).toEqual([4])
  await Promise.all(nodes.map(node => node.close()))
  for (const redis of stores) redis.disconnect()
  fake.close()
})

test('two nodes with one Redis together look up only as many wrong credentials of an address as one node alone', async () => {
  const fake = await startFakeRedis()
  const stores = await Promise.all(
    [0, 1].map(() => connectRedis(`redis://127.0.0.1:${fake.port}`, silentLogger())),
  )
  await Promise.all(stores.map(redis => new Promise(resolve => redis.once('ready', resolve))))
  let lookedUp = 0
  const agent = async (key: string) => {
    lookedUp++
    return key === 'good-key' ? TEST_AGENT : null
  }
  const options = { rateLimits: LIMITS, authenticators: { ...testAuthenticators, agent } }
  const nodes = await Promise.all(
    stores.map(redis =>
      startTestServer(({ serve }) => serve(ping, () => ({ pong: true })), { ...options, redis }),
    ),
  )
  const [first, second] = nodes
  if (first === undefined || second === undefined) throw new Error('no nodes')
  const ask = async (node: TestServer, key: string) =>
    (await call(node, 'GET', '/v1/ping', { headers: { 'x-agent-key': key } })).status
  expect(await ask(second, 'good-key')).toBe(200)
  for (const node of [first, second, first]) expect(await ask(node, 'wrong')).toBe(401)
  expect(lookedUp).toBe(4)
  for (const node of nodes) expect(await ask(node, 'wrong')).toBe(429)
  expect(lookedUp).toBe(4)
  expect(await ask(first, 'good-key')).toBe(429)
  expect(await ask(second, 'good-key')).toBe(200)
  expect(lookedUp).toBe(5)
  await Promise.all(nodes.map(node => node.close()))
  for (const redis of stores) redis.disconnect()
  fake.close()
})

test('while Redis is not available, a node counts by itself', async () => {
  const redis = await connectRedis('redis://127.0.0.1:1', silentLogger())
  const node = await startTestServer(({ serve }) => serve(ping, () => ({ pong: true })), {
    rateLimits: LIMITS,
    redis,
  })
  const statuses: number[] = []
  for (let time = 0; time < 5; time++) {
    statuses.push((await call(node, 'GET', '/v1/ping', { headers: AS_AGENT })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  await node.close()
  redis.disconnect()
})
