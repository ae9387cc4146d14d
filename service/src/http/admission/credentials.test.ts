import { type Credential, route } from '@batua/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AS_AGENT, AS_PLATFORM, call, startTestServer, type TestServer } from '../../testing/test-server.ts'

const whoAmI = <const Who extends readonly Credential[]>(path: string, who: Who) =>
  route({
    operationId: path,
    method: 'GET',
    path,
    tag: 'Test',
    summary: 'Who is calling',
    who,
    status: 200,
    response: Type.Object({ kind: Type.String() }),
    errors: [],
  })

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(({ serve }) => {
    const routes = [
      whoAmI('/agent', ['agent']),
      whoAmI('/platform', ['platform']),
      whoAmI('/both', ['platform', 'agent']),
      whoAmI('/agent-first', ['agent', 'platform']),
      whoAmI('/public', []),
    ]
    for (const route of routes) serve(route, ({ caller }) => ({ kind: caller.kind }))
  })
})

afterAll(() => server.close())

const ask = async (path: string, headers: Record<string, string>) => {
  const { status, body } = await call(server, 'GET', path, { headers })
  return { status, body }
}
const BOTH = { ...AS_AGENT, ...AS_PLATFORM }
const WRONG_AGENT = { 'x-agent-key': 'bad' }

test.each([
  ['/agent', AS_AGENT, 'agent'],
  ['/platform', AS_PLATFORM, 'platform'],
  ['/both', AS_AGENT, 'agent'],
  ['/both', AS_PLATFORM, 'platform'],
  ['/both', BOTH, 'platform'],
  ['/agent-first', BOTH, 'agent'],
  ['/agent', BOTH, 'agent'],
  ['/public', {}, 'public'],
  ['/public', AS_AGENT, 'agent'],
  ['/public', AS_PLATFORM, 'platform'],
])('%s lets in %o as %s', async (path, headers, kind) => {
  expect(await ask(path, headers)).toEqual({ status: 200, body: { kind } })
})

test.each([
  ['no credential', '/agent', {}],
  ['a credential of a kind that the route does not take', '/agent', AS_PLATFORM],
  ['a wrong agent key', '/agent', WRONG_AGENT],
  ['a wrong secret', '/platform', { ...AS_PLATFORM, 'x-platform-secret': 'bad' }],
  ['an id without its secret', '/platform', { 'x-platform-id': 'plt_1' }],
  ['a secret without its id', '/platform', { 'x-platform-secret': 'good-secret' }],
  ['a good credential beside a wrong one', '/platform', { ...AS_PLATFORM, ...WRONG_AGENT }],
  [
    'a good credential beside a wrong one the route does not take',
    '/agent',
    { ...AS_AGENT, 'x-platform-id': 'plt_1' },
  ],
  ['a wrong credential on a public route', '/public', WRONG_AGENT],
])('%s is 401', async (_what, path, headers) => {
  expect(await ask(path, headers)).toMatchObject({
    status: 401,
    body: { error: { code: 'authentication_error' } },
  })
})

test('a request without a credential gets an error that names the needed credential', async () => {
  expect(await ask('/both', {})).toMatchObject({
    body: {
      error: { message: expect.stringMatching(/x-platform-id and x-platform-secret or .*x-agent-key/) },
    },
  })
})
