import { type Credential, route } from '@batua/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../kernel/logger.ts'
import {
  ADMIN_COOKIE,
  AS_AGENT,
  AS_PLATFORM,
  call,
  OWNER_COOKIE,
  startTestServer,
  TEST_ADMIN,
  TEST_OWNER,
  type TestServer,
} from '../../testing/test-server.ts'

const whoAmI = <const Who extends readonly Credential[]>(path: string, who: Who) =>
  route({
    operationId: path,
    method: 'POST',
    path,
    tag: 'Test',
    summary: 'Who is calling',
    who,
    status: 200,
    response: Type.Object({ kind: Type.String() }),
    errors: [],
  })
const read = route({ ...whoAmI('/read', ['owner', 'admin']), method: 'GET' })

const lines: string[] = []
let server: TestServer

beforeAll(async () => {
  const logger = createLogger('debug', { write: line => void lines.push(line) })
  server = await startTestServer(
    ({ serve }) => {
      const routes = [
        whoAmI('/owner', ['owner']),
        whoAmI('/admin', ['admin']),
        whoAmI('/both', ['platform', 'owner', 'admin']),
        whoAmI('/agent', ['agent']),
        whoAmI('/public', []),
        read,
      ]
      for (const route of routes) serve(route, ({ caller }) => ({ kind: caller.kind }))
      serve(whoAmI('/login', []), ({ caller }) => ({ kind: caller.kind }), { opensSession: true })
      serve(whoAmI('/broken', ['owner']), ({ headers }) => {
        throw new Error(`cannot read ${headers.cookie}`)
      })
    },
    { logger },
  )
})
beforeEach(() => lines.splice(0))
afterAll(() => server.close())

const ORIGIN = { origin: 'http://batua.test' }
const OWNER = { cookie: OWNER_COOKIE, ...ORIGIN }
const ADMIN = { cookie: ADMIN_COOKIE, ...ORIGIN }
const BOTH = { cookie: `theme=dark; ${OWNER_COOKIE}; ${ADMIN_COOKIE}`, ...ORIGIN }
const DEAD_OWNER = { cookie: `service_session=bad; ${ADMIN_COOKIE}` }
const DEAD = { cookie: 'service_session=bad', ...ORIGIN }

const ask = (path: string, headers: Record<string, string>) =>
  call(server, path === '/read' ? 'GET' : 'POST', path, { headers })

test.each([
  ['/owner', OWNER, 'owner'],
  ['/admin', ADMIN, 'admin'],
  ['/both', OWNER, 'owner'],
  ['/both', BOTH, 'owner'],
  ['/both', { ...AS_PLATFORM, ...BOTH }, 'platform'],
  ['/admin', BOTH, 'admin'],
  ['/both', { ...BOTH, 'x-session': 'admin' }, 'admin'],
  ['/both', { ...BOTH, 'x-session': 'owner' }, 'owner'],
  ['/both', { ...ADMIN, ...DEAD_OWNER, 'x-session': 'admin' }, 'admin'],
  ['/both', { ...AS_PLATFORM, ...BOTH, 'x-session': 'admin' }, 'platform'],
  ['/owner', { ...AS_AGENT, ...OWNER }, 'owner'],
  ['/public', OWNER, 'public'],
  ['/public', DEAD, 'public'],
  ['/public', { cookie: OWNER_COOKIE }, 'public'],
  ['/public', { ...AS_PLATFORM, ...DEAD }, 'platform'],
  ['/public', { cookie: 'theme=dark' }, 'public'],
  ['/login', OWNER, 'public'],
  ['/login', DEAD, 'public'],
  ['/agent', { ...AS_AGENT, cookie: 'theme=dark' }, 'agent'],
])('%s lets in %o as %s', async (path, headers, kind) => {
  expect(await ask(path, headers)).toMatchObject({ status: 200, body: { kind } })
})

test.each([
  ['no session', '/owner', {}],
  ['a dead session', '/owner', DEAD],
  ['an empty session', '/owner', { cookie: 'service_session=', ...ORIGIN }],
  ['a session of the other kind', '/owner', ADMIN],
  ['an owner session where only administrators go', '/admin', OWNER],
  ['a good session beside a dead one', '/owner', { cookie: `${OWNER_COOKIE}; service_admin_session=bad` }],
  ['a dead session that X-Session names', '/both', { ...DEAD_OWNER, ...ORIGIN, 'x-session': 'owner' }],
  ['a session of which X-Session names another kind', '/both', { ...OWNER, 'x-session': 'admin' }],
  ['a session of which X-Session names no kind', '/both', { ...BOTH, 'x-session': 'owner, admin' }],
  ['a good agent key beside a dead session', '/agent', { ...AS_AGENT, ...DEAD }],
  ['a good session beside a wrong agent key', '/owner', { ...OWNER, 'x-agent-key': 'bad' }],
  [
    'an owner token in the cookie of administrators',
    '/admin',
    { cookie: 'service_admin_session=good-owner' },
  ],
])('%s is 401', async (_what, path, headers) => {
  expect(await ask(path, headers)).toMatchObject({
    status: 401,
    body: { error: { code: 'authentication_error' } },
  })
})

const here = () => `http://127.0.0.1:${server.port}`

test.each([
  ['the public address', () => ORIGIN],
  ['the address it was sent to', () => ({ origin: here() })],
  ['the address it was sent to, by https', () => ({ origin: here().replace('http:', 'https:') })],
  ['a page of this site', () => ({ 'sec-fetch-site': 'same-origin' })],
  ['both', () => ({ ...ORIGIN, 'sec-fetch-site': 'same-origin' })],
])('a session changes things from %s', async (_what, headers) => {
  expect((await ask('/owner', { cookie: OWNER_COOKIE, ...headers() })).status).toBe(200)
  expect((await ask('/admin', { cookie: ADMIN_COOKIE, ...headers() })).status).toBe(200)
})

test.each([
  ['nowhere', () => ({})],
  ['another site', () => ({ origin: 'http://evil.test' })],
  ['a hidden origin', () => ({ origin: 'null' })],
  ['another port', () => ({ origin: 'http://batua.test:81' })],
  ['a sibling', () => ({ origin: 'http://console.batua.test' })],
  ['an origin that only begins alike', () => ({ origin: 'http://batua.test.evil.test' })],
  ['an address with a path', () => ({ origin: `${here()}/` })],
  ['an origin that is none', () => ({ origin: '' })],
  ['a page of another site', () => ({ 'sec-fetch-site': 'cross-site' })],
  ['a page of a sibling', () => ({ 'sec-fetch-site': 'same-site' })],
  ['the address bar', () => ({ 'sec-fetch-site': 'none' })],
  ['a right origin that the browser calls cross-site', () => ({ ...ORIGIN, 'sec-fetch-site': 'cross-site' })],
  [
    'another site that claims to be this one',
    () => ({ origin: 'http://evil.test', 'sec-fetch-site': 'same-origin' }),
  ],
])('a session changes nothing from %s', async (_what, headers) => {
  for (const [path, cookie] of [
    ['/owner', OWNER_COOKIE],
    ['/admin', ADMIN_COOKIE],
  ] as const) {
    expect(await ask(path, { cookie, ...headers() }), path).toMatchObject({
      status: 403,
      body: { error: { code: 'authorization_error', message: expect.stringContaining('http://batua.test') } },
    })
  }
})

test.each([
  ['no header that names a site', () => ({})],
  ['the public address', () => ORIGIN],
  ['the address it was sent to', () => ({ origin: here() })],
  ['a page of this site', () => ({ 'sec-fetch-site': 'same-origin' })],
])('a login is taken with %s', async (_what, headers) => {
  expect((await ask('/login', headers())).status).toBe(200)
})

test.each([
  ['another site', () => ({ origin: 'http://evil.test' })],
  ['a hidden origin', () => ({ origin: 'null' })],
  ['a page of another site', () => ({ 'sec-fetch-site': 'cross-site' })],
  ['a page of a sibling', () => ({ ...ORIGIN, 'sec-fetch-site': 'same-site' })],
  [
    'another site that claims to be this one',
    () => ({ origin: 'http://evil.test', 'sec-fetch-site': 'same-origin' }),
  ],
])('no login is taken from %s', async (_what, headers) => {
  for (const credentials of [{}, AS_PLATFORM, { cookie: OWNER_COOKIE }]) {
    expect(await ask('/login', { ...credentials, ...headers() })).toMatchObject({
      status: 403,
      body: { error: { code: 'authorization_error' } },
    })
  }
})

test.each([
  ['/owner', DEAD.cookie, ['service_session']],
  ['/owner', 'service_session=', ['service_session']],
  ['/agent', DEAD.cookie, ['service_session']],
  ['/admin', `service_session=bad; ${ADMIN_COOKIE}`, ['service_session']],
  ['/both', 'service_session=bad; service_admin_session=bad', ['service_session', 'service_admin_session']],
])('the 401 of %s to %s clears what is dead, and nothing that lives', async (path, cookie, dead) => {
  const { status, headers } = await ask(path, { ...AS_AGENT, ...ORIGIN, cookie })
  expect(status).toBe(401)
  expect(headers.getSetCookie()).toEqual(
    dead.map(name => `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`),
  )
})

test('a 401 for another reason clears no cookie', async () => {
  for (const headers of [ADMIN, {}, { ...OWNER, 'x-agent-key': 'bad' }]) {
    const refused = await ask('/owner', headers)
    expect(refused.status).toBe(401)
    expect(refused.headers.getSetCookie()).toEqual([])
  }
})

test('neither a GET nor a request with another credential needs an origin', async () => {
  expect((await ask('/read', { cookie: OWNER_COOKIE })).status).toBe(200)
  expect((await ask('/agent', AS_AGENT)).status).toBe(200)
  expect((await ask('/both', { ...AS_PLATFORM, cookie: OWNER_COOKIE })).status).toBe(200)
})

test('behind https a page that was loaded by http cannot change anything', async () => {
  const secure = await startTestServer(
    ({ serve }) => serve(whoAmI('/owner', ['owner']), ({ caller }) => ({ kind: caller.kind })),
    { baseUrl: 'https://batua.test' },
  )
  const from = async (origin: string) =>
    (await call(secure, 'POST', '/owner', { headers: { cookie: OWNER_COOKIE, origin } })).status
  expect(await from('https://batua.test')).toBe(200)
  expect(await from(`https://127.0.0.1:${secure.port}`)).toBe(200)
  expect(await from('http://batua.test')).toBe(403)
  expect(await from(secure.url)).toBe(403)
  const dead = await call(secure, 'POST', '/owner', { headers: DEAD })
  expect(dead.headers.getSetCookie()).toEqual([expect.stringMatching(/Max-Age=0;.*; Secure/)])
  await secure.close()
})

test('the log names a session by its id and never contains its cookie', async () => {
  await ask('/owner', OWNER)
  await ask('/admin', ADMIN)
  await ask('/owner', { cookie: `${OWNER_COOKIE}-dead`, ...ORIGIN })
  await ask('/broken', OWNER)
  await expect.poll(() => lines.filter(line => line.includes('"route"')).length).toBe(4)
  const log = lines.join('')
  expect(log).toContain(`"caller":"owner:${TEST_OWNER.sessionId}"`)
  expect(log).toContain(`"caller":"admin:${TEST_ADMIN.sessionId}"`)
  for (const value of ['good-owner', 'good-admin', TEST_ADMIN.phone]) expect(log).not.toContain(value)
})
