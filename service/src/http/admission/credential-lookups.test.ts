import { route } from '@batua/contract'
import { Type } from 'typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  call,
  startTestServer,
  TEST_ADMIN,
  TEST_AGENT,
  TEST_OWNER,
  TEST_PLATFORM,
  type TestServer,
  UNLIMITED,
} from '../../testing/test-server.ts'
import type { Authenticators } from '../caller.ts'

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

const WRONG_A_MINUTE = 5
/** Everything that was looked up, as it was presented. */
let lookedUp: string[]
/** Credentials that are good at the moment. */
let good: Set<string>
/** When set, look-ups wait for it. */
let gate: Promise<void> | null
let server: TestServer

async function find<Found>(credential: string, found: Found): Promise<Found | null> {
  lookedUp.push(credential)
  await gate
  return good.has(credential) ? found : null
}

const authenticators: Authenticators = {
  agent: key => find(key, TEST_AGENT),
  platform: (id, secret) => find(`${id} ${secret}`, TEST_PLATFORM),
  owner: session => find(session, TEST_OWNER),
  admin: session => find(session, TEST_ADMIN),
}

beforeEach(async () => {
  lookedUp = []
  good = new Set()
  gate = null
  server = await startTestServer(
    ({ serve }) => {
      serve(ping, () => ({ pong: true }))
      serve(open, () => ({ pong: true }), { uncounted: true })
    },
    {
      authenticators,
      rateLimits: { ...UNLIMITED, unauthenticatedPerMinute: WRONG_A_MINUTE },
      trustProxy: ['loopback'],
    },
  )
})
afterEach(() => server.close())

const FROM_HERE = '203.0.113.1'

async function ask(headers: Record<string, string>, path = '/v1/ping', from = FROM_HERE) {
  const reply = await call(server, 'GET', path, { headers: { ...headers, 'x-forwarded-for': from } })
  return reply.status
}

const asAgent = (key: string) => ({ 'x-agent-key': key })

async function useUp(): Promise<void> {
  for (let wrong = 0; wrong < WRONG_A_MINUTE; wrong++) expect(await ask(asAgent(`wrong ${wrong}`))).toBe(401)
  lookedUp = []
}

test.each([
  ['an agent key', { 'x-agent-key': 'a' }],
  ['a platform secret', { 'x-platform-id': 'plt_1', 'x-platform-secret': 'b' }],
  ['an owner session', { cookie: 'service_session=c' }],
  ['an administrator session', { cookie: 'service_admin_session=d' }],
])(
  'past its budget of wrong credentials an address is refused without a look-up: %s',
  async (_what, headers) => {
    await useUp()
    const reply = await call(server, 'GET', '/v1/ping', {
      headers: { ...headers, 'x-forwarded-for': FROM_HERE },
    })
    expect(reply).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
    expect(reply.headers.get('ratelimit-limit')).toBe(String(WRONG_A_MINUTE))
    expect(reply.headers.get('ratelimit-remaining')).toBe('0')
    expect(reply.headers.get('retry-after')).toBe(reply.headers.get('ratelimit-reset'))
    expect(lookedUp).toEqual([])
    expect(await ask(headers, '/v1/ping', '203.0.113.2')).toBe(401)
    expect(lookedUp).toHaveLength(1)
  },
)

test('uncounted routes and unknown addresses look up no more credentials than other routes', async () => {
  await useUp()
  expect(await ask(asAgent('guess'), '/v1/open')).toBe(429)
  expect(await ask(asAgent('guess'), '/v1/nothing')).toBe(429)
  expect(lookedUp).toEqual([])
})

test('a credential that was found valid recently is served while others guess from its address', async () => {
  good.add('mine').add('plt_1 secret').add('owner').add('admin')
  const callers = [
    asAgent('mine'),
    { 'x-platform-id': 'plt_1', 'x-platform-secret': 'secret' },
    { cookie: 'service_session=owner' },
    { cookie: 'service_admin_session=admin' },
  ]
  for (const caller of callers) expect(await ask(caller)).toBe(200)
  await useUp()
  for (const caller of callers) expect(await ask(caller)).toBe(200)
  good.add('new')
  expect(await ask(asAgent('new'))).toBe(429)
  expect(await ask(asAgent('new'), '/v1/ping', '203.0.113.2')).toBe(200)
  expect(await ask(asAgent('new'))).toBe(200)
})

test('a credential that was revoked since is refused, the second time without a look-up', async () => {
  good.add('mine')
  expect(await ask(asAgent('mine'))).toBe(200)
  await useUp()
  good.delete('mine')
  expect(await ask(asAgent('mine'))).toBe(429)
  expect(lookedUp).toEqual(['mine'])
  expect(await ask(asAgent('mine'))).toBe(429)
  expect(lookedUp).toEqual(['mine'])
})

test('a hundred wrong credentials at once are looked up no more often than the budget allows', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 100 }, (_, index) => ask(asAgent(`guess ${index}`))),
  )
  expect(lookedUp).toHaveLength(WRONG_A_MINUTE)
  expect(statuses.filter(status => status === 401)).toHaveLength(WRONG_A_MINUTE)
  expect(statuses.filter(status => status === 429)).toHaveLength(100 - WRONG_A_MINUTE)
})

test('a hundred valid credentials that this node has not seen are all served, although they arrive from one address at once', async () => {
  const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`)
  for (const key of keys) good.add(key)
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const statuses = Promise.all(keys.map(key => ask(asAgent(key))))
  // One wrong credential among them takes one place of the budget for good.
  const wrong = ask(asAgent('wrong'))
  resolve()
  expect(new Set(await statuses)).toEqual(new Set([200]))
  expect(await wrong).toBe(401)
  expect(lookedUp).toHaveLength(101)
})

test('missing credentials and public calls do not count as wrong credentials', async () => {
  good.add('mine')
  for (let time = 0; time < 2 * WRONG_A_MINUTE; time++) await ask({})
  expect(await ask({})).toBe(429)
  expect(await ask(asAgent('mine'))).toBe(200)
})
