import { afterEach, expect, test } from 'vitest'
import { call, startTestServer, type TestServer, UNLIMITED } from '../../testing/test-server.ts'

let server: TestServer
afterEach(() => server.close())

async function start(limits: Partial<typeof UNLIMITED>): Promise<void> {
  server = await startTestServer(
    ({ fastify, admitBearer }) =>
      void fastify.post('/mcp', { onRequest: admitBearer }, async ({ caller }) => ({ caller: caller?.kind })),
    { rateLimits: { ...UNLIMITED, ...limits } },
  )
}

const send = (authorization: string) => call(server, 'POST', '/mcp', { headers: { authorization }, body: {} })

test('a bearer is the agent whose key it is, whatever else the request carries', async () => {
  await start({})
  const headers = { authorization: 'bearer good-key', 'x-agent-key': 'wrong', cookie: 'service_session=x' }
  expect(await call(server, 'POST', '/mcp', { headers, body: {} })).toMatchObject({
    ...{ status: 200, body: { caller: 'agent' } },
  })
})

test('each request counts on the budget of its agent', async () => {
  await start({ agentPerMinute: 2 })
  const statuses = [
    await send('Bearer good-key'),
    await send('Bearer good-key'),
    await send('Bearer good-key'),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(statuses[2]?.headers.get('retry-after')).not.toBeNull()
})

test('wrong keys count on the budget of their address', async () => {
  await start({ unauthenticatedPerMinute: 2 })
  const statuses = []
  for (let index = 0; index < 4; index++) statuses.push((await send(`Bearer wrong-${index}`)).status)
  expect(statuses).toEqual([401, 401, 429, 429])
  expect((await send('Bearer good-key')).status).toBe(429)
})
