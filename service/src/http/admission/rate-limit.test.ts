import { route } from '@batua/contract'
import { Type } from 'typebox'
import { afterEach, expect, test } from 'vitest'
import {
  ADMIN_COOKIE,
  AS_AGENT,
  AS_PLATFORM,
  call,
  OWNER_COOKIE,
  startTestServer,
  TEST_AGENT,
  type TestServer,
  testAuthenticators,
  UNLIMITED,
} from '../../testing/test-server.ts'

const ping = route({
  operationId: 'ping',
  method: 'GET',
  path: '/v1/ping',
  tag: 'Test',
  summary: 'Responds',
  who: ['agent', 'platform', 'owner', 'admin'],
  status: 200,
  response: Type.Object({ pong: Type.Boolean() }),
  errors: [],
})
const open = route({ ...ping, operationId: 'open', path: '/v1/open', who: [] })
const guess = route({
  ...ping,
  operationId: 'guess',
  path: '/v1/guess',
  who: ['agent'],
  query: Type.Object({ right: Type.Boolean() }),
})
const probe = route({ ...ping, operationId: 'probe', path: '/probe', who: [] })

const LIMITS = { agentPerMinute: 3, platformPerMinute: 5, unauthenticatedPerMinute: 2, pagesPerMinute: 4 }
const OTHER_AGENT = { 'x-agent-key': 'other-key' }

let server: TestServer

const start = async (options: Parameters<typeof startTestServer>[1] = {}) => {
  server = await startTestServer(
    ({ serve, fastify, countPage, pages }) => {
      fastify.get('/document', { onRequest: countPage }, () => ({ pong: true }))
      pages(scope => scope.get('/page', () => ({ pong: true })))
      serve(ping, () => ({ pong: true }))
      serve(open, () => ({ pong: true }))
      serve(guess, ({ query }) => ({ pong: query.right }), { isFailure: ({ pong }) => !pong })
      serve(probe, () => ({ pong: true }), { uncounted: true })
    },
    {
      rateLimits: LIMITS,
      authenticators: {
        ...testAuthenticators,
        agent: key =>
          key === 'other-key' ? { ...TEST_AGENT, agentId: 'another' } : testAuthenticators.agent(key),
      },
      ...options,
    },
  )
}

afterEach(() => server.close())

/** The statuses of so many calls, one after the other. */
async function statuses(
  count: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<number[]> {
  const result: number[] = []
  for (let index = 0; index < count; index++)
    result.push((await call(server, 'GET', path, { headers })).status)
  return result
}

test('each kind of caller has its own budget, and requests of an agent do not count on its platform’s', async () => {
  await start()
  expect(await statuses(4, '/v1/ping', AS_AGENT)).toEqual([200, 200, 200, 429])
  expect(await statuses(4, '/v1/ping', OTHER_AGENT)).toEqual([200, 200, 200, 429])
  expect(await statuses(6, '/v1/ping', AS_PLATFORM)).toEqual([200, 200, 200, 200, 200, 429])
  expect(await statuses(3, '/v1/open')).toEqual([200, 200, 429])
})

test('a session has a budget as large as an agent’s, whatever address it is used from', async () => {
  await start()
  const owner = { cookie: OWNER_COOKIE }
  expect(await statuses(3, '/v1/ping', { cookie: ADMIN_COOKIE })).toEqual([200, 200, 200])
  expect(await statuses(4, '/v1/ping', owner)).toEqual([200, 200, 200, 429])
  expect(await statuses(2, '/v1/ping', { cookie: 'service_session=guess' })).toEqual([401, 401])
  expect(await statuses(1, '/v1/ping', { cookie: 'service_session=other' })).toEqual([429])
  expect(await statuses(1, '/v1/ping', { cookie: ADMIN_COOKIE })).toEqual([429])
})

test('a refused request has Retry-After and the remaining budget', async () => {
  await start()
  const { headers } = await call(server, 'GET', '/v1/ping', { headers: AS_AGENT })
  expect(headers.get('ratelimit-limit')).toBe('3')
  expect(headers.get('ratelimit-remaining')).toBe('2')
  expect(headers.get('ratelimit-reset')).toBe('60')
  expect(headers.get('retry-after')).toBeNull()
  await statuses(2, '/v1/ping', AS_AGENT)
  const refused = await call(server, 'GET', '/v1/ping', { headers: AS_AGENT })
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('ratelimit-remaining')).toBe('0')
})

test('wrong credentials, missing ones and unknown routes count against the address', async () => {
  await start()
  const wrong = { 'x-agent-key': 'guess' }
  expect(await statuses(1, '/v1/ping', AS_AGENT)).toEqual([200])
  expect(await statuses(1, '/v1/ping', wrong)).toEqual([401])
  expect(await statuses(1, '/v1/ping')).toEqual([401])
  expect(await statuses(1, '/v1/ping', wrong)).toEqual([429])
  expect(await statuses(1, '/v1/nothing')).toEqual([429])
  expect(await statuses(1, '/v1/ping', AS_AGENT)).toEqual([200])
})

test('a public route called with a credential counts against that credential', async () => {
  await start()
  expect(await statuses(4, '/v1/open', AS_AGENT)).toEqual([200, 200, 200, 429])
  expect(await statuses(1, '/v1/open')).toEqual([200])
})

const RIGHT = '/v1/guess?right=true'
const WRONG = '/v1/guess?right=false'

test('a route that counts only failures serves any number of successful requests', async () => {
  await start()
  expect(new Set(await statuses(40, RIGHT, AS_AGENT))).toEqual(new Set([200]))
  const { headers } = await call(server, 'GET', RIGHT, { headers: AS_AGENT })
  expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['30', '30'])
})

test('failures have a separate budget, ten times an agent’s, and the two budgets are independent', async () => {
  await start()
  expect(await statuses(4, '/v1/ping', AS_AGENT)).toEqual([200, 200, 200, 429])
  expect(new Set(await statuses(29, WRONG, AS_AGENT))).toEqual(new Set([200]))
  const last = await call(server, 'GET', WRONG, { headers: AS_AGENT })
  expect([last.status, last.headers.get('ratelimit-remaining')]).toEqual([200, '0'])
  const refused = await call(server, 'GET', RIGHT, { headers: AS_AGENT })
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
  expect(refused.headers.get('ratelimit-limit')).toBe('30')
  expect(await statuses(4, '/v1/ping', OTHER_AGENT)).toEqual([200, 200, 200, 429])
  expect(await statuses(1, RIGHT, OTHER_AGENT)).toEqual([200])
})

test('an invalid request counts as a failure, and one without a credential counts on its address', async () => {
  await start()
  expect(new Set(await statuses(30, '/v1/guess?right=maybe', AS_AGENT))).toEqual(new Set([400]))
  expect(await statuses(1, RIGHT, AS_AGENT)).toEqual([429])
  expect(await statuses(3, RIGHT)).toEqual([401, 401, 429])
})

test('probes are never counted', async () => {
  await start()
  expect(await statuses(5, '/probe')).toEqual([200, 200, 200, 200, 200])
})

test('pages and documents have a budget of their own for each address, whatever credential comes with them', async () => {
  await start({ trustProxy: ['loopback'] })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  expect(await statuses(3, '/page', from('203.0.113.1'))).toEqual([200, 200, 200])
  expect(await statuses(2, '/document', { ...from('203.0.113.1'), ...AS_AGENT })).toEqual([200, 429])
  expect(await statuses(1, '/document', from('203.0.113.2'))).toEqual([200])
  expect(await statuses(2, '/v1/open', from('203.0.113.1'))).toEqual([200, 200])
  const { headers } = await call(server, 'GET', '/page', { headers: from('203.0.113.1') })
  expect(headers.get('ratelimit-limit')).toBe('4')
  expect(headers.get('ratelimit-remaining')).toBe('0')
  expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'))
})

test('a budget of 0 is no limit', async () => {
  await start({ rateLimits: UNLIMITED })
  expect(await statuses(5, '/v1/open')).toEqual([200, 200, 200, 200, 200])
})

test('the client address that a proxy reports is used only when the proxy is trusted', async () => {
  await start()
  const from = (address: string) => ({ 'x-forwarded-for': address })
  expect(await statuses(3, '/v1/open', from('203.0.113.1'))).toEqual([200, 200, 429])
  expect(await statuses(1, '/v1/open', from('203.0.113.2'))).toEqual([429])
  await server.close()
  await start({ trustProxy: ['loopback'] })
  expect(await statuses(3, '/v1/open', from('203.0.113.1'))).toEqual([200, 200, 429])
  expect(await statuses(1, '/v1/open', from('203.0.113.2'))).toEqual([200])
  expect(await statuses(3, '/v1/open', from('2001:db8::1'))).toEqual([200, 200, 429])
  expect(await statuses(1, '/v1/open', from('2001:db8::2'))).toEqual([429])
})

test('of a crowd whose credential is found at one moment exactly the limit passes', async () => {
  const known = Promise.withResolvers<typeof TEST_AGENT>()
  let asked = 0
  const agent = () => {
    asked += 1
    if (asked === 5) known.resolve(TEST_AGENT)
    return known.promise
  }
  await start({
    rateLimits: { ...LIMITS, unauthenticatedPerMinute: 30 },
    authenticators: { ...testAuthenticators, agent },
  })
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => call(server, 'GET', '/v1/ping', { headers: AS_AGENT })),
  )
  expect(replies.map(reply => reply.status).toSorted()).toEqual([200, 200, 200, 429, 429])
})
