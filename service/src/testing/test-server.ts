import type { Queryable } from '../db/database.ts'
import type { AdminCaller, AgentCaller, Authenticators, OwnerCaller, PlatformCaller } from '../http/caller.ts'
import { createServer, type Server, type ServerOptions } from '../http/server.ts'
import { systemClock } from '../kernel/clock.ts'
import { silentLogger } from '../kernel/logger.ts'
import { createMetrics } from '../kernel/metrics.ts'
import { openVault } from '../kernel/secrets.ts'

export const TEST_AGENT: AgentCaller = {
  kind: 'agent',
  agentId: '01890000-0000-7000-8000-00000000000a',
  platformId: '01890000-0000-7000-8000-00000000000b',
  ownerId: '01890000-0000-7000-8000-00000000000c',
  keyHash: Buffer.alloc(32, 1),
}

export const TEST_PLATFORM: PlatformCaller = { kind: 'platform', platformId: TEST_AGENT.platformId }

export const TEST_OWNER: OwnerCaller = {
  kind: 'owner',
  ownerIds: [TEST_AGENT.ownerId],
  sessionId: '01890000-0000-7000-8000-00000000000d',
}

export const TEST_ADMIN: AdminCaller = {
  kind: 'admin',
  sessionId: '01890000-0000-7000-8000-00000000000e',
  phone: '9999999999',
}

export const AS_AGENT = { 'x-agent-key': 'good-key' }
export const AS_PLATFORM = { 'x-platform-id': 'plt_1', 'x-platform-secret': 'good-secret' }
export const OWNER_COOKIE = 'service_session=good-owner'
export const ADMIN_COOKIE = 'service_admin_session=good-admin'

/** Know one agent, without a promise, and one platform, one owner's and one administrator's session, with a promise. */
export const testAuthenticators: Authenticators = {
  agent: key => (key === 'good-key' ? TEST_AGENT : null),
  platform: async (id, secret) => (id === 'plt_1' && secret === 'good-secret' ? TEST_PLATFORM : null),
  owner: async session => (session === 'good-owner' ? TEST_OWNER : null),
  admin: async session => (session === 'good-admin' ? TEST_ADMIN : null),
}

const noDatabase: Queryable = {
  query: () => Promise.reject(new Error('This test has no database')),
}

export const UNLIMITED = {
  agentPerMinute: 0,
  platformPerMinute: 0,
  unauthenticatedPerMinute: 0,
  pagesPerMinute: 0,
}

export interface TestServer extends Server {
  readonly url: string
  readonly port: number
}

/** A server with routes of the test, on a free port. */
export async function startTestServer(
  register: (server: Server) => void,
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const server = await createServer({
    clock: systemClock(),
    logger: silentLogger(),
    metrics: createMetrics(),
    database: noDatabase,
    vault: openVault(Buffer.alloc(32, 7)),
    authenticators: testAuthenticators,
    rateLimits: UNLIMITED,
    maxInFlight: 0,
    redis: null,
    trustProxy: [],
    baseUrl: 'http://batua.test',
    verifyResponses: true,
    ...options,
  })
  register(server)
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { ...server, url: `http://127.0.0.1:${port}`, port }
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** One JSON request; a string body is sent as it is. */
export async function call(
  server: TestServer,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const payload = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const type = payload === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(server.url + path, {
    method,
    headers: { ...type, ...headers },
    ...(payload === undefined ? {} : { body: payload }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}
